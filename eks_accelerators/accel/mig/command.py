"""`accel mig check`: whether the GPUs of an instance type can be divided so."""

from typing import Any

from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.device_plugin.images import WITH_OWN_PLUGIN
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType, UnknownInstanceTypeError, get
from eks_accelerators.accelerators.mig import bottlerocket
from eks_accelerators.accelerators.mig.rules import nodes_problem, strategy_problem
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.settings.printable import each_text


def check(instance_type: str, layout: str, nodes: str = "al2023") -> dict[str, Any]:
    """The documented JSON (`docs/json.md`) of a layout written as `3g.40gb=1,1g.10gb=4`, for nodes of a kind."""
    try:
        kind = get(instance_type)
    except UnknownInstanceTypeError as error:
        return _report(None, mig.MigJudgement((Finding("instance-type-unknown", "", str(error)),)))
    judgement, gpu = mig.judge_text(kind, layout), mig.gpu_of(kind)
    unlike = nodes_problem(nodes, gpu, mig.parse(layout)) if gpu and judgement.valid else None
    if gpu and unlike:
        judgement = mig.MigJudgement((unlike,), nearest=bottlerocket.layouts(gpu) if nodes == "bottlerocket" else ())
    return _report(kind, judgement, image_runs_plugin=nodes in WITH_OWN_PLUGIN)


def _report(kind: InstanceType | None, judgement: mig.MigJudgement, image_runs_plugin: bool = False) -> dict[str, Any]:
    return {
        "valid": judgement.valid,
        "instanceType": kind.name if kind else None,
        "gpu": kind.accelerator.name if kind else None,
        "gpusPerNode": kind.accelerator.count if kind else None,
        "problems": [problem.to_dict() for problem in judgement.problems],
        "placement": [
            {"profile": instance.profile, "start": instance.start, "size": instance.size}
            for instance in judgement.placement
        ],
        "advertised": _advertised(kind, judgement, image_runs_plugin) if kind and judgement.valid else None,
        "nearest": [mig.written(layout) for layout in judgement.nearest],
    }


def _advertised(
    kind: InstanceType, judgement: mig.MigJudgement, image_runs_plugin: bool
) -> dict[str, dict[str, int] | None]:
    """What a node whose GPUs are all divided so advertises under either strategy.

    `single` takes one profile only, and a device plugin of the image knows no other strategy.
    """
    gpu, count = mig.gpu_of(kind), kind.accelerator.count
    assert gpu is not None  # or the layout would not be valid
    names = [instance.profile for instance in judgement.placement]
    mixed = {gpu.profiles[name].resource: names.count(name) * count for name in sorted(set(names))}
    return {
        "mixed": None if strategy_problem("mixed", image_runs_plugin) else mixed,
        "single": {NVIDIA_GPU: len(names) * count} if len(mixed) == 1 else None,
    }


def text(data: dict[str, Any]) -> str:
    """The report for a terminal."""
    return "\n".join(_lines(each_text(data)))


def _lines(data: dict[str, Any]) -> list[str]:
    if not data["valid"]:
        lines = [f"error: {problem['message']} [{problem['code']}]" for problem in data["problems"]]
        if data["nearest"]:
            lines += ["nearest that can be had:", *(f"  {layout}" for layout in data["nearest"])]
        return lines
    count, gpu = data["gpusPerNode"], data["gpu"]
    mixed, single = data["advertised"]["mixed"], data["advertised"]["single"]
    which = f"each of the {count} {gpu}" if count > 1 else f"the {gpu}"
    return [
        f"valid: {which} of {data['instanceType']} can be divided so, for example",
        *(_place(instance) for instance in data["placement"]),
        "a node advertises",
        f"  migStrategy mixed   {_resources(mixed) if mixed else 'refused: the device plugin of the image knows single only'}",
        f"  migStrategy single  {_resources(single) if single else 'refused: more than one profile'}",
    ]


def _place(instance: dict[str, Any]) -> str:
    first, last = instance["start"], instance["start"] + instance["size"] - 1
    where = f"memory slice {first}" if first == last else f"memory slices {first} to {last}"
    return f"  {instance['profile']:<12} {where}"


def _resources(resources: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in resources.items())
