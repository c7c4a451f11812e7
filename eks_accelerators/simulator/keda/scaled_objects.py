"""ScaledObjects as a KEDA gets them that goes by the wall clock: the one place where they are compressed.

KEDA and the HPA controller take whole seconds. So nothing is shorter than one wall second, which is the pace's factor in
simulated seconds, and what is not a multiple of it is rounded. A stack's ScaledObject also names a Prometheus of the
cluster, by a name that only the cluster's DNS knows: the copy for KEDA names the one that runs beside the cluster.

Sources: KEDA 2.20, "ScaledObject specification" and "Prometheus" scaler; Kubernetes API, HorizontalPodAutoscaler
`autoscaling/v2`, whose defaults stand here; read 2026-11-22.
"""

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eks_accelerators.simulator.keda.office_hours import as_prometheus_trigger
from eks_accelerators.simulator.kubernetes.api import Api, Object
from eks_accelerators.simulator.kubernetes.finalizers import let_go
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.compression import expression

API_VERSION, KIND = "keda.sh/v1alpha1", "ScaledObject"

_HELD = ((API_VERSION, KIND), (API_VERSION, "TriggerAuthentication"))
"""Kinds whose objects KEDA holds for as long as it runs."""

ORIGINAL = "eks-accelerators/at-the-pace-of-life"
"""The annotation that keeps the spec which a stack has written."""

_DEFAULTS = {"pollingInterval": 30, "cooldownPeriod": 300, "initialCooldownPeriod": 0}
_DEFAULT_POLICIES = {
    "scaleUp": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
    "scaleDown": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}
_OF_A_REMOTE_PROMETHEUS = ("authModes", "awsRegion", "customHeaders", "unsafeSsl")
"""How a stack proves to its Prometheus who it is: the one beside the cluster asks for nothing."""


def compressed(scaled_object: Object, clock: PacedClock, prometheus_url: str) -> Object:
    """A copy at the pace of the clock, whose Prometheus triggers ask the server at ``prometheus_url``.

    So do `cron` triggers, by the simulated clock. Triggers of other kinds stay as they are.
    """
    made = copy.deepcopy(scaled_object)
    spec = made["spec"]
    for name, default in _DEFAULTS.items():
        spec[name] = clock.pace.whole_wall_seconds(spec.get(name, default))
    behavior = spec.get("advanced", {}).get("horizontalPodAutoscalerConfig", {}).get("behavior")
    if behavior is not None:
        for direction, policies in _DEFAULT_POLICIES.items():
            _compress_direction(behavior.setdefault(direction, {}), policies, clock.pace)
    spec["triggers"] = [_compress_trigger(trigger, clock, prometheus_url) for trigger in spec["triggers"]]
    return made


@contextmanager
def at_pace(api: Api, clock: PacedClock, prometheus_url: str) -> Iterator[list[Object]]:
    """Every ScaledObject of a cluster, at the pace of the clock for the time of a `with` block, then as it was before.

    Gives the ScaledObjects as they were written.
    """
    originals = [_as_written(found) for found in api.list(API_VERSION, KIND)]
    for original in originals:
        _write(api, original, compressed(original, clock, prometheus_url)["spec"], json.dumps(original["spec"]))
    try:
        yield originals
    finally:
        for original in originals:
            _write(api, original, original["spec"], None)
        let_go(api, _HELD, of=("finalizer.keda.sh",))


def _write(api: Api, written: Object, spec: Object, kept: str | None) -> None:
    """Give a ScaledObject this spec, if it is there still."""
    name, namespace = written["metadata"]["name"], written["metadata"]["namespace"]
    now = api.get(API_VERSION, KIND, name, namespace)
    if now is not None:
        patch = {"metadata": {"annotations": {ORIGINAL: kept}}, "spec": _merge_patch(now["spec"], spec)}
        api.patch(API_VERSION, KIND, name, namespace, patch)


def _merge_patch(before: Object, after: Object) -> Object:
    """What makes one of the other; a key that goes is None."""
    patch: Object = {key: None for key in before if key not in after}
    for key, value in after.items():
        nested = isinstance(value, dict) and isinstance(before.get(key), dict)
        patch[key] = _merge_patch(before[key], value) if nested else value
    return patch


def _as_written(found: Object) -> Object:
    """A ScaledObject as its stack has it: also one that a run which was killed has left compressed."""
    original = found["metadata"].get("annotations", {}).get(ORIGINAL)
    return {**found, "spec": json.loads(original)} if original else found


def _compress_direction(direction: dict[str, Any], policies: list[Object], pace: Pace) -> None:
    """Without a time to stabilise the controller's own counts, which is compressed where that is started."""
    if "stabilizationWindowSeconds" in direction:
        direction["stabilizationWindowSeconds"] = pace.whole_wall_seconds(direction["stabilizationWindowSeconds"])
    if direction.get("selectPolicy") == "Disabled":
        return
    direction["policies"] = [
        {**policy, "periodSeconds": pace.whole_wall_seconds(policy["periodSeconds"])}
        for policy in direction.get("policies") or policies
    ]


def _compress_trigger(trigger: Object, clock: PacedClock, prometheus_url: str) -> Object:
    if trigger["type"] == "cron":
        trigger = as_prometheus_trigger(trigger, clock.simulated_begin, prometheus_url)
    if trigger["type"] != "prometheus":
        return trigger
    kept = {name: value for name, value in trigger["metadata"].items() if name not in _OF_A_REMOTE_PROMETHEUS}
    asked = {**kept, "serverAddress": prometheus_url, "query": expression(kept["query"], clock)}
    return {**{name: value for name, value in trigger.items() if name != "authenticationRef"}, "metadata": asked}
