"""Placement groups."""

from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.aws.ec2_kind import Ec2Kind
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, is_gone
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=("pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21."),
)


class PlacementGroupKind(Ec2Kind):
    """`aws.ec2.PlacementGroup`, whose ID is its name."""

    token = "aws:ec2/placementGroup:PlacementGroup"
    properties = frozenset({"name", "strategy", "tags"})
    name_property = "name"
    singular = "placement-group"
    calls = tags.CALLS | frozenset(
        {"ec2.create_placement_group", "ec2.delete_placement_group", "ec2.describe_placement_groups"}
    )
    facts = ResourceFacts(
        called="node group",
        replacing=("name", "partitionCount", "strategy"),
        durations=ONE_CALL | {"create": UsualTime(2, "estimate-aws-call"), "delete": UsualTime(2, "estimate-aws-call")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            "create_placement_group",
            GroupName=inputs["name"],
            Strategy=inputs["strategy"],
            **tags.specification(self.singular, inputs.get("tags")),
        )["PlacementGroup"]
        return Created(inputs["name"], {"placementGroupId": made["GroupId"], "arn": self.arn(aws, inputs["name"])})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        try:
            found = aws.call("ec2", "describe_placement_groups", GroupNames=[identifier])["PlacementGroups"][0]
        except AwsError as error:
            if is_gone(error):
                return None
            raise
        return {"strategy": found["Strategy"], "tags": tags.mapping(found["Tags"])}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        found = aws.call("ec2", "describe_placement_groups", GroupNames=[identifier])["PlacementGroups"][0]
        return super().update(aws, found["GroupId"], old, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_placement_group", GroupName=identifier)


KINDS: tuple[Kind, ...] = (PlacementGroupKind(),)
