"""How likely EC2 gives Spot capacity."""

from collections.abc import Iterator

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, unknown, warning
from eks_accelerators.settings.model.node_groups import CapacityType

_LIKELY = 5
"""Of 10. What is likely enough is a choice of ours."""


class Score(PascalCase):
    """How likely a request is served, from 1 to 10."""

    score: int


def _scores(region: str, kind: str, capacity: int) -> Call[list[Score]]:
    parameters = {"InstanceTypes": [kind], "TargetCapacity": capacity, "RegionNames": [region]}
    return Call("ec2", "get_spot_placement_scores", region, "SpotPlacementScores", list[Score], parameters)


@check("spot-placement-score", "nodeGroups")
def spot_placement_score(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """EC2 thinks it likely that all Spot groups of a type together get their largest size in the region.

    A recommendation of the moment and no promise. Source: EC2 GetSpotPlacementScores.
    """
    by_type = inquiry.groups_by_type(CapacityType.SPOT)
    sizes = {kind: sum(group.settings.size.max for group in groups) for kind, groups in by_type.items()}
    answers = inquiry.aws.ask_all(_scores(inquiry.region, kind, size) for kind, size in sizes.items())
    for (kind, groups), answer in zip(by_type.items(), answers, strict=True):
        path = f"nodeGroups.{groups[0].name}.capacityType"
        if answer.failure:
            yield unknown(path, answer)
            continue
        best = max((each.score for each in answer.value), default=0)
        text = f"{sizes[kind]} x {kind} as Spot in {inquiry.region}: score {best} of 10"
        if best >= _LIKELY:
            yield ok(path, text, answer)
        else:
            yield warning(path, text, "be ready to wait, or use onDemand", answer)
