"""How the GPUs of an instance are divided by MIG: at boot by its user data, or later by the GPU Operator's mig-manager.

The script itself is not run: the layout file that it writes is taken as what the GPUs become. That it makes them so is
tested against a stand-in for `nvidia-smi` (`tests/components/node_groups/test_mig_script.py`). Bottlerocket's manager
divides every GPU into one profile as often as it fits (`eks_accelerators.accelerators.mig.bottlerocket`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import mig, yaml_limits
from eks_accelerators.accelerators.device_plugin import Node
from eks_accelerators.accelerators.gpu_operator import judge_mig_parted
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig import bottlerocket

_FILE = re.compile(r"^cat >/etc/eks-accelerators/mig-layout <<'(?P<end>[^']+)'\n(?P<text>.*?)^(?P=end)$", re.M | re.S)


def layout_file(user_data: str) -> str:
    """The layout file that the script in the user data writes; empty where it writes none."""
    found = _FILE.search(user_data)
    return found["text"] if found else ""


def gpus_of(kind: InstanceType, layout: str) -> Node:
    """The GPUs of an instance after boot: whole without a layout file.

    Raises ValueError for a file that is not for the GPUs of ``kind``: its kubelet does not start.
    """
    if not layout:
        return Node.of(kind)
    layouts: list[mig.Layout | None] = []
    for line in layout.splitlines():
        wanted = line.split()[1]
        layouts.append(
            None if wanted == "whole" else Counter(instance.partition(":")[0] for instance in wanted.split(","))
        )
    return Node.of(kind, layouts)


def gpus_by_manager(kind: InstanceType, file: str, name: str) -> Node:
    """The GPUs of an instance that mig-manager divides as the configuration ``name`` of ``file`` says.

    Raises ValueError where it does not: the file is wrong, has no such configuration, or the GPUs cannot be divided so.
    Then they stay as they are; here they are whole. Source: as of `eks_accelerators.accelerators.gpu_operator.mig_parted`.
    """
    problems, names = judge_mig_parted(file, strategy="mixed")
    if problems:
        raise ValueError(f"mig-parted refuses its file: {'; '.join(problem.message for problem in problems)}")
    if name not in names:
        raise ValueError(f"its file has no configuration {name!r}, but {', '.join(names)}")
    whole: mig.Layout | None = None
    layouts = [whole] * kind.accelerator.count
    for entry in yaml_limits.load(file)["mig-configs"][name]:
        if "device-filter" in entry:
            raise ValueError(f"the device-filter of {name} is not simulated")
        divided = {profile: count for profile, count in (entry.get("mig-devices") or {}).items() if count}
        if divided and (problem := next(iter(mig.judge(kind, divided).problems), None)):
            raise ValueError(problem.message)
        for index in range(len(layouts)) if entry["devices"] == "all" else entry["devices"]:
            if index >= len(layouts):
                raise ValueError(f"{name} has a GPU {index}, and the node has {len(layouts)}")
            layouts[index] = divided or whole
    return Node.of(kind, layouts)


def gpus_on_bottlerocket(kind: InstanceType, settings: Mapping[str, Any]) -> Node:
    """The same on Bottlerocket, of the table `settings.kubelet-device-plugins.nvidia`.

    Its manager leaves GPUs alone that have no MIG. Raises ValueError where it does not know the GPU, or where the
    settings refuse the profile: the node does not join.
    """
    if settings.get("device-partitioning-strategy", "none") != "mig" or not kind.mig_capable:
        return Node.of(kind)
    gpu = mig.gpu_of(kind)
    managed = bottlerocket.managed(gpu) if gpu else None
    if managed is None:
        raise ValueError(f"MIG is asked for, and its manager does not know {kind.accelerator.name}")
    profile = settings.get("mig", {}).get("profile", {}).get(managed.key, "1")
    if profile != "1" and not bottlerocket.takes_profile(profile):
        raise ValueError(f"its settings take no profile {profile}, and the node does not join")
    return Node.of(kind, [managed.made_of(profile)])
