"""What Auto Scaling groups write down of what they did, with which autoscalers see that a launch has failed."""

import hashlib
from datetime import timedelta

from eks_accelerators.simulator.aws.model import ScalingActivity, ScalingGroup, State

_KEPT = 100
"""As many as one answer has."""
_AGAIN = timedelta(minutes=1)
"""A launch that fails for the same reason is written down again after so long. Assumed: AWS does not say how often it tries."""
_BEGINS = timedelta(seconds=1)
"""From the call that wants it to the beginning of an activity: a group works on its own, and clocks here show whole seconds."""


def launched(state: State, group: ScalingGroup, instance_id: str) -> None:
    """Write down that an instance was launched."""
    _add(state, group, f"Launching a new EC2 instance: {instance_id}")


def failed(state: State, group: ScalingGroup, failure: str, *, is_new: bool) -> None:
    """Write down that no instance was to be had; the same again only now and then, unless it ``is_new``."""
    last = group.activities[-1] if group.activities else None
    if is_new or last is None or not last.failure or state.now >= last.start + _AGAIN:
        _add(state, group, "Launching a new EC2 instance.", failure)


def terminated(state: State, group: ScalingGroup, instance_id: str) -> ScalingActivity:
    """Write down that an instance was terminated."""
    return _add(state, group, f"Terminating EC2 instance: {instance_id}")


def _add(state: State, group: ScalingGroup, description: str, failure: str | None = None) -> ScalingActivity:
    start = state.now + _BEGINS
    number = len(group.activities)
    text = f"{group.name}/{start.isoformat()}/{description}/{number}"
    activity = ScalingActivity(
        id=hashlib.sha256(text.encode()).hexdigest()[:32],
        start=start,
        description=description,
        cause=f"At {state.now:%Y-%m-%dT%H:%M:%SZ} the desired capacity was {group.desired}.",
        failure=failure,
    )
    group.activities = [*group.activities, activity][-_KEPT:]
    return activity
