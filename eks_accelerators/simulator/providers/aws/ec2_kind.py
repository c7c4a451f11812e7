"""What EC2 resources with tags have in common."""

from typing import Any

from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Kind


class Ec2Kind(Kind):
    """A resource of EC2 whose tags change in place."""

    changeable = frozenset({"tags"})
    singular: str
    """Name in ARNs and tag specifications, such as `subnet`."""

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def arn(self, aws: Calls, identifier: str) -> str:
        """ARN of the resource."""
        return f"arn:aws:ec2:{aws.region}:{ACCOUNT_ID}:{self.singular}/{identifier}"
