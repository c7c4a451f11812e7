"""Answers that say what the data files say change nothing; others change exactly what they say otherwise.

EC2's answers are moto's dumps of real ones, and the price list's regions are cfn-lint's: our tables are held against both,
through the code that reads AWS's answers.
"""

import json
import re
from datetime import date
from importlib.resources import files
from pathlib import Path

import pytest

from eks_accelerators.accelerators import data
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.facts.amp_regions import PATH
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import ABSENT
from eks_accelerators.capacity.facts.layout import written
from eks_accelerators.capacity.facts.refresh import refreshed
from eks_accelerators.capacity.facts.registry import BY_HAND, MADE
from tests.capacity.facts.world import described, images_of, parameter, product, world
from tests.capacity.fakes import refusal

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(str(files(data)))
TODAY = date(2027, 1, 15)
TRAINIUM2 = {
    (name, column) for name in ("trn2.3xlarge", "trn2.48xlarge") for column in ("memory_mib", "total_memory_mib")
}


def asked(names=MADE, folder=FOLDER, region="us-east-1", **changed):
    """Changes by file, and who asked."""
    with Aws(world(**changed)) as aws:
        asker = Asker(aws, region, TODAY)
        return {each.file.name: each for each in refreshed(asker, folder, names)}, asker


def changes(found):
    return {(name, *change.path): change.after for name, each in found.items() for change in each.merged.changes}


@pytest.fixture(scope="module")
def today():
    return asked()


def test_what_aws_answers_today_changes_nothing(today):
    found, asker = today

    assert set(found) == set(MADE)
    assert changes(found) == {}
    assert list(asker.unanswered) == []


def test_every_value_of_ec2_is_held_against_its_answer(today):
    """The one type that no dump has is named, and so is every value that is known better."""
    found, asker = today

    assert list(asker.untold) == ["p6e-gb200.36xlarge: no region of this account offers it"]
    assert {(kept.path[1], kept.path[-1]) for each in found.values() for kept in each.merged.kept} == TRAINIUM2


@pytest.mark.parametrize("name", data.names())
def test_a_file_is_made_by_the_command_or_says_why_not(name):
    assert (name in MADE) != (name in BY_HAND)


def test_nothing_is_listed_that_is_no_file():
    assert {*MADE, *BY_HAND} == set(data.names())


