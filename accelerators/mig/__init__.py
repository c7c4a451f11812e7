"""Multi-Instance GPU (MIG): which profiles a GPU has, and which of them fit on it together."""

from accelerators.mig.judge import CODES, Judgement, judge, judge_text
from accelerators.mig.layouts import Layout, LayoutSyntaxError, parse, written
from accelerators.mig.placement import Instance, layouts, nearest, place
from accelerators.mig.profiles import MigGpu, Profile, gpu_of, gpus, instance_memory_mib, resource_of

__all__ = [
    "CODES",
    "Instance",
    "Judgement",
    "Layout",
    "LayoutSyntaxError",
    "MigGpu",
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
