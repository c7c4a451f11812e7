"""Where MIG cannot be had, or does not do what is wanted of it.

Source: Amazon EKS User Guide, pages on GPU sharing and on Auto Mode, read 2026-11-20.
"""

from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.mig.bottlerocket import layout_problem
from eks_accelerators.accelerators.mig.layouts import Layout
from eks_accelerators.accelerators.mig.profiles import MigGpu


def strategy_problem(strategy: str, image_runs_plugin: bool) -> Finding | None:
    """Bottlerocket's own device plugin has the strategy `single` only."""
    if strategy == "mixed" and image_runs_plugin:
        message = "mixed: the image's own device plugin knows the MIG strategy single only"
        return Finding("mig-mixed-on-bottlerocket", "migStrategy", message)
    return None


def parallel_problem(tensor_parallel_size: int, on_instances: bool) -> Finding | None:
    """NCCL and peer-to-peer copies do not work between MIG instances."""
    if tensor_parallel_size > 1 and on_instances:
        message = f"{tensor_parallel_size}: NCCL does not work between MIG instances; use whole GPUs"
        return Finding("mig-tensor-parallel", "tensorParallelSize", message)
    return None


def auto_mode_problem(feature: str) -> Finding:
    """EKS Auto Mode manages the device plugin itself, and has no MIG, no time-slicing, no MPS and no DRA."""
    message = f"EKS Auto Mode manages the device plugin: {feature} needs managed node groups or Karpenter"
    return Finding("auto-mode-sharing", "", message)


def nodes_problem(nodes: str, gpu: MigGpu, layout: Layout) -> Finding | None:
    """Why ``nodes``, one of `al2023`, `bottlerocket` and `auto-mode`, cannot have a layout that ``gpu`` can have."""
    match nodes:
        case "auto-mode":
            return auto_mode_problem("MIG")
        case "bottlerocket":
            return layout_problem(gpu, layout)
    return None
