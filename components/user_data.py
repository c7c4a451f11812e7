"""User data of nodes: pure text, no resources.

Without an image of one's own EKS merges a partial nodeadm NodeConfig with its own, so only what differs
is written. Sources: EKS user guide `launch-templates`, amazon-eks-ami `nodeadm/doc/examples.md`,
Bottlerocket settings `kubelet-device-plugins`; read 2026-11-20.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import ami, mig, neuron
from eks_accelerators.accelerators.mig import bottlerocket as bottlerocket_mig
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES_OF_EFA_ON_BOTTLEROCKET
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.components import mig_user_data
from eks_accelerators.components.parallel_pull import BOTTLEROCKET_SETTINGS, NODEADM_FEATURES
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model.node_groups import LocalNvme
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_BOUNDARY = "//"


def node_config(group: ResolvedNodeGroup, cluster: Mapping[str, str] | None = None) -> dict[str, Any] | None:
    """The nodeadm NodeConfig of an AL2023 node, or None where nothing differs from EKS's own.

    ``cluster`` (name, apiServerEndpoint, certificateAuthority, cidr) is needed with a custom image only:
    there EKS adds nothing.
    """
    spec: dict[str, Any] = {}
    if group.settings.local_nvme is LocalNvme.RAID0:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    if group.settings.image_pull.fast:
        spec["featureGates"] = NODEADM_FEATURES
    if cluster is not None:
        spec["cluster"] = dict(cluster)
        labels = ",".join(f"{key}={value}" for key, value in sorted(group.labels.items()))
        spec["kubelet"] = {"flags": [f"--node-labels={labels}", f"--register-with-taints={_taints(group)}"]}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec} if spec else None


def mime(config: Mapping[str, Any] | None, script: str | None = None) -> str:
    """A NodeConfig and a shell script as the MIME document that nodeadm and cloud-init read.

    JSON is YAML, and needs no writer of our own.
    """
    parts = []
    if config:
        parts.append(("application/node.eks.aws", json.dumps(config, indent=2)))
    if script:
        parts.append(('text/x-shellscript; charset="us-ascii"', script))
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for content_type, text in parts:
        lines += [f"--{_BOUNDARY}", f"Content-Type: {content_type}", "", text]
    return "\n".join([*lines, f"--{_BOUNDARY}--", ""])


def bottlerocket(group: ResolvedNodeGroup) -> str:
    """Bottlerocket settings as TOML; empty where nothing differs from EKS's own."""
    sections = []
    if ami.runs_nvidia_device_plugin(group.ami_type) and group.sharing != EXCLUSIVE:
        sections.append(_bottlerocket_plugin(group))
    if not group.type.has_nvidia_gpu:
        # Otherwise pods that are not root cannot open /dev/neuron*.
        sections.append("[settings.kubernetes]\ndevice-ownership-from-security-context = true\n")
    if group.has_efa:
        sections.append(f'[settings.kernel.sysctl]\n"vm.nr_hugepages" = "{HUGE_PAGES_OF_EFA_ON_BOTTLEROCKET}"\n')
    if group.settings.image_pull.fast:
        sections.append(BOTTLEROCKET_SETTINGS)
    return "\n".join(sections)


def logical_cores(group: ResolvedNodeGroup) -> str | None:
    """The script that says how many cores a logical NeuronCore has; None where that is the usual number.

    Source: aws-neuron/aws-neuron-sdk at 81ce03a, deploy/eks/prerequisites.rst; read 2026-11-22.
    """
    size = group.settings.logical_core_size
    if size is None or size == neuron.logical_core_size(group.type):
        return None
    folder = "/opt/aws/neuron"
    setting = f"{neuron.LOGICAL_CORE_VARIABLE}={size}"
    return f"#!/usr/bin/env bash\nset -euo pipefail\nmkdir -p {folder}\necho {setting} >{folder}/logical_nc_config\n"


def encoded(group: ResolvedNodeGroup, cluster: Mapping[str, str] | None = None) -> str | None:
    """The user data of a launch template, base64; None where the node needs none."""
    if ami.is_bottlerocket(group.ami_type):
        text = bottlerocket(group)
    else:
        config = node_config(group, cluster)
        partitioning = group.sharing.mig
        by_us = partitioning and group.served_by is GpuServer.DEVICE_PLUGIN  # else the GPU Operator divides them
        script = mig_user_data.script(group.type, partitioning) if partitioning and by_us else logical_cores(group)
        text = mime(config, script) if config or script else ""
    return base64.b64encode(text.encode()).decode() if text else None


def _bottlerocket_plugin(group: ResolvedNodeGroup) -> str:
    """How the GPUs are divided, and how what they become is shared: tables of one plugin."""
    sharing, strategies, tables = group.sharing, [], []
    if sharing.mig:
        strategies.append('device-partitioning-strategy = "mig"')
        tables += ["", *_bottlerocket_mig(group)]
    if sharing.replicas > 1:
        strategy = "mps" if sharing.strategy == "mps" else "time-slicing"
        strategies.append(f'device-sharing-strategy = "{strategy}"')
        tables += ["", *_bottlerocket_sharing(sharing, strategy)]
    return "\n".join(["[settings.kubelet-device-plugins.nvidia]", *strategies, *tables, ""])


def _bottlerocket_sharing(sharing: Sharing, strategy: str) -> list[str]:
    lines = [
        f"[settings.kubelet-device-plugins.nvidia.{strategy}]",
        f"replicas = {sharing.replicas}",
        f"rename-by-default = {str(sharing.renamed).lower()}",
    ]
    if strategy == "time-slicing":  # MPS has no such setting, and always refuses
        lines.append(f"fail-requests-greater-than-one = {str(sharing.fail_requests_greater_than_one).lower()}")
    return lines


def _bottlerocket_mig(group: ResolvedNodeGroup) -> list[str]:
    """Every GPU in instances of one profile; the rules let nothing else come here."""
    gpu, partitioning = mig.gpu_of(group.type), group.sharing.mig
    managed = bottlerocket_mig.managed(gpu) if gpu else None
    profile = partitioning.profiles[0] if partitioning else None
    key = managed.key if managed else None
    return ["[settings.kubelet-device-plugins.nvidia.mig.profile]", f'"{key}" = "{profile}"']


def _taints(group: ResolvedNodeGroup) -> str:
    return ",".join(str(taint) for taint in group.taints)
