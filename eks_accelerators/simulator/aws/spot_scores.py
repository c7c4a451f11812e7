"""How likely Spot capacity is: as likely as can be, unless the account file says that there is none."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API GetSpotPlacementScores (botocore 1.44.5)."))

_BEST, _WORST = 9, 1


@operation("ec2", "get_spot_placement_scores")
def get_spot_placement_scores(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A score for the account's region: the lowest where it is out of a type, else the highest."""
    lacking = {kind for kind, zone in account.state.without_capacity if zone is None}
    score = _WORST if lacking & set(parameters["InstanceTypes"]) else _BEST
    return {"SpotPlacementScores": [{"Region": account.state.region, "Score": score}]}
