"""Who tolerates what: tolerations derived from the groups, or written by the user and judged."""

from collections.abc import Iterable, Sequence

from eks_accelerators.accelerators.scheduling import Taint, tolerates
from eks_accelerators.settings.model.node_groups import TolerationSettings
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

Toleration = dict[str, str]


def as_kubernetes(toleration: TolerationSettings) -> Toleration:
    """The toleration in Kubernetes' own shape, without empty keys."""
    shape = {
        "key": toleration.key or "",
        "operator": toleration.operator.value,
        "value": toleration.value,
        "effect": toleration.effect.value if toleration.effect else "",
    }
    return {key: value for key, value in shape.items() if value}


def for_groups(
    groups: Iterable[ResolvedNodeGroup], own: Sequence[TolerationSettings] | None = None
) -> tuple[Toleration, ...]:
    """The tolerations of a pod that runs on all of ``groups``: the user's own, or one for each taint."""
    if own is not None:
        return tuple(as_kubernetes(toleration) for toleration in own)
    taints = dict.fromkeys(taint for group in groups for taint in group.taints)
    return tuple(taint.toleration for taint in taints)


def untolerated(tolerations: Iterable[Toleration], taints: Iterable[Taint]) -> tuple[Taint, ...]:
    """Those of ``taints`` that keep a pod with ``tolerations`` away."""
    listed = tuple(tolerations)
    return tuple(
        taint
        for taint in taints
        if taint.effect != "PreferNoSchedule" and not any(tolerates(toleration, taint) for toleration in listed)
    )
