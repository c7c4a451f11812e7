"""Rules about sharing accelerators. The plugin's own checks are in `eks_accelerators.accelerators.device_plugin`."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, device_plugin, gpus
from eks_accelerators.accelerators.sharing import (
    MINIMUM_REPLICAS,
    NVIDIA_GPU,
    device_memory_mib,
    replicas_of_memory,
    rounded_down,
)
from eks_accelerators.settings.gpu_memory import memory_path
from eks_accelerators.settings.model.node_groups import SharingSettings, SharingStrategy
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_IN_SHARES = (SharingStrategy.TIME_SLICING, SharingStrategy.MPS)
"""Strategies whose shares are counted."""


@rule("sharing-replicas")
def sharing_replicas(context: Context) -> Iterator[RuleFinding]:
    """Time-slicing and MPS have at least two replicas, written or by memory; no sharing is written as `exclusive`.

    Source: k8s-device-plugin v0.20.0 `api/config/v1/replicas.go`: a section without resources, without
    replicas or with fewer than two is refused at start.
    """
    for path, group, _ in context.groups:
        sharing = group.sharing
        in_shares = sharing.strategy in _IN_SHARES and not sharing.memory_gib
        divided_in_shares = sharing.strategy is SharingStrategy.MIG and sharing.replicas is not None
        if (in_shares or divided_in_shares) and (sharing.replicas or 0) < MINIMUM_REPLICAS:
            yield RuleFinding(
                f"{path}.sharing.replicas",
                f"{sharing.strategy.value} needs at least two replicas",
                str(sharing.replicas or "nothing"),
                f"{MINIMUM_REPLICAS} or more",
                "set replicas or memoryGib, gpuMemoryGib of a workload, or strategy: exclusive",
            )


@rule("sharing-memory")
def sharing_memory(context: Context) -> Iterator[RuleFinding]:
    """`memoryGib` stands instead of `replicas`, and at least two pods of it fit the memory of the GPU.

    Replicas are the memory divided by it, rounded down. Source: k8s-device-plugin v0.20.0: it counts replicas only.
    """
    for path, group, kind in context.groups:
        sharing, memory = group.sharing, device_memory_mib(kind)
        if sharing.strategy not in _IN_SHARES or not sharing.memory_gib:
            continue
        here = memory_path(context.settings, path.removeprefix("nodeGroups."))
        if sharing.replicas:
            yield RuleFinding(
                here,
                "replicas say already how many pods share a GPU",
                f"{sharing.memory_gib:g}",
                "replicas or memoryGib",
                "remove one of the two",
            )
        elif memory is None:
            yield RuleFinding(
                here,
                f"the memory of one {kind.accelerator.name} is not known",
                f"{sharing.memory_gib:g}",
                "replicas",
                "set replicas instead",
            )
        elif replicas_of_memory(memory, sharing.memory_gib) < MINIMUM_REPLICAS:
            yield RuleFinding(
                here,
                f"{sharing.memory_gib:g} GiB fit fewer than twice in the {memory / 1024:.2f} GiB of one {kind.accelerator.name}",
                f"{sharing.memory_gib:g}",
                f"at most {rounded_down(memory / 1024 / MINIMUM_REPLICAS)}",
                "ask for less, or use strategy: exclusive",
            )


@rule("sharing-memory-not-enforced", Severity.WARNING)
def sharing_memory_not_enforced(context: Context) -> Iterator[RuleFinding]:
    """Time-slicing holds no pod to its `memoryGib`; MPS does.

    Source: k8s-device-plugin README: shares of time-slicing have no memory of their own.
    """
    for name, group in context.resolved.items():
        wanted, memory = group.settings.sharing, device_memory_mib(group.type)
        if wanted.memory_gib and memory and group.sharing.strategy == "timeSlicing" and not wanted.replicas:
            yield RuleFinding(
                memory_path(context.settings, name),
                f"{memory / 1024:.2f} GiB of one {group.type.accelerator.name} / {wanted.memory_gib:g} GiB = "
                f"{group.sharing.replicas} replicas of {memory / 1024 / group.sharing.replicas:.2f} GiB; "
                "time-slicing does not enforce it: a pod can take all of it",
                f"{wanted.memory_gib:g}",
                "limits in each program, or MPS",
                "limit memory in the programs, or use strategy: mps",
            )


@rule("mps-clients")
def mps_clients(context: Context) -> Iterator[RuleFinding]:
    """MPS has at most 48 replicas of one GPU, before compute capability 7.5 at most 16.

    Source: k8s-device-plugin v0.20.0 `cmd/mps-control-daemon/mps/device.go`: the control daemon refuses more.
    """
    for path, group, kind in context.groups:
        most = gpus.most_mps_clients(kind.accelerator.name)
        if group.sharing.strategy is SharingStrategy.MPS and (group.sharing.replicas or 0) > most:
            yield RuleFinding(
                f"{path}.sharing.replicas",
                f"the MPS server of one {kind.accelerator.name} has at most {most} clients",
                str(group.sharing.replicas),
                f"at most {most}",
                f"set replicas: {most}",
            )


@rule("mps-two-shares")
def mps_two_shares(context: Context) -> Iterator[RuleFinding]:
    """With MPS `failRequestsGreaterThanOne` is true: a pod's part of memory and compute is that of one share.

    Source: k8s-device-plugin v0.20.0 `api/config/v1/config.go`: true by default for MPS, and always before.
    """
    for path, group, _ in context.groups:
        if group.sharing.strategy is SharingStrategy.MPS and group.sharing.fail_requests_greater_than_one is False:
            yield RuleFinding(
                f"{path}.sharing.failRequestsGreaterThanOne",
                "a pod that asks for two shares would have the memory of one",
                "false",
                "true",
                "remove it",
            )


@rule("sharing-ignored")
def sharing_ignored(context: Context) -> Iterator[RuleFinding]:
    """Nothing is written that the strategy ignores.

    Source: k8s-device-plugin v0.20.0: keys outside the strategy's section are dropped in silence.
    """
    for path, group, _ in context.groups:
        sharing = group.sharing
        given: dict[str, object] = {"mig": sharing.mig} if sharing.strategy is not SharingStrategy.MIG else {}
        if sharing.strategy not in _IN_SHARES:
            given["memoryGib"] = sharing.memory_gib
        if sharing.strategy is SharingStrategy.MIG and sharing.replicas is None:
            given |= _about_shares(sharing)
        if sharing.strategy is SharingStrategy.EXCLUSIVE:
            given |= {"replicas": sharing.replicas, **_about_shares(sharing)}
        for key, value in given.items():
            if value is not None:
                yield RuleFinding(
                    f"{path}.sharing.{key}",
                    f"{key} does nothing with {sharing.strategy.value}",
                    "a layout" if key == "mig" else str(value),
                    "nothing",
                    f"remove it, or set strategy: {'mig' if key == 'mig' else 'timeSlicing or mps'}",
                )


def _about_shares(sharing: SharingSettings) -> dict[str, object]:
    return {
        "renameByDefault": sharing.rename_by_default,
        "failRequestsGreaterThanOne": sharing.fail_requests_greater_than_one,
        "allocationPolicy": sharing.allocation_policy,
    }


@rule("sharing-without-gpu")
def sharing_without_gpu(context: Context) -> Iterator[RuleFinding]:
    """Only NVIDIA GPUs are shared: a Neuron node has no `nvidia.com/gpu` to share.

    Source: k8s-device-plugin v0.20.0 `internal/rm/device_map.go`: a resource the node lacks is not shared, in silence.
    """
    for path, group, kind in context.groups:
        if not kind.has_nvidia_gpu and group.sharing.strategy is not SharingStrategy.EXCLUSIVE:
            yield RuleFinding(
                f"{path}.sharing.strategy",
                f"{kind.name} has no NVIDIA GPU to share",
                group.sharing.strategy.value,
                "exclusive",
                "remove sharing; pods can ask for aws.amazon.com/neuroncore",
            )


@rule("sharing-two-shares", Severity.WARNING)
def sharing_two_shares(context: Context) -> Iterator[RuleFinding]:
    """`failRequestsGreaterThanOne` stays true: two shares give a pod no more GPU than one.

    Source: k8s-device-plugin README.
    """
    for path, group, _ in context.groups:
        if (
            group.sharing.strategy is SharingStrategy.TIME_SLICING
            and group.sharing.fail_requests_greater_than_one is False
        ):
            yield RuleFinding(
                f"{path}.sharing.failRequestsGreaterThanOne",
                "a pod that asks for two shares would get no more GPU, in silence",
                "false",
                "true",
                "remove it",
            )


@rule("sharing-mixed-names", Severity.WARNING)
def sharing_mixed_names(context: Context) -> Iterator[RuleFinding]:
    """Where shared and whole GPUs are in one cluster, shares have a name of their own.

    Otherwise a pod that asks for `nvidia.com/gpu` cannot tell them apart but by node label. Workloads of this
    package select their node group, so this concerns others. Source: k8s-device-plugin README, `renameByDefault`.
    """
    with_gpus = [group for group in context.resolved.values() if group.type.has_nvidia_gpu]
    if any(share.sharers == 1 and share.profile is None for group in with_gpus for share in group.shares):
        for group in with_gpus:
            if not group.sharing.renamed and _looks_whole(group):
                yield RuleFinding(
                    f"nodeGroups.{group.name}.sharing.{'mig.strategy' if group.sharing.mig else 'renameByDefault'}",
                    "pods cannot tell these shares from whole GPUs of other groups",
                    "single" if group.sharing.mig else "false",
                    "mixed" if group.sharing.mig else "true",
                    "set mig.strategy: mixed, and ask for instances by profile"
                    if group.sharing.mig
                    else "set renameByDefault: true, and ask for nvidia.com/gpu.shared",
                )


def _looks_whole(group: ResolvedNodeGroup) -> bool:
    """Whether something that is no whole GPU is called as one."""
    return any(
        share.resource == NVIDIA_GPU and (share.sharers > 1 or share.profile is not None) for share in group.shares
    )


@rule("sharing-policy-on-bottlerocket")
def sharing_policy_on_bottlerocket(context: Context) -> Iterator[RuleFinding]:
    """Bottlerocket's built-in plugin has no allocation policy.

    Source: Bottlerocket settings `kubelet-device-plugins.nvidia`.
    """
    for name, group in context.resolved.items():
        if ami.runs_nvidia_device_plugin(group.ami_type) and group.sharing.allocation_policy:
            yield RuleFinding(
                f"nodeGroups.{name}.sharing.allocationPolicy",
                "Bottlerocket's device plugin has no allocation policy",
                group.sharing.allocation_policy,
                "nothing",
                "remove it, or use an AL2023 image",
            )


@rule("device-plugin-config")
def device_plugin_config(context: Context) -> Iterator[RuleFinding]:
    """The configuration that we write for the device plugin is one that it accepts and reads in full.

    Source: k8s-device-plugin v0.20.0 `api/config/v1`, checked by `eks_accelerators.accelerators.device_plugin.judge_values`.
    """
    for name, group in context.resolved.items():
        if group.has_plugin_configuration and (group.sharing.mig or group.sharing.replicas >= MINIMUM_REPLICAS):
            judgement = device_plugin.judge_values(device_plugin.configuration(group.sharing))
            # Too many clients are a mistake of the stack file, not of our writing, and have a rule of their own.
            errors = [problem for problem in judgement.errors if problem.code != "mps-clients"]
            for problem in (*errors, *judgement.ignored):
                yield RuleFinding(
                    f"nodeGroups.{name}.sharing",
                    str(problem),
                    "our configuration",
                    "one that the plugin reads in full",
                    "report this",
                )
