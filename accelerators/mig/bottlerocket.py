"""MIG as Bottlerocket's own manager sets it: one profile for every GPU, as often as it fits.

Source: Bottlerocket's settings `kubelet-device-plugins.nvidia.mig.profile` and the page of `nvidia-migmanager`, which
names A30, A100, H100 and H200; read 2026-11-21.
"""

from accelerators.findings import Finding
from accelerators.mig.layouts import Layout, written
from accelerators.mig.profiles import MigGpu

_KEYS = {"A100 40GB": "a100.40gb", "A100 80GB": "a100.80gb", "H100 80GB": "h100.80gb", "H200 141GB": "h200.141gb"}


def key_of(gpu: MigGpu) -> str | None:
    """What Bottlerocket's settings call the GPU; None where its manager does not know it."""
    return _KEYS.get(gpu.name)


def layout_problem(gpu: MigGpu, layout: Layout) -> Finding | None:
    """Why Bottlerocket cannot divide ``gpu`` so; every profile must be one of it."""
    if key_of(gpu) is None:
        return Finding("mig-bottlerocket", "", f"Bottlerocket's MIG manager does not know {gpu.name}")
    if len(layout) != 1 or any(count != gpu.profiles[name].maximum for name, count in layout.items()):
        message = f"{written(layout)}: Bottlerocket divides every GPU into one profile, as often as it fits"
        return Finding("mig-bottlerocket", "", message)
    return None
