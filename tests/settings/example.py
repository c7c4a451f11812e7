"""A minimal valid configuration, and patches to it: `{"nodeGroups.gpu.size.max": 3}`."""

import copy
from collections.abc import Mapping
from typing import Any

from eks_accelerators.settings import parse
from eks_accelerators.settings.load import Checked
from eks_accelerators.settings.paths import split
from tests.conftest import NOW

REMOVED = object()
"""As the value in a patch: the key is not there."""

Patch = Mapping[str, Any]

BASE: dict[str, Any] = {
    "region": "us-east-2",
    "owner": "ml-platform",
    "budget": {"monthlyUsd": 1_000_000},
    "network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
    "nodeGroups": {"gpu": {"instanceType": "g6.2xlarge", "size": {"desired": 1, "max": 2}}},
    "workloads": {"vllm": {"qwen": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu"}}},
}
"""Keys as in a stack file, and `region`. It has no problem at all, not even a warning."""


def patched(patch: Patch) -> dict[str, Any]:
    """The base with every path of ``patch`` set; what is missing on the way is added."""
    values = copy.deepcopy(BASE)
    for path, value in patch.items():
        *parents, last = split(path)
        node: Any = values
        for part in parents:
            node = node[part] if isinstance(part, int) else node.setdefault(part, {})
        if value is REMOVED:
            node.pop(last, None)
        else:
            node[last] = copy.deepcopy(value)
    return values


def check(patch: Patch) -> Checked:
    """What comes of checking the patched base."""
    values = patched(patch)
    region = values.pop("region", None)
    return parse(values, region, now=NOW)


TAINT = {"key": "team", "value": "ml"}
NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}

RESERVED: Patch = {
    "nodeGroups.gpu.instanceType": "p5.48xlarge",
    "nodeGroups.gpu.size": {"max": 2},
    "nodeGroups.gpu.capacityBlock": "block",
    "capacityBlocks.block.reservationId": "cr-0123456789abcdef0",
    "workloads": {},
}
"""The node group on a Capacity Block that was bought."""

PURCHASED: Patch = {
    **{path: value for path, value in RESERVED.items() if path != "capacityBlocks.block.reservationId"},
    "capacityBlocks.block.purchase": {
        "offeringId": "cb-0123456789abcdef0",
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "durationHours": 48,
        "start": "2026-12-01T11:30:00Z",
        "maxUpfrontFeeUsd": 9000,
        "confirmation": ("Buy cb-0123456789abcdef0 for at most 9000 USD; I know it cannot be cancelled or refunded."),
    },
}
"""The node group on a Capacity Block that is to be bought."""

WITH_EFA: Patch = {
    "nodeGroups.gpu.instanceType": "p5.48xlarge",
    "nodeGroups.gpu.zones": ["us-east-2a"],
    "nodeGroups.gpu.efa.enabled": True,
}
"""The node group with every EFA device of its type."""

TRAINIUM: Patch = {"nodeGroups.gpu.instanceType": "trn1.32xlarge", "workloads": {}}
"""The node group with Neuron devices, and nothing that would need a GPU."""
