"""Where types are offered, against those who ask AWS: cfn-lint has the price list of each region, moto has offerings.

A newer release of either that knows more fails here: run `tools/refresh_facts.py instance-types`, or write what it says into
`data/instance-types.json`. What AWS itself has answered since goes before both.
"""

import gzip
import json
import re
from pathlib import Path

import botocore.session
import moto.ec2
import pytest

from eks_accelerators.accelerators import data, instance_types
from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.capacity.facts.fact_values import answered
from tests import authorities

TABLE = data.load("instance-types")
ROWS = {row["instance_type"]: row for row in TABLE["instance_types"]}
PRICED = authorities.instance_types_by_region()

NEVER_PRICED = {
    "p6e-gb200.36xlarge": "sold as an UltraServer in Capacity Blocks, in a Local Zone",
    "trn2.3xlarge": "sold in Capacity Blocks",
    "trn2u.48xlarge": "sold as an UltraServer in Capacity Blocks",
}
OTHER_FAMILIES = {
    "g2 g3 g3s p2 p3 p3dn": "GPUs before Turing",
    "g4ad": "AMD GPUs",
    "g5g": "a T4G beside Graviton2",
    "dl1 dl2q": "Gaudi, Qualcomm AI 100",
    "f1 f2 vt1": "FPGAs and video cards",
    "inf1": "the first Inferentia",
}
"""Families that the package does not know, with what they have."""


def offerings():
    """Regions of each type in moto's snapshot of DescribeInstanceTypeOfferings."""
    found = {}
    for file in (Path(moto.ec2.__path__[0]) / "resources" / "instance_type_offerings" / "region").glob("*.json.gz"):
        for offer in json.loads(gzip.decompress(file.read_bytes())):
            found.setdefault(offer["InstanceType"], set()).add(offer["Location"])
    return found


OFFERED = offerings()


def of_the_dumps(column):
    """The types whose column AWS itself has not answered since."""
    return [name for name in ROWS if answered(TABLE, ("instance_types", name, column)) is None]


@pytest.mark.parametrize("name", of_the_dumps("offered_regions"))
def test_a_type_is_where_the_price_list_has_it(name):
    assert ROWS[name]["offered_regions"] == sorted(region for region, types in PRICED.items() if name in types)


@pytest.mark.parametrize("name", of_the_dumps("offered_regions_unpriced"))
def test_a_type_is_where_it_was_offered_without_a_price(name):
    row = ROWS[name]

    assert row["offered_regions_unpriced"] == sorted(OFFERED.get(name, set()) - set(row["offered_regions"]))
    assert instance_types.get(name).offered_regions == tuple(
        sorted([*row["offered_regions"], *row["offered_regions_unpriced"]])
    )


def test_what_has_no_price_anywhere_has_a_reason():
    assert {name for name, row in ROWS.items() if not row["offered_regions"]} == set(NEVER_PRICED)


def test_every_accelerated_type_on_the_price_list_is_here_or_has_a_reason():
    accelerated = re.compile(r"(p\d|g\d|gr\d|inf|trn|dl|vt|f\d)")
    others = {family for families in OTHER_FAMILIES for family in families.split()}
    listed = {name for types in PRICED.values() for name in types if accelerated.match(name)}

    assert {name for name in listed - set(ROWS) if name.partition(".")[0] not in others} == set()
    assert {name.partition(".")[0] for name in listed} >= others


def test_every_region_is_one_of_aws():
    session = botocore.session.get_session()
    known = {
        (region, partition)
        for partition in session.get_available_partitions()
        for region in session.get_available_regions("ec2", partition)
    }

    assert {(region, partition_of(region)) for region in instance_types.regions()} <= known


@pytest.mark.parametrize(
    ("region", "names"),
    [
        pytest.param("us-gov-west-1", {"g6.xlarge", "p5.48xlarge", "p6-b200.48xlarge"}, id="gov-cloud"),
        pytest.param("us-gov-east-1", {"g6.xlarge", "p6-b300.48xlarge"}, id="gov-cloud-east"),
        pytest.param("cn-northwest-1", {"g5.xlarge", "p4d.24xlarge"}, id="china"),
        pytest.param("ap-southeast-5", {"g7e.2xlarge"}, id="opened-in-2026"),
    ],
)
def test_regions_that_offer_a_type(region, names):
    assert {kind.name for kind in instance_types.every() if region in kind.offered_regions} >= names
