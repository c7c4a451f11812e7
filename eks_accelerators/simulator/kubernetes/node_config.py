"""The `NodeConfig` in the user data of an Amazon Linux 2023 node: what its kubelet registers it with.

Source: awslabs/amazon-eks-ami `nodeadm/api/v1alpha1` and `nodeadm/doc/examples.md`; read 2026-11-22.
"""

import email
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_CONTENT_TYPE = "application/node.eks.aws"
_LABELS = "--node-labels="


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """The cluster that a node joins, its first labels and taints, and whether it puts its local disks together."""

    cluster: str
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    raid0: bool


def of_user_data(text: str) -> NodeConfig | None:
    """What the parts of MIME user data say together, a later one over an earlier one; None where none is there."""
    specs = [part["spec"] for part in _parts(text)]
    named = [spec["cluster"]["name"] for spec in specs if "name" in spec.get("cluster", {})]
    if not named:
        return None
    kubelets = [spec.get("kubelet", {}) for spec in specs]
    flags = [flag for kubelet in kubelets for flag in kubelet.get("flags", [])]
    taints = [taint for kubelet in kubelets for taint in kubelet.get("config", {}).get("registerWithTaints") or []]
    disks = [spec.get("instance", {}).get("localStorage", {}).get("strategy") for spec in specs]
    return NodeConfig(named[-1], _labels(flags), tuple(taints), "RAID0" in disks)


def _parts(text: str) -> Iterator[dict[str, Any]]:
    for part in email.message_from_string(text).walk():
        if part.get_content_type() == _CONTENT_TYPE:
            found = yaml.safe_load(str(part.get_payload()))
            if isinstance(found, dict) and "spec" in found:
                yield found


def _labels(flags: list[str]) -> dict[str, str]:
    words = [word.removeprefix(_LABELS) for flag in flags for word in shlex.split(flag) if word.startswith(_LABELS)]
    pairs = [pair.partition("=") for word in words for pair in word.split(",")]
    return {key: value for key, _, value in pairs}
