"""Names under which a VPC endpoint finds AWS's services.

Source: `data/endpoint-services.json`.
"""

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.partitions import partition_of

_PREFIX = "com.amazonaws"


def gateway_service(region: str, service: str) -> str:
    """The name of a service with a gateway endpoint, `s3` or `dynamodb`: alike in every partition."""
    return f"{_PREFIX}.{region}.{service}"


def interface_service(region: str, service: str) -> str:
    """The name of a service with an interface endpoint, such as `ecr.api`: some have another prefix outside of `aws`."""
    partition = data.load("endpoint-services")["partitions"].get(partition_of(region))
    prefix = partition["prefix"] if partition and service in partition["services"] else _PREFIX
    return f"{prefix}.{region}.{service}"
