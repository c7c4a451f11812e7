"""An AWS that answers what the data files say: EC2 as moto's dumps of its answers have it, the others made from the files.

The dumps are AWS's own words: what our parsing makes of them is held against our tables.
"""

import functools
import gzip
import json
from pathlib import Path

import moto.ec2
import moto.ssm

from eks_accelerators.accelerators import data, kubernetes_versions
from eks_accelerators.accelerators.ami_images import newest_image_parameter
from eks_accelerators.accelerators.partitions import partition_of
from tests import authorities
from tests.capacity.fakes import FakeAws, Replies, Reply, refusal

_EC2 = Path(moto.ec2.__path__[0]) / "resources"


def _load(path: Path):
    return json.loads(gzip.decompress(path.read_bytes()))


@functools.cache
def described():
    """Every instance type of moto's dump of DescribeInstanceTypes, by name."""
    return _load(_EC2 / "instance_types.json.gz")


@functools.cache
def offerings(location_type, region):
    """Moto's dump of DescribeInstanceTypeOfferings."""
    return _load(_EC2 / "instance_type_offerings" / location_type / f"{region}.json.gz")


def regions():
    """The regions that moto has a dump of."""
    return sorted(file.name.partition(".")[0] for file in (_EC2 / "instance_type_offerings" / "region").iterdir())


def known_prices():
    """Prices of our tables, by type and region."""
    rows = data.load("instance-types")["instance_types"]
    known = {row["instance_type"]: row["on_demand_usd_per_hour"] for row in rows}
    known |= {row[0]: row[4] for row in data.load("system-instance-types")["instance_types"]}
    for family in data.load("unserved-accelerators")["families"]:
        known |= {name: {"us-east-1": usd} for name, (_, usd) in family["types"].items()}
    return known


def product(attributes, usd, *, fallen=False):
    """A product of the price list; ``fallen``: what is above the first 51200 costs less."""
    terms = {}
    if usd is not None:
        dimensions = {"sku.term.rate": {"beginRange": "0", "pricePerUnit": {"USD": f"{usd:.10f}"}}}
        if fallen:
            less = {"USD": f"{usd * 0.9:.10f}"}
            dimensions["sku.term.more"] = {"beginRange": "51200", "pricePerUnit": less}
        terms = {"OnDemand": {"sku.term": {"priceDimensions": dimensions}}}
    return json.dumps({"product": {"attributes": attributes}, "terms": terms})


def _instance_products(name):
    """One in each region whose price list has the type; the price where our tables have it."""
    usd = known_prices().get(name, {})
    listed = authorities.instance_types_by_region()
    here = {region for region, types in listed.items() if name in types} | {
        region for region, price in usd.items() if price is not None
    }
    return [
        product({"instanceType": name, "regionCode": region}, usd.get(region))
        for region in sorted(here)
        if partition_of(region) in ("aws", "aws-us-gov")
    ]


_USAGES = {
    "AmazonEKS": {
        "USE1-AmazonEKS-Hours:perCluster": ("eks_cluster_hour", 1),
        "USE1-AmazonEKS-Hours:provisionedControlPlane": ("eks_cluster_hour", 30),
    },
    "NAT Gateway": {
        "NatGateway-Hours": ("nat_gateway_hour", 1),
        "NatGateway-Bytes": ("nat_gateway_hour", 1.5),
        "RegionalNatGateway-Hours": ("nat_gateway_hour", 2),
    },
    "AmazonVPC": {
        "USE1-PublicIPv4:InUseAddress": ("public_ipv4_hour", 1),
        "USE1-PublicIPv4:IdleAddress": ("public_ipv4_hour", 3),
        "USE2-VpcEndpoint-Hours": ("interface_endpoint_zone_hour", 1),
        "USE2-VpcEndpoint-Bytes": ("interface_endpoint_zone_hour", 2),
    },
    "gp3": {
        "USW2-EBS:VolumeUsage.gp3": ("ebs_gp3_gib_month", 1),
        "EBS:VolumeP-IOPS.gp3": ("ebs_gp3_iops_month", 1),
        "EBS:VolumeP-Throughput.gp3": ("ebs_gp3_throughput_mibps_month", 1024),
    },
}
"""Usage types, and which price of the file times what each costs, beside others that are no price of the file."""


_STORAGE = {
    "AmazonEFS": {
        "TimedStorage-ByteHrs": ("efs_gib_month", 1),
        "TimedStorage-Z-ByteHrs": ("efs_one_zone_gib_month", 1),
        "IATimedStorage-ByteHrs": ("efs_gib_month", 0.1),
        "ProvisionedTP-MiBpsHrs": ("efs_provisioned_mibps_month", 1),
        "IncludedTP-MiBpsHrs": ("efs_provisioned_mibps_month", 0),
    },
    "AmazonS3": {"TimedStorage-ByteHrs": ("s3_gib_month", 1)},
    "AmazonFSx": {
        "Storage": ("fsx_scratch_2_gib_month", 1),
        "Storage.SSD.200": ("fsx_scratch_2_gib_month", 2),
        **{
            f"Storage.SSD.{throughput}": (f"fsx_persistent_2_{throughput}_gib_month", 1)
            for throughput in (125, 250, 500, 1000)
        },
    },
}
"""As `_USAGES`, of storage. Where the file has no price AWS has no product here."""


def _storage_products(service, region):
    table = data.load("storage-prices")["prices"]
    known = {usage: (table[name]["usd"].get(region), times) for usage, (name, times) in _STORAGE[service].items()}
    return [
        product({"usagetype": f"XYZ1-{usage}", "regionCode": region}, usd * times, fallen=service == "AmazonS3")
        for usage, (usd, times) in known.items()
        if usd is not None
    ]


