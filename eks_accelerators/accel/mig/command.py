"""`accel mig check`: whether the GPUs of an instance type can be divided so."""

from eks_accelerators.accel.reports.mig import AdvertisedUnder, MigReport
from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.device_plugin.images import WITH_OWN_PLUGIN
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType, UnknownInstanceTypeError, get
from eks_accelerators.accelerators.mig import bottlerocket
from eks_accelerators.accelerators.mig.rules import nodes_problem, strategy_problem
from eks_accelerators.accelerators.sharing import NVIDIA_GPU


def check(instance_type: str, layout: str, nodes: str = "al2023") -> MigReport:
    """The report of a layout written as `3g.40gb=1,1g.10gb=4`, for nodes of a kind."""
    try:
        kind = get(instance_type)
    except UnknownInstanceTypeError as error:
        return _report(None, mig.MigJudgement((Finding("instance-type-unknown", "", str(error)),)))
    judgement, gpu = mig.judge_text(kind, layout), mig.gpu_of(kind)
    unlike = nodes_problem(nodes, gpu, mig.parse(layout)) if gpu and judgement.valid else None
    if gpu and unlike:
        judgement = mig.MigJudgement((unlike,), nearest=bottlerocket.layouts(gpu) if nodes == "bottlerocket" else ())
    return _report(kind, judgement, image_runs_plugin=nodes in WITH_OWN_PLUGIN)


def _report(kind: InstanceType | None, judgement: mig.MigJudgement, image_runs_plugin: bool = False) -> MigReport:
    return MigReport(
        valid=judgement.valid,
        instance_type=kind.name if kind else None,
        gpu=kind.accelerator.name if kind else None,
        gpus_per_node=kind.accelerator.count if kind else None,
        problems=judgement.problems,
        placement=judgement.placement,
        advertised=_advertised(kind, judgement, image_runs_plugin) if kind and judgement.valid else None,
        nearest=tuple(mig.written(layout) for layout in judgement.nearest),
    )


def _advertised(kind: InstanceType, judgement: mig.MigJudgement, image_runs_plugin: bool) -> AdvertisedUnder:
    """What a node whose GPUs are all divided so advertises under either strategy.

    `single` takes one profile only, and a device plugin of the image knows no other strategy.
    """
    gpu, count = mig.gpu_of(kind), kind.accelerator.count
    assert gpu is not None  # or the layout would not be valid
    names = [instance.profile for instance in judgement.placement]
    mixed = {gpu.profiles[name].resource: names.count(name) * count for name in sorted(set(names))}
    return AdvertisedUnder(
        mixed=None if strategy_problem("mixed", image_runs_plugin) else mixed,
        single={NVIDIA_GPU: len(names) * count} if len(mixed) == 1 else None,
    )
