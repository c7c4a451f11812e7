"""A stack's own NodePools in the hands of the real Karpenter, at the pace of a loop, and afterwards as they were.

Karpenter waits by the wall clock. What it keeps for its own end on objects (finalizers) goes with it: nobody would answer
whoever deletes them.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.definitions import install_definitions
from eks_accelerators.simulator.kubernetes.finalizers import let_go
from eks_accelerators.simulator.node_autoscalers.karpenter import NAME, paced_pool
from eks_accelerators.simulator.pace import Pace

NODE_POOL = ("karpenter.sh/v1", "NodePool")
ORIGINAL = "eks-accelerators/at-the-pace-of-life"
"""The annotation that keeps the spec which a stack has written."""

_HELD = (("karpenter.k8s.aws/v1", "EC2NodeClass"), NODE_POOL, ("karpenter.sh/v1", "NodeClaim"), ("v1", "Node"))
"""Kinds whose objects it holds until it has done its part; nodes last, as their NodeClaims hold them."""

_NOT_TOLD = ("INTERRUPTION_QUEUE",)
"""Nobody writes into it here: AWS takes no instance of Karpenter's away."""


def deployed_settings(api: Api) -> dict[str, str]:
    """The variables of the Karpenter that is deployed. Raises `SimulationError` where there is none."""
    for deployment in api.list("apps/v1", "Deployment", None, f"app.kubernetes.io/name={NAME}"):
        listed = [each for one in deployment["spec"]["template"]["spec"]["containers"] for each in one.get("env", [])]
        return {each["name"]: each["value"] for each in listed if "value" in each and each["name"] not in _NOT_TOLD}
    raise SimulationError("no Karpenter is deployed; run `accel simulate STACK up` first")


@contextmanager
def handed_over(api: Api, program: Path, pace: Pace) -> Iterator[None]:
    """Inside, the cluster has Karpenter's own definitions in place of those of a stand-in, and every NodePool is at ``pace``.

    Enter it before Karpenter starts, and leave it when it has ended.
    """
    install_definitions(api, program)
    originals = {pool["metadata"]["name"]: _as_written(pool) for pool in api.list(*NODE_POOL)}
    for name, spec in originals.items():
        _write(api, name, paced_pool({"spec": spec}, pace)["spec"], json.dumps(spec))
    try:
        yield
    finally:
        for name, spec in originals.items():
            if api.get(*NODE_POOL, name) is not None:
                _write(api, name, spec, None)
        let_go(api, _HELD, of=("karpenter.sh/", "karpenter.k8s.aws/"))


def _write(api: Api, name: str, spec: dict[str, Any], kept: str | None) -> None:
    """Durations alone differ, so nothing has to be taken away."""
    api.patch(*NODE_POOL, name, None, {"metadata": {"annotations": {ORIGINAL: kept}}, "spec": spec})


def _as_written(pool: dict[str, Any]) -> dict[str, Any]:
    """The spec as a stack has it: also of a pool that a run which was killed has left compressed."""
    original = pool["metadata"].get("annotations", {}).get(ORIGINAL)
    spec: dict[str, Any] = json.loads(original) if original else pool["spec"]
    return spec