def test_the_page_lists_what_is_made_and_what_is_by_hand():
    page = (ROOT / "docs" / "facts.md").read_text(encoding="utf-8")
    table, _, others = page.partition("## Where each fact comes from")[2].partition("The others are by hand")

    assert sorted(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == sorted(MADE)
    assert re.findall(r"`([^`]+)`", others.partition("Each names its sources")[0]) == sorted(BY_HAND)


@pytest.mark.parametrize("name", MADE)
def test_a_file_that_is_made_is_in_the_layout_of_the_command(name):
    """So that a refreshed file differs in its values only."""
    assert written(data.load(name), MADE[name].depth) == data.file(name).read_text(encoding="utf-8")


def changed_type(name, **parts):
    """AWS with another description of one type."""

    def reply(parameters):
        kinds = [described()[each] for each in parameters["InstanceTypes"]]
        return {"InstanceTypes": [{**kind, **parts} if kind["InstanceType"] == name else kind for kind in kinds]}

    return {"describe_instance_types": reply}


def quotas_with(**names):
    known = {**data.load("quotas")["names"], **names}
    return {
        "list_aws_default_service_quotas": {
            "Quotas": [{"QuotaCode": code.replace("_", "-"), "QuotaName": name} for code, name in known.items()]
        }
    }


def prices_with(name, region, usd):
    def reply(parameters):
        answer = dict(world().replies["pricing.get_products"](parameters))
        if {"Type": "TERM_MATCH", "Field": "instanceType", "Value": name} in parameters["Filters"]:
            kept = [
                each
                for each in answer["PriceList"]
                if json.loads(each)["product"]["attributes"]["regionCode"] != region
            ]
            answer["PriceList"] = [*kept, product({"regionCode": region}, usd)]
        return answer

    return {"get_products": reply}


def storage_with(service, region, usages):
    """AWS with other prices of storage in one region, by usage type."""

    def reply(parameters):
        asked = {each["Field"]: each["Value"] for each in parameters["Filters"]}
        if (parameters["ServiceCode"], asked.get("regionCode")) != (service, region):
            return world().replies["pricing.get_products"](parameters)
        made = [product({"usagetype": usage, "regionCode": region}, usd) for usage, usd in usages.items()]
        return {"PriceList": made}

    return {"get_products": reply}


def versions_with(*more):
    known = world().replies["eks.describe_cluster_versions"]({})["clusterVersions"]
    return {"describe_cluster_versions": {"clusterVersions": [*more, *known]}}


P5 = ("instance-types", "instance_types", "p5.48xlarge")


@pytest.mark.parametrize(
    ("names", "changed", "expected"),
    [
        pytest.param(
            ["instance-types", "system-instance-types"],
            changed_type("p5.48xlarge", VCpuInfo={"DefaultVCpus": 96}),
            {(*P5, "vcpus"): 96, (*P5, "quota", "vcpus_needed_per_instance"): 96},
            id="vcpus",
        ),
        pytest.param(
            ["instance-types"],
            changed_type("p5.48xlarge", SupportedUsageClasses=["on-demand"]),
            {(*P5, "usage_classes"): ["on-demand"], (*P5, "capacity_block_capable"): False},
            id="no-longer-in-blocks",
        ),
        pytest.param(
            ["instance-types"],
            prices_with("p5.48xlarge", "us-east-2", 60.5),
            {(*P5, "on_demand_usd_per_hour", "us-east-2"): 60.5},
            id="price",
        ),
        pytest.param(
            ["instance-types"],
            prices_with("p5.48xlarge", "eu-west-3", 70),
            {
                (*P5, "offered_regions"): sorted(
                    [*next(row["offered_regions"] for row in data.load("instance-types")["instance_types"] if row["instance_type"] == "p5.48xlarge"), "eu-west-3"]
                )
            },
            id="a-region-more",
        ),
        pytest.param(
            ["system-instance-types"],
            prices_with("m6i.4xlarge", "us-west-2", 0.768),
            {("system-instance-types", "instance_types", "m6i.4xlarge", 4, "us-west-2"): 0.768},
            id="a-price-that-was-unknown",
        ),
        pytest.param(
            ["storage-prices"],
            storage_with("AmazonFSx", "eu-west-1", {"EUW1-Storage.SSD.125": 0.16, "EUW1-Storage.SSD.200": 0.32, "EUW1-Storage": 0.15}),
            {
                ("storage-prices", "prices", "fsx_persistent_2_125_gib_month", "usd", "eu-west-1"): 0.16,
                ("storage-prices", "prices", "fsx_scratch_2_gib_month", "usd", "eu-west-1"): 0.15,
            },
            id="storage-in-a-region-that-was-unknown",
        ),
        pytest.param(
            ["quotas"],
            quotas_with(L_12345678="Concurrent P7-R100 Capacity Blocks per account", L_87654321="Running Dedicated x1e Hosts"),
            {("quotas", "names", "L-12345678"): "Concurrent P7-R100 Capacity Blocks per account"},
            id="a-quota-of-a-new-family-and-another",
        ),
        pytest.param(
            ["kubernetes-versions"],
            versions_with({"clusterVersion": "1.38", "endOfStandardSupportDate": "2028-03-01T00:00:00Z"}),
            {
                ("kubernetes-versions", "versions", "1.38"): {
                    "end_of_standard_support": "2028-03-01",
                    "end_of_extended_support": None,
                }
            },
            id="a-kubernetes-version",
        ),
        pytest.param(
            ["addon-versions"],
            {
                "describe_addon_versions": lambda parameters: {
                    "addons": [
                        {
                            "addonName": parameters["addonName"],
                            "addonVersions": [
                                {"addonVersion": "v9", "compatibilities": [{"clusterVersion": "1.36", "defaultVersion": True}]}
                            ],
                        }
                    ]
                }
            },
            {("addon-versions", "versions", name): [["v9", ["1.36"], ["1.36"]]] for name in data.load("addon-versions")["versions"]},
            id="builds",
        ),
        pytest.param(
            ["unserved-accelerators"],
            prices_with("f2.6xlarge", "us-east-1", 2.5),
            {("unserved-accelerators", "families", r"f2(?:\..*|-(?:\d*xlarge|metal))?", "types", "f2.6xlarge", 1): 2.5},
            id="price-of-what-is-not-served",
        ),
        pytest.param(
            ["amp-regions"],
            {"get_parameters_by_path": {"Parameters": [parameter(f"{PATH}/us-west-2", "us-west-2"), parameter(f"{PATH}/cn-north-1", "cn-north-1")]}},
            {("amp-regions", "regions"): ["cn-north-1", "eusc-de-east-1", "us-iso-east-1", "us-iso-west-1", "us-west-2"]},
            id="regions-of-prometheus",
        ),
        pytest.param(
            ["ami"],
            {"get_parameters": images_of(["AL2023_x86_64_NVIDIA", "BOTTLEROCKET_ARM_64_NVIDIA"])},
            {("ami", "types"): ["AL2023_x86_64_NVIDIA", "BOTTLEROCKET_ARM_64_NVIDIA", "CUSTOM"]},
            id="images-that-are-published-no-more",
        ),
    ],
)  # fmt: skip
def test_another_answer_changes_exactly_that(names, changed, expected):
    found, _ = asked(names, **changed)

    assert changes(found) == expected


def test_another_price_of_a_service_changes_that_one():
    def dearer(parameters):
        return {"PriceList": [product({"usagetype": "EU-NatGateway-Hours", "regionCode": "us-east-1"}, 0.05)]}

    found, asker = asked(["prices"], get_products=dearer)

    assert changes(found) == {
        ("prices", "prices", "nat_gateway_hour", "usd", region): 0.05
        for region in ("us-east-1", "us-east-2", "us-west-2")
    }
    assert found["prices"].merged.document["prices"]["nat_gateway_hour"]["source"]["us-east-2"] == (
        "AWS price list AmazonEC2, 2027-01-15"
    )
    assert len(asker.untold) == 7 * 3, "what the price list does not have stays as it is, and is named"


NEW = "p7-r100.48xlarge"


def with_new_type(gpu="R100", manufacturer="NVIDIA"):
    """AWS that has a type more, of a new family: like the newest of moto's dump, with another GPU."""
    like = described()["p6-b300.48xlarge"]
    gpus = [{**like["GpuInfo"]["Gpus"][0], "Name": gpu, "Manufacturer": manufacturer}]
    kind = {**like, "InstanceType": NEW, "GpuInfo": {**like["GpuInfo"], "Gpus": gpus}}

    def describe(parameters):
        known = {**described(), NEW: kind}
        return {"InstanceTypes": [known[name] for name in parameters["InstanceTypes"]]}

    def offer(parameters):
        zones = parameters["LocationType"] == "availability-zone-id"
        here = parameters["region"] == "us-west-2"
        return [{"InstanceType": NEW, "Location": "usw2-az2" if zones else "us-west-2"}] if here else []

    return {"describe_instance_types": describe, "describe_instance_type_offerings": offer}


def test_a_type_that_the_table_lacks_becomes_a_row():
    found, _ = asked(["instance-types"], **with_new_type())

    merged = found["instance-types"].merged
    row = merged.document["instance_types"][-1]
    assert (merged.changes[0].path, merged.changes[0].before) == (("instance_types", NEW), ABSENT)
    assert {change.path[:2] for change in merged.changes} == {("instance_types", NEW)}
    assert row["accelerator"]["name"] == "R100"
    assert row["offered_regions_unpriced"] == ["us-west-2"]
    assert row["offered_az_ids_us"] == {"us-west-2": ["usw2-az2"]}
    assert row["on_demand_usd_per_hour"] == {"us-east-1": None, "us-east-2": None, "us-west-2": None}
    assert row["quota"]["on_demand_code"] == "L-417A185B"
    assert row["quota"]["spot_code"] is None
    assert row["source"] == "EC2 DescribeInstanceTypes in us-west-2, 2027-01-15"
    assert set(row) == set(merged.document["instance_types"][0])


def test_a_type_with_other_accelerators_stays_out():
    found, _ = asked(["instance-types"], **with_new_type("MI400X", "AMD"))

    assert changes(found) == {}


def test_every_value_has_its_source_and_date():
    found, _ = asked(["instance-types"], **changed_type("p5.48xlarge", MemoryInfo={"SizeInMiB": 1}))

    document = found["instance-types"].merged.document
    assert document["answered"] == {
        'instance_types["p5.48xlarge"].memory_mib': "EC2 DescribeInstanceTypes in us-east-1, 2027-01-15"
    }


@pytest.mark.parametrize(
    ("operation", "lost"),
    [
        pytest.param("describe_instance_types", "ec2:DescribeInstanceTypes", id="types"),
        pytest.param("get_products", "pricing:GetProducts", id="prices"),
        pytest.param("describe_regions", "ec2:DescribeRegions", id="regions"),
        pytest.param("list_aws_default_service_quotas", "servicequotas:ListAWSDefaultServiceQuotas", id="quotas"),
        pytest.param("describe_cluster_versions", "eks:DescribeClusterVersions", id="kubernetes"),
        pytest.param("describe_addon_versions", "eks:DescribeAddonVersions", id="addons"),
    ],
)
def test_what_aws_does_not_answer_stays_as_it_is(operation, lost):
    found, asker = asked(**{operation: refusal("AccessDenied", status=403)})

    assert changes(found) == {}
    assert {line.partition(" ")[0].rstrip(":") for line in asker.unanswered} == {lost}


@pytest.mark.parametrize("name", ["amp-regions", "ami"])
def test_a_region_without_public_parameters_changes_nothing(name):
    nothing = {"Parameters": []}

    found, asker = asked([name], get_parameters=nothing, get_parameters_by_path=nothing)

    assert changes(found) == {}
    assert len(asker.untold) == 1
