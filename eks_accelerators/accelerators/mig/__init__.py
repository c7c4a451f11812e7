"""Multi-Instance GPU (MIG): which profiles a GPU has, and which of them fit on it together."""

from eks_accelerators.accelerators.mig.judge import CODES, MigJudgement, judge, judge_text
from eks_accelerators.accelerators.mig.layouts import Layout, LayoutSyntaxError, parse, written
from eks_accelerators.accelerators.mig.placement import MigInstance, layouts, nearest, place
from eks_accelerators.accelerators.mig.profiles import MigGpu, Profile, gpu_of, gpus, instance_memory_mib, resource_of

__all__ = [
    "CODES",
    "Layout",
    "LayoutSyntaxError",
    "MigGpu",
    "MigInstance",
    "MigJudgement",
    "Profile",
    "gpu_of",
    "gpus",
    "instance_memory_mib",
    "judge",
    "judge_text",
    "layouts",
    "nearest",
    "parse",
    "place",
    "resource_of",
    "written",
]
