"""An account in which every stack can be deployed; a case changes what it is about."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from eks_accelerators.accelerators import prices
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.capacity.preflight.result import CheckResult
from eks_accelerators.capacity.preflight.run import run
from eks_accelerators.settings.load import load_stack_file
from tests.capacity.fakes import FakeAws, Replies, Reply, refusal
from tests.conftest import NOW
from tests.docs.pages import ROOT
from tests.settings.example import Patch, check

REGION = "us-east-2"
CALLER = "arn:aws:sts::111122223333:assumed-role/deployer/me"
ZONES = {"us-east-2a": "use2-az1", "us-east-2b": "use2-az2", "us-east-2c": "use2-az3"}
BLOCK = "cr-0123456789abcdef0"


def allowed(account: str) -> dict[str, Any]:
    """What a deployment must be allowed to do: anywhere in the region, and on roles for two services."""
    return {
        "Statement": [
            {
                "Action": ["ec2:CreateVpc", "eks:CreateCluster"],
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:RequestedRegion": REGION}},
            },
            {
                "Action": "iam:PassRole",
                "Resource": f"arn:aws:iam::{account}:role/test-*",
                "Condition": {"StringEquals": {"iam:PassedToService": ["eks.amazonaws.com", "ec2.amazonaws.com"]}},
            },
        ]
    }


def _zones(_: Mapping[str, Any]) -> Reply:
    return {"AvailabilityZones": [{"ZoneName": n, "ZoneId": i, "State": "available"} for n, i in ZONES.items()]}


def versions(**status: str) -> Reply:
    """Cluster versions; keys such as `v135`."""
    months = timedelta(days=400)
    return {
        "clusterVersions": [
            {
                "clusterVersion": f"1.{name[2:]}",
                "versionStatus": status,
                "endOfStandardSupportDate": NOW + months,
                "endOfExtendedSupportDate": NOW + 2 * months,
            }
            for name, status in status.items()
        ]
    }


def _offerings(parameters: Mapping[str, Any]) -> Reply:
    types = parameters["Filters"][0]["Values"]
    return {"InstanceTypeOfferings": [{"InstanceType": t, "Location": z} for t in types for z in ZONES.values()]}


def _parameters(parameters: Mapping[str, Any]) -> Reply:
    values = {"image_id": "ami-0123456789abcdef0", "release_version": "1.35.2-20261101", "image_version": "1.63.0"}
    return {"Parameters": [{"Name": n, "Value": values[n.rpartition("/")[2]]} for n in parameters["Names"]]}


def quota(value: float) -> Replies:
    """Every quota of that value, with a metric of its usage."""

    def reply(parameters: Mapping[str, Any]) -> Reply:
        code = parameters["QuotaCode"]
        dimensions = {"Class": code, "Resource": "vCPU", "Service": "EC2", "Type": "Resource"}
        metric = {
            "MetricNamespace": "AWS/Usage",
            "MetricName": "ResourceCount",
            "MetricDimensions": dimensions,
            "MetricStatisticRecommendation": "Maximum",
        }
        return {"Quota": {"QuotaCode": code, "Value": value, "UsageMetric": metric}}

    return reply


def used(vcpus: float) -> Replies:
    """That many vCPUs used of every quota."""

    def reply(parameters: Mapping[str, Any]) -> Reply:
        return {"MetricDataResults": [{"Id": q["Id"], "Values": [vcpus]} for q in parameters["MetricDataQueries"]]}

    return reply


def _addons(parameters: Mapping[str, Any]) -> Reply:
    compatible = [{"clusterVersion": parameters["kubernetesVersion"], "defaultVersion": True}]
    versions = [{"addonVersion": "v1.2.3-eksbuild.1", "compatibilities": compatible}]
    return {"addons": [{"addonName": parameters["addonName"], "addonVersions": versions}]}


def block(**other: Any) -> dict[str, Any]:
    """The Capacity Block of stack `prod`, scheduled, with something otherwise."""
    return {
        "CapacityReservationId": BLOCK,
        "ReservationType": "capacity-block",
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-2a",
        "AvailabilityZoneId": "use2-az1",
        "TotalInstanceCount": 0,
        "AvailableInstanceCount": 0,
        "State": "scheduled",
        "StartDate": NOW + timedelta(days=2),
        "EndDate": NOW + timedelta(days=4),
        "CreateDate": NOW - timedelta(days=1),
        "Tags": [{"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "4"}],
        **other,
    }


def _products(parameters: Mapping[str, Any]) -> Reply:
    wanted = {each["Field"]: each["Value"] for each in parameters["Filters"]}
    return product(prices.on_demand(wanted["instanceType"], wanted["regionCode"]))


def product(usd: Any) -> Reply:
    """A product with that price, or none."""
    if usd is None:
        return {"PriceList": []}
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": str(usd)}}
    return {"PriceList": [json.dumps({"terms": {"OnDemand": {"A.B": {"priceDimensions": {"A.B.C": dimension}}}}})]}


def _allowed(parameters: Mapping[str, Any]) -> Reply:
    return {"EvaluationResults": [{"EvalActionName": a, "EvalDecision": "allowed"} for a in parameters["ActionNames"]]}


GOOD: Mapping[str, Reply | Replies] = {
    "sts.get_caller_identity": {"Arn": CALLER, "Account": "111122223333", "UserId": "A"},
    "ec2.describe_regions": {"Regions": [{"RegionName": REGION, "OptInStatus": "opt-in-not-required"}]},
    "ec2.describe_availability_zones": _zones,
    "ec2.describe_instance_type_offerings": _offerings,
    "ec2.describe_capacity_reservations": {"CapacityReservations": [block()]},
    "ec2.describe_instances": {"Reservations": []},
    "ec2.describe_images": {"Images": []},
    "ec2.run_instances": refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412),
    "ec2.get_spot_placement_scores": {"SpotPlacementScores": [{"Region": REGION, "Score": 9}]},
    "eks.describe_cluster_versions": versions(
        v133="EXTENDED_SUPPORT", v135="STANDARD_SUPPORT", v136="STANDARD_SUPPORT"
    ),
    "eks.describe_addon_versions": _addons,
    "eks.describe_cluster": refusal("ResourceNotFoundException", status=404),
    "ssm.get_parameters": _parameters,
    "service-quotas.get_service_quota": quota(10_000),
    "service-quotas.list_requested_service_quota_change_history_by_quota": {"RequestedQuotas": []},
    "cloudwatch.get_metric_data": used(0),
    "iam.get_role": {
        "Role": {
            "Path": "/",
            "RoleName": "r",
            "RoleId": "R",
            "Arn": "arn:aws:iam::1:role/r",
            "CreateDate": datetime(2026, 1, 1, tzinfo=UTC),
        }
    },
    "iam.simulate_principal_policy": _allowed,
    "pricing.get_products": _products,
}


def inquiry(aws: Aws, settings: Any, stack: str = "test") -> Inquiry:
    """A preflight of settings."""
    return Inquiry(stack, settings, aws, NOW, allowed)


def patched(patch: Patch) -> Any:
    """The settings of the minimal stack, with something otherwise."""
    return check(patch).require().settings


def shipped(stack: str) -> Any:
    """The settings of a stack of the repository."""
    return load_stack_file(ROOT / "stacks" / f"Pulumi.{stack}.yaml", NOW).require().settings


def everything(
    settings: Any, replies: Mapping[str, Reply | Replies] | None = None
) -> tuple[list[CheckResult], FakeAws]:
    """The results of every check."""
    fake = FakeAws({**GOOD, **(replies or {})})
    with Aws(fake) as aws:
        return run(inquiry(aws, settings)), fake


def one(code: str, settings: Any, replies: Mapping[str, Reply | Replies] | None = None) -> list[CheckResult]:
    """The results of one check."""
    fake = FakeAws({**GOOD, **(replies or {})})
    with Aws(fake) as aws:
        return CHECKS[code].results(inquiry(aws, settings))
