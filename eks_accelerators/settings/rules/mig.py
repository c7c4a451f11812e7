"""Rules about MIG: which GPUs it divides, into what, and who divides them."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, instance_types, mig
from eks_accelerators.accelerators.mig import bottlerocket as mig_bottlerocket
from eks_accelerators.accelerators.mig import rules as mig_rules
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.model.node_groups import MigSettings, MigStrategy, SharingStrategy
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import layouts_of
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


def _written_layouts(path: str, wanted: MigSettings) -> Iterator[tuple[str, mig.Layout]]:
    """Every layout that divides a GPU, with its property path."""
    if wanted.layout:
        yield f"{path}.sharing.mig.layout", wanted.layout
    for index, layout in enumerate(wanted.layouts or ()):
        if layout:
            yield f"{path}.sharing.mig.layouts[{index}]", layout


@rule("mig-not-capable")
def mig_not_capable(context: Context) -> Iterator[RuleFinding]:
    """MIG is asked only of GPUs that have it.

    Source: EKS user guide `device-management-nvidia-mig`.
    """
    for path, group, kind in context.groups:
        if group.sharing.strategy is SharingStrategy.MIG and not kind.mig_capable:
            capable = sorted({t.family for t in instance_types.every() if mig.gpu_of(t)})
            yield RuleFinding(
                f"{path}.sharing.strategy",
                f"{kind.name} ({kind.accelerator.name}) has no MIG",
                "mig",
                "exclusive, timeSlicing, mps",
                f"use time-slicing or MPS, or a type of {', '.join(capable)}",
            )


@rule("mig-layout-missing")
def mig_layout_missing(context: Context) -> Iterator[RuleFinding]:
    """MIG has a layout for all GPUs of a node, or one for each."""
    for path, group, kind in context.groups:
        wanted, count = group.sharing.mig or MigSettings(), kind.accelerator.count
        if group.sharing.strategy is not SharingStrategy.MIG or not kind.mig_capable:
            continue
        here, allowed = f"{path}.sharing.mig", "layout, or layouts"
        if wanted.layout is not None and wanted.layouts is not None:
            yield RuleFinding(f"{here}.layouts", "layout says already what all GPUs get", "both", allowed, "remove one")
        elif not any(layouts_of(wanted)):
            fix = "set layout, such as {1g.10gb: 7}; `accel mig check` says what a GPU can have"
            yield RuleFinding(here, "no GPU would be divided", "nothing", allowed, fix)
        elif wanted.layouts is not None and len(wanted.layouts) != count:
            fix = "write one for each GPU, {} for one that stays whole; or layout for all of them"
            found = number_of(len(wanted.layouts), "layout")
            yield RuleFinding(
                f"{here}.layouts", f"{kind.name} has {number_of(count, 'GPU')}", found, number_of(count, "layout"), fix
            )


@rule("mig-layout")
def mig_layout(context: Context) -> Iterator[RuleFinding]:
    """A GPU can be divided as the layout says: its profiles, their counts, and a place for each.

    Source: `eks_accelerators/accelerators/data/mig-profiles.json`, placed by `eks_accelerators.accelerators.mig`: instances begin at certain memory
    slices only.
    """
    for path, group, kind in context.groups:
        if group.sharing.strategy is not SharingStrategy.MIG or not kind.mig_capable or not group.sharing.mig:
            continue
        for here, layout in _written_layouts(path, group.sharing.mig):
            judgement = mig.judge(kind, layout)
            nearest = "; ".join(mig.written(one) for one in judgement.nearest)
            for problem in judgement.problems:
                yield RuleFinding(
                    here,
                    problem.message,
                    mig.written(layout),
                    nearest or "a layout that the GPU can have",
                    f"use {mig.written(judgement.nearest[0])}" if nearest else "use a type whose profiles are known",
                )


@rule("mig-single-profile")
def mig_single_profile(context: Context) -> Iterator[RuleFinding]:
    """With MIG `single` every GPU of a node is divided, and all instances are of one profile.

    Source: k8s-device-plugin v0.20.0 `internal/rm/device_map.go`: everything is called `nvidia.com/gpu`.
    """
    for path, group, kind in context.groups:
        if group.sharing.strategy is not SharingStrategy.MIG or not kind.mig_capable or not group.sharing.mig:
            continue
        layouts = layouts_of(group.sharing.mig)
        profiles = sorted({profile for layout in layouts for profile in layout})
        if group.sharing.mig.strategy is MigStrategy.SINGLE and (len(profiles) > 1 or not all(layouts)):
            whole = ["whole GPUs"] if not all(layouts) else []
            yield RuleFinding(
                f"{path}.sharing.mig.strategy",
                "single calls everything nvidia.com/gpu, so everything has to be alike",
                ", ".join([*profiles, *whole]),
                "one profile on every GPU",
                "use strategy: mixed",
            )


@rule("mig-on-bottlerocket")
def mig_on_bottlerocket(context: Context) -> Iterator[RuleFinding]:
    """On Bottlerocket MIG is `single`, the same on every GPU, and one of the profiles that its manager makes, as often as it fits.

    Settings with another text, such as `1g.10gb+me`, are refused and the node does not join; another profile of the GPU,
    such as `4g.40gb`, becomes one instance of the whole GPU without a word. Source: Amazon EKS User Guide;
    bottlerocket-settings-sdk 25e4241 `modeled-types`, bottlerocket-kernel-kit `nvidia-migmanager`
    (`eks_accelerators/accelerators/data/bottlerocket-mig.json`).
    """
    for name, group in context.resolved.items():
        divided = group.sharing.mig
        if divided is None or not ami.runs_nvidia_device_plugin(group.ami_type):
            continue
        here, fix = f"nodeGroups.{name}.sharing.mig", "use an AL2023 image"
        if problem := mig_rules.strategy_problem(divided.strategy, image_runs_plugin=True):
            yield RuleFinding(f"{here}.strategy", problem.message, divided.strategy, "single", f"set single, or {fix}")
        gpu = mig.gpu_of(group.type)
        if gpu is None or not set(divided.profiles) <= set(gpu.profiles):
            continue
        allowed = "; ".join(map(mig.written, mig_bottlerocket.layouts(gpu))) or "no MIG"
        for layout in sorted({layout for layout in divided.layouts if layout}):
            if unlike := mig_bottlerocket.layout_problem(gpu, dict(layout)):
                yield RuleFinding(here, unlike.message, mig.written(dict(layout)), allowed, f"use one, or {fix}")


@rule("mig-time-sliced", Severity.WARNING)
def mig_time_sliced(context: Context) -> Iterator[RuleFinding]:
    """MIG instances are not time-sliced: the plugin advertises the shares, and AWS says that it has no effect.

    Source: Amazon EKS User Guide on GPU sharing; k8s-device-plugin README, "time-sliceable resources".
    """
    for name, group in context.resolved.items():
        if group.sharing.mig and group.sharing.replicas > 1:
            yield RuleFinding(
                f"nodeGroups.{name}.sharing.replicas",
                f"{group.sharing.replicas} pods would take turns on each MIG instance; AWS says that this has no effect",
                str(group.sharing.replicas),
                "nothing",
                "remove it, and use smaller instances",
            )
