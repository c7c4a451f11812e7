"""Our own operations for code that asks AWS through boto3 itself, such as the guard of a purchase."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from moto.core.responses import ActionResult

from eks_accelerators.simulator.aws import service_models
from eks_accelerators.simulator.aws.clients import Answering
from eks_accelerators.simulator.aws.errors import AwsError

with service_models.read_once():
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.responses import EC2Response

_OPERATIONS = ("describe_capacity_reservations", "describe_capacity_block_offerings", "purchase_capacity_block")


@contextmanager
def capacity_block_calls(account: Answering) -> Iterator[None]:
    """Inside, boto3 reaches the account's Capacity Blocks too; moto has none."""

    def method(name: str) -> Any:
        def answer(self: EC2Response) -> ActionResult:
            try:
                return ActionResult(account.call("ec2", name, **_parameters(self)))
            except AwsError as error:
                raise EC2ClientError(error.code, error.message) from None

        return answer

    with mock.patch.multiple(EC2Response, create=True, **{name: method(name) for name in _OPERATIONS}):
        yield


def _parameters(response: EC2Response) -> dict[str, Any]:
    """The call's parameters, as botocore's model names them."""
    known = response._get_params()
    for name in ("InstanceCount", "CapacityDurationHours", "MaxResults"):
        if name in known:
            known[name] = int(known[name])
    for each in known.get("Filters", known.pop("Filter", []) if "Filter" in known else []):
        each["Values"] = each.pop("Value", each.get("Values", []))
    return {name: value for name, value in known.items() if name not in ("Action", "Version")}