def _get_products(parameters):
    wanted = {each["Field"]: each["Value"] for each in parameters["Filters"]}
    if name := wanted.get("instanceType"):
        return {"PriceList": _instance_products(name)}
    if parameters["ServiceCode"] in _STORAGE:
        return {"PriceList": _storage_products(parameters["ServiceCode"], wanted["regionCode"])}
    table, region = data.load("prices")["prices"], wanted["regionCode"]
    kind = wanted.get("productFamily") or wanted.get("volumeApiName") or parameters["ServiceCode"]
    usages = {usage: table[name]["usd"][region] * times for usage, (name, times) in _USAGES[kind].items()}
    if kind == "AmazonEKS":
        dearer = table["eks_cluster_extended_support_hour"]["usd"][region] - table["eks_cluster_hour"]["usd"][region]
        usages["USE1-AmazonEKS-Hours:extendedSupport"] = dearer
    return {"PriceList": [product({"usagetype": usage, "regionCode": region}, usd) for usage, usd in usages.items()]}


def _describe_types(parameters):
    missing = [name for name in parameters["InstanceTypes"] if name not in described()]
    return (
        refusal("InvalidInstanceType", f"{missing} do not exist")
        if missing
        else {"InstanceTypes": [described()[name] for name in parameters["InstanceTypes"]]}
    )


def _versions(_):
    dates = data.load("kubernetes-versions")["versions"]
    keys = {
        "endOfStandardSupportDate": "end_of_standard_support",
        "endOfExtendedSupportDate": "end_of_extended_support",
    }
    return {
        "clusterVersions": [
            {"clusterVersion": "1.27", "endOfStandardSupportDate": "2024-07-24T00:00:00+00:00"},
            *(
                {
                    "clusterVersion": name,
                    "clusterType": "eks",
                    **{theirs: f"{row[ours]}T00:00:00+00:00" for theirs, ours in keys.items() if row[ours]},
                }
                for name, row in reversed(dates.items())
            ),
        ]
    }


def _addon_versions(parameters):
    name = parameters["addonName"]
    builds = [
        {
            "addonVersion": version,
            "compatibilities": [
                {"clusterVersion": each, "platformVersions": ["*"], "defaultVersion": each in default_of}
                for each in reversed(on)
            ],
        }
        for version, on, default_of in data.load("addon-versions")["versions"][name]
    ]
    old = {"addonVersion": "v0.9.0-eksbuild.1", "compatibilities": [{"clusterVersion": "1.27", "defaultVersion": True}]}
    return {"addons": [{"addonName": name, "type": "networking", "addonVersions": [*builds, old]}]}


def _quotas(_):
    names = {**data.load("quotas")["names"], "L-0263D0A3": "EC2-VPC Elastic IPs"}
    return {"Quotas": [{"QuotaCode": code, "QuotaName": name, "Value": 0.0} for code, name in names.items()]}


@functools.cache
def _infrastructure():
    """Moto's dump of SSM's public parameters below `/aws/service/global-infrastructure/services`."""
    dumped = _load(Path(moto.ssm.__path__[0]) / "resources" / "services.json.gz")
    return dumped["aws"]["service"]["global-infrastructure"]["services"]


def parameter(name, value):
    """A public parameter, as SSM answers it."""
    return {"Name": name, "Type": "String", "Value": value, "Version": 1}


def _parameters_by_path(parameters):
    service = parameters["Path"].removeprefix("/aws/service/global-infrastructure/services/").removesuffix("/regions")
    regions = _infrastructure()[service]["regions"]
    return {"Parameters": [parameter(f"{parameters['Path']}/{name}", each["Value"]) for name, each in regions.items()]}


def images_of(published):
    """SSM where an image of each type in ``published`` is there, for every Kubernetes version that is known."""
    there = {newest_image_parameter(kind, version) for kind in published for version in kubernetes_versions.every()}

    def reply(parameters):
        found = [parameter(name, "ami-0123456789abcdef0") for name in parameters["Names"] if name in there]
        return {"Parameters": found, "InvalidParameters": [name for name in parameters["Names"] if name not in there]}

    return reply


class World(FakeAws):
    """`FakeAws` that knows the region of a question, which the offerings differ by."""

    def get(self, service, region):
        client = super().get(service, region)
        if service != "ec2":
            return client
        return type(client)(
            FakeAws({**self.replies, "ec2.describe_instance_type_offerings": self._offered(region)}, self.made),
            service,
            region,
        )

    def _offered(self, region) -> Replies:
        def reply(parameters) -> Reply:
            location = parameters["LocationType"]
            extra = self.replies.get("ec2.describe_instance_type_offerings")
            added = extra({"region": region, **parameters}) if callable(extra) else []
            return {"InstanceTypeOfferings": [*offerings(location, region), *added]}

        return reply


def world(**changed: Reply | Replies) -> World:
    """AWS as the data files have it; ``changed`` are other answers, by operation."""
    replies: dict[str, Reply | Replies] = {
        "ec2.describe_regions": {"Regions": [{"RegionName": region} for region in regions()]},
        "ec2.describe_instance_types": _describe_types,
        "pricing.get_products": _get_products,
        "service-quotas.list_aws_default_service_quotas": _quotas,
        "eks.describe_cluster_versions": _versions,
        "eks.describe_addon_versions": _addon_versions,
        "ssm.get_parameters_by_path": _parameters_by_path,
        "ssm.get_parameters": images_of(data.load("ami")["types"]),
    }
    by_operation = {name.partition(".")[2]: name for name in replies} | {
        "describe_instance_type_offerings": "ec2.describe_instance_type_offerings"
    }
    return World({**replies, **{by_operation[name]: reply for name, reply in changed.items()}})
