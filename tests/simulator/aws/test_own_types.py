"""A type that neither the package nor moto has is where the user's own facts have it."""

from dataclasses import replace

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.simulator.aws.account import Account
from tests.conftest import NOW


@pytest.mark.parametrize(
    ("regions", "zone_ids", "expected"),
    [
        pytest.param(("us-east-2",), {"us-east-2": ("use2-az2",)}, 1, id="zones-known"),
        pytest.param(("us-east-2",), {}, 3, id="zones-unknown"),
        pytest.param(("us-west-2",), {}, 0, id="elsewhere"),
    ],
)
def test_a_new_type_is_offered_where_it_is_known_to_be(regions, zone_ids, expected, tmp_path):
    like = instance_types.get("p5.48xlarge")
    instance_types.know(
        [replace(like, name="p7.48xlarge", family="p7", offered_regions=regions, offered_zone_ids=zone_ids)]
    )

    with Account(tmp_path / "aws.jsonl", "us-east-2", NOW) as account:
        assert len(account.backend.offered_zones("p7.48xlarge")) == expected
        assert account.backend.offered_zones("p5.48xlarge")
