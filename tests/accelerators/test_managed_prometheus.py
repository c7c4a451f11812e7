"""Where Amazon Managed Service for Prometheus is offered, as botocore has it."""

import boto3

from eks_accelerators.accelerators.managed_prometheus import regions


def test_regions_are_those_of_botocore():
    session = boto3.session.Session()
    offered = {
        region
        for partition in session.get_available_partitions()
        for region in session.get_available_regions("amp", partition_name=partition)
    }

    assert regions() == offered
