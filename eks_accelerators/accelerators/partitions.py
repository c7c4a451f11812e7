"""Partitions of AWS: groups of regions with ARNs, accounts and names of their own.

Source: botocore 1.44.5, to which a test holds it.
"""

_BY_PREFIX = {
    "cn-": "aws-cn",
    "us-gov-": "aws-us-gov",
    "us-iso-": "aws-iso",
    "us-isob-": "aws-iso-b",
    "eu-isoe-": "aws-iso-e",
    "us-isof-": "aws-iso-f",
    "eusc-": "aws-eusc",
}


def partition_of(region: str) -> str:
    """The partition of a region, by its name: `aws-cn`, `aws-us-gov` ..., and `aws` for all others."""
    return next((name for prefix, name in _BY_PREFIX.items() if region.startswith(prefix)), "aws")
