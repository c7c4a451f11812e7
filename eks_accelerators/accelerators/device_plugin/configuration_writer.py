"""The device plugin's configuration for one kind of sharing.

Source: NVIDIA k8s-device-plugin v0.20.0 (`api/config/v1`), read 2026-11-20.
"""

import hashlib
from typing import Any

from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.sharing import NVIDIA_GPU, Sharing


def config_key(sharing: Sharing) -> str:
    """The key of a sharing's configuration in the ConfigMap: a valid file name and label value.

    Groups that share alike have the same key.
    """
    if sharing.strategy == "exclusive":
        return "exclusive"
    parts = []
    if sharing.mig:
        parts += ["mig", sharing.mig.strategy]
        if sharing.replicas == 1:
            return "-".join(parts)
        if sharing.mig.strategy == "mixed":
            # The configuration names the profiles, and a label value has no room for them.
            parts.append(hashlib.sha256(",".join(sharing.mig.profiles).encode()).hexdigest()[:8])
    parts += ["mps" if sharing.strategy == "mps" else "time-slicing", str(sharing.replicas)]
    if sharing.renamed:
        parts.append("renamed")
    if not sharing.fail_requests_greater_than_one:
        parts.append("lenient")
    if sharing.allocation_policy:
        parts.append(sharing.allocation_policy)
    return "-".join(parts)


def configuration(sharing: Sharing) -> dict[str, Any]:
    """The plugin's configuration for nodes that share their GPUs so."""
    strategy = sharing.mig.strategy if sharing.mig else "none"
    config: dict[str, Any] = {"version": "v1", "flags": {"migStrategy": strategy}}
    if sharing.allocation_policy:
        config["flags"]["plugin"] = {"sharedDevicesAllocationPolicy": sharing.allocation_policy}
    if sharing.strategy in ("timeSlicing", "mps") or sharing.replicas > 1:
        config["sharing"] = {
            "mps" if sharing.strategy == "mps" else "timeSlicing": {
                "renameByDefault": sharing.renamed,
                "failRequestsGreaterThanOne": sharing.fail_requests_greater_than_one,
                "resources": [{"name": name, "replicas": sharing.replicas} for name in _shared_resources(sharing)],
            }
        }
    return config


def _shared_resources(sharing: Sharing) -> list[str]:
    """Under `mixed` the instances are shared and GPUs that stayed whole are not."""
    if sharing.mig and sharing.mig.strategy == "mixed":
        return [mig.resource_of(profile) for profile in sharing.mig.profiles]
    return [NVIDIA_GPU]
