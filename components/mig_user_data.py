"""How an AL2023 node divides its GPUs by MIG: a script in the user data, which leaves a systemd unit behind.

MIG instances do not survive a reboot, and user data runs once. So the script of the user data installs a unit that
the kubelet requires: it runs at every boot, and where it fails the kubelet does not start and the node does not join.
nodeadm starts the kubelet after the scripts of the user data. Sources: NVIDIA MIG User Guide (modes, resets,
`nvidia-smi mig`), amazon-eks-ami 81fec2e `nodeadm-run.service`, `kubelet.service` and `set-nvidia-clocks.service`, which
requires `nvidia-persistenced.service`; read 2026-11-22. Not run on a GPU yet.
"""

from pathlib import Path

from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import Partitioning

LAYOUT_FILE = "/etc/eks-accelerators/mig-layout"
_UNIT = "eks-accelerators-mig.service"
_PROGRAM = "/usr/local/sbin/apply-mig-layout"
_END = "END-OF-FILE"
_SOURCE = Path(__file__).with_name("apply-mig-layout.sh")

_KUBELET_DROP_IN = f"""\
[Unit]
Requires={_UNIT}
After={_UNIT}
"""
_SERVICE = f"""\
[Unit]
Description=Divide the GPUs by MIG as the node group wants it
After=nvidia-persistenced.service nvidia-fabricmanager.service
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
StateDirectory=eks-accelerators
ExecStart={_PROGRAM} {LAYOUT_FILE}
TimeoutStartSec=600
StandardOutput=journal+console
StandardError=journal+console
"""


def layout_text(kind: InstanceType, partitioning: Partitioning) -> str:
    """A line for each GPU: its index, and `whole` or its instances with the memory slices where they begin."""
    gpu = mig.gpu_of(kind)
    lines = []
    for index, layout in enumerate(partitioning.each(kind.accelerator.count)):
        placed = mig.place(gpu, layout) if gpu and layout else None
        # With a place each, because the driver's own choice for the first can leave none for the next.
        wanted = ",".join(f"{instance.profile}:{instance.start}" for instance in placed or ())
        lines.append(f"{index} {wanted or 'whole'}\n")
    return "".join(lines)


def script(kind: InstanceType, partitioning: Partitioning) -> str:
    """The shell script of the user data."""
    files = [
        # First what holds the kubelet back: if anything after it fails, the node does not join undivided.
        ("/etc/systemd/system/kubelet.service.d/50-mig.conf", _KUBELET_DROP_IN),
        (LAYOUT_FILE, layout_text(kind, partitioning)),
        (_PROGRAM, _SOURCE.read_text(encoding="utf-8")),
        (f"/etc/systemd/system/{_UNIT}", _SERVICE),
    ]
    lines = ["#!/usr/bin/env bash", "set -euo pipefail", "trap 'systemctl daemon-reload' EXIT"]
    for path, text in files:
        lines += [f"mkdir -p {Path(path).parent}", f"cat >{path} <<'{_END}'", text.rstrip("\n"), _END]
    return "\n".join([*lines, f"chmod 755 {_PROGRAM}", ""])
