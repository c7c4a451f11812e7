"""Releases of the charts that scale nodes, and what of their objects two renderings are held by: nearly all."""

import json
from typing import Any

import yaml

from eks_accelerators import components
from eks_accelerators.simulator.kubernetes.roles import ROLE_LABEL
from tests.components.examples import deployed

READ_BY_PROMETHEUS = {"service_monitor": True, "service_monitor_labels": {"release": "prometheus"}}


def _release(component: Any, index: int, changes: Any = None) -> Any:
    return lambda: deployed(component, changes).of("Release")[index].inputs


CASES = {
    "cluster autoscaler": _release(components.ClusterAutoscaler, 0),
    "cluster autoscaler, read": _release(components.ClusterAutoscaler, 0, READ_BY_PROMETHEUS),
    "kinds of karpenter": _release(components.Karpenter, 0),
    "karpenter": _release(components.Karpenter, 1),
    "karpenter, read": _release(components.Karpenter, 1, READ_BY_PROMETHEUS),
}
"""Each with its chart, version, namespace and values, as the components give them."""

_DEFINITION = "CustomResourceDefinition"
_LEFT_OUT = ("livenessProbe", "readinessProbe", "automountServiceAccountToken", ROLE_LABEL)


def told(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Every object by kind and name, without probes and what is empty; of a definition only that it is there."""
    return {
        f"{each['kind']} {each['metadata']['name']}": "there" if each["kind"] == _DEFINITION else _plain(each)
        for each in objects
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _plain(each) for key, each in value.items() if key not in _LEFT_OUT}
        return {key: each for key, each in kept.items() if each not in (None, {}, [])}
    if isinstance(value, list):
        return sorted((_plain(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    if isinstance(value, str) and "\n" in value:
        return json.loads(json.dumps(yaml.safe_load(value)))  # keys are texts, as in what is recorded
    return value
