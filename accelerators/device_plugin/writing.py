"""The device plugin's configuration for one kind of sharing.

Source: NVIDIA k8s-device-plugin v0.20.0 (`api/config/v1`), read 2026-11-20.
"""

from typing import Any

from accelerators.sharing import NVIDIA_GPU, Sharing


def config_key(sharing: Sharing) -> str:
    """The key of a sharing's configuration in the ConfigMap: a valid file name and label value.

    Groups that share alike have the same key.
    """
    if sharing.strategy == "exclusive":
        return "exclusive"
    parts = ["mps" if sharing.strategy == "mps" else "time-slicing", str(sharing.replicas)]
    if sharing.renamed:
        parts.append("renamed")
    if not sharing.fail_requests_greater_than_one:
        parts.append("lenient")
    if sharing.allocation_policy:
        parts.append(sharing.allocation_policy)
    return "-".join(parts)


def configuration(sharing: Sharing) -> dict[str, Any]:
    """The plugin's configuration for nodes that share their GPUs so."""
    config: dict[str, Any] = {"version": "v1", "flags": {"migStrategy": "none"}}
    if sharing.allocation_policy:
        config["flags"]["plugin"] = {"sharedDevicesAllocationPolicy": sharing.allocation_policy}
    if sharing.strategy != "exclusive":
        config["sharing"] = {
            sharing.strategy: {
                "renameByDefault": sharing.renamed,
                "failRequestsGreaterThanOne": sharing.fail_requests_greater_than_one,
                "resources": [{"name": NVIDIA_GPU, "replicas": sharing.replicas}],
            }
        }
    return config
