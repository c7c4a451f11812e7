"""Partitions against botocore, which every request of AWS's own tools is sent by."""

import botocore.session
import pytest

from eks_accelerators.accelerators.partitions import partition_of

SESSION = botocore.session.get_session()
REGIONS = [
    (region, partition)
    for partition in SESSION.get_available_partitions()
    for region in SESSION.get_available_regions("ec2", partition)
]


@pytest.mark.parametrize(("region", "partition"), REGIONS, ids=[region for region, _ in REGIONS])
def test_a_region_is_of_its_partition(region, partition):
    assert partition_of(region) == partition


def test_botocore_knows_every_partition_that_is_told_apart():
    assert {"aws", "aws-cn", "aws-us-gov"} <= {partition for _, partition in REGIONS}
