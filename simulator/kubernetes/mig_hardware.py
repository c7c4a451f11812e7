"""What an instance's user data makes of its GPUs at boot, where it divides them by MIG.

The script itself is not run: the layout file that it writes is taken as what the GPUs become. That it makes them so is
tested against a stand-in for `nvidia-smi` (`tests/components/node_groups/test_mig_script.py`). Bottlerocket's manager
divides every GPU into one profile as often as it fits (page of `nvidia-migmanager`, read 2026-11-21).
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from accelerators import mig
from accelerators.device_plugin import Node
from accelerators.instance_types import InstanceType
from accelerators.mig import bottlerocket

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


def gpus_on_bottlerocket(kind: InstanceType, settings: Mapping[str, Any]) -> Node:
    """The same on Bottlerocket, of the table `settings.kubelet-device-plugins.nvidia`.

    Raises ValueError where its manager does not know the GPU or the profile.
    """
    if settings.get("device-partitioning-strategy", "none") != "mig":
        return Node.of(kind)
    gpu = mig.gpu_of(kind)
    profile = settings.get("mig", {}).get("profile", {}).get(bottlerocket.key_of(gpu) if gpu else None)
    if gpu is None or profile not in gpu.profiles:
        raise ValueError(f"MIG is asked for, and not with a profile of {kind.accelerator.name}")
    return Node.of(kind, [{profile: gpu.profiles[profile].maximum}])
