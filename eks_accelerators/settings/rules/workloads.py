"""Rules about workloads of every kind."""

from collections.abc import Iterator

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.field_words import in_yaml
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.releases import NAMESPACES
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.tolerations import for_groups, untolerated


@rule("workload-node-group")
def workload_node_group(context: Context) -> Iterator[RuleFinding]:
    """A workload names a node group that exists."""
    known = list(context.settings.node_groups)
    for kind, name, workload in context.settings.workloads.each():
        if workload.node_group not in context.settings.node_groups:
            guess = closest(workload.node_group, known)
            yield RuleFinding(
                f"workloads.{kind}.{name}.nodeGroup",
                f"there is no node group called {workload.node_group}",
                workload.node_group,
                ", ".join(known) or "none is defined",
                f"did you mean {guess}?" if guess else "name one of nodeGroups",
            )


@rule("workload-name")
def workload_name(context: Context) -> Iterator[RuleFinding]:
    """A name stands for one workload, also where the kinds differ: pods, the plan and the timeline are told apart by it."""
    kinds: dict[str, str] = {}
    for kind, name, _ in context.settings.workloads.each():
        if name in kinds:
            yield RuleFinding(
                f"workloads.{kind}.{name}",
                f"{name} is the name of a workload in {kinds[name]} already",
                name,
                "a name of its own",
                "give it another name",
            )
        kinds.setdefault(name, kind)


@rule("workload-namespace")
def workload_namespace(context: Context) -> Iterator[RuleFinding]:
    """A workload's namespace is made by the stack, so it is none that Kubernetes or a plugin has already."""
    taken = {"default", *NAMESPACES}
    for kind, name, workload in context.settings.workloads.each():
        if workload.namespace in taken or workload.namespace.startswith("kube-"):
            yield RuleFinding(
                f"workloads.{kind}.{name}.namespace",
                f"the namespace {workload.namespace} is there already, and not for workloads",
                workload.namespace,
                "a namespace of its own",
                f"use namespace: {type(workload).model_fields['namespace'].default}",
            )


@rule("workload-replicas-needed")
def workload_replicas_needed(context: Context) -> Iterator[RuleFinding]:
    """Where workloads share a node group, each says how many replicas it wants: by default one would take all."""
    sharing: dict[str, list[str]] = {}
    for _, name, workload in context.settings.workloads.each():
        if may_run(context, workload):
            sharing.setdefault(workload.node_group, []).append(name)
    for kind, name, workload in context.settings.workloads.each():
        if not may_run(context, workload):
            continue
        others = [other for other in sharing[workload.node_group] if other != name]
        if others and workload.pod_count is None:
            yield RuleFinding(
                f"workloads.{kind}.{name}.{workload.COUNT}",
                f"{workload.node_group} also serves {', '.join(others)}, and as many as fit would leave nothing",
                "nothing",
                "a number",
                f"set {workload.COUNT}",
            )


def may_run(context: Context, workload: Workload) -> bool:
    """Whether the accelerators of its group are of the maker that it is made for: one that is elsewhere takes nothing from others."""
    group = context.resolved.get(workload.node_group)
    if group is None or workload.MADE_FOR is None:
        return True
    return group.type.has_nvidia_gpu == (workload.MADE_FOR == "NVIDIA")


def _made_for(manufacturer: str, path: str, other: str) -> str:
    """The fix of a workload on the wrong accelerators: ``other``, or its kind for those of ``manufacturer``."""
    twin = _TWINS.get(path.split(".")[1])
    return (
        f"{other}, or write it below workloads.{twin}, which serves models on {_DEVICES[manufacturer]}"
        if twin
        else other
    )


_TWINS = {"vllm": "neuronVllm", "nim": "neuronVllm", "neuronVllm": "vllm"}
"""Kinds of workload that serve the same models on the accelerators of the other maker."""

_DEVICES = {"AWS": "Trainium and Inferentia", "NVIDIA": "NVIDIA GPUs"}


@rule("workload-not-on-gpu")
def workload_not_on_gpu(context: Context) -> Iterator[RuleFinding]:
    """A workload whose image has CUDA runs on NVIDIA GPUs."""
    for path, workload, group in context.placed:
        if workload.MADE_FOR == "NVIDIA" and not group.type.has_nvidia_gpu:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.name} is {group.type.name}, without NVIDIA GPUs",
                group.name,
                "a node group with NVIDIA GPUs",
                _made_for("AWS", path, "use a G or P type"),
            )


@rule("workload-not-on-neuron")
def workload_not_on_neuron(context: Context) -> Iterator[RuleFinding]:
    """A workload whose image has the Neuron SDK runs on Trainium or Inferentia."""
    for path, workload, group in context.placed:
        if workload.MADE_FOR == "AWS" and group.type.has_nvidia_gpu:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.name} is {group.type.name}, without Neuron devices",
                group.name,
                "a node group with Neuron devices",
                _made_for("NVIDIA", path, "use a trn2 type"),
            )


@rule("workload-resource-name")
def workload_resource_name(context: Context) -> Iterator[RuleFinding]:
    """A workload asks for a resource that its node group advertises, by name where there are several.

    Source: k8s-device-plugin: `nvidia.com/gpu`, `nvidia.com/gpu.shared` with `renameByDefault`, and one for each
    profile with MIG `mixed`.
    """
    for path, workload, group in context.placed:
        names = [share.resource for share in group.shares]
        several = len(names) > 1
        if workload.resource_name not in (*names, *([] if several else [None])):
            yield RuleFinding(
                f"{path}.resourceName",
                f"{group.name} advertises {len(names)} resources; name one"
                if workload.resource_name is None
                else f"{group.name} does not advertise {workload.resource_name}",
                workload.resource_name or "nothing",
                ", ".join(names),
                f"set resourceName: {names[-1]}"
                if several
                else "remove resourceName; it follows from the group's sharing",
            )


@rule("workload-toleration")
def workload_toleration(context: Context) -> Iterator[RuleFinding]:
    """A workload tolerates every taint of its node group; otherwise its pods stay Pending."""
    for path, workload, group in context.placed:
        if workload.tolerations is None:
            continue
        for taint in untolerated(for_groups([group], workload.tolerations), group.taints):
            yield RuleFinding(
                f"{path}.tolerations",
                f"{taint} of {group.name} is not tolerated; pods would stay Pending",
                f"{number_of(len(workload.tolerations), 'toleration')}",
                in_yaml(dict(taint.toleration)),
                "add it, or remove tolerations for those of the group",
            )
