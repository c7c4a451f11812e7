"""How Pulumi marks, in its wire format, what JSON cannot say: the SDK's own words, which it keeps to itself."""

from pulumi.runtime import rpc

UNKNOWN: str = rpc.UNKNOWN
"""Stands for a value that is not known before the deployment."""

SIGNATURE: str = rpc._special_sig_key
"""The key that says of an object that it is something else."""

SECRET: str = rpc._special_secret_sig
"""Under `SIGNATURE`: the secret that is under `value`."""

RESOURCE: str = rpc._special_resource_sig
"""Under `SIGNATURE`: the resource whose `urn` and `id` are there."""
