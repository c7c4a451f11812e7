"""Rules about workloads of every kind: that they fit and may be scheduled."""

from collections import Counter
from collections.abc import Iterator

from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.excess import excess_of
from eks_accelerators.settings.field_words import in_yaml
from eks_accelerators.settings.fit import Demand
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.releases import NAMESPACES
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
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
        if _may_run(context, workload):
            sharing.setdefault(workload.node_group, []).append(name)
    for kind, name, workload in context.settings.workloads.each():
        if not _may_run(context, workload):
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


def _may_run(context: Context, workload: Workload) -> bool:
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


@rule("workload-request")
def workload_request(context: Context) -> Iterator[RuleFinding]:
    """All replicas fit the group at its largest size: accelerators, CPU and memory of the nodes together."""
    for placed in context.stack.workloads:
        path, workload, group, fit = placed.path, placed.workload, placed.group, placed.fit
        for excess in excess_of(workload, group):
            yield RuleFinding(
                f"{path}.{excess.setting}",
                f"one pod asks for more {excess.resource} than a node of {group.type.name} has",
                excess.asked,
                f"at most {excess.room}",
                "ask for less, or use a larger type",
            )
        if fit.pods_per_node and fit.replicas > fit.replicas_at_max and group.settings.size.max >= fit.pods_per_replica:
            yield RuleFinding(
                f"{path}.{workload.count_setting}",
                f"{fit.pods_per_node} pod{'s fit' if fit.pods_per_node != 1 else ' fits'} a node (limited by {fit.limited_by}) and "
                + ("all have to be on one" if workload.TOGETHER else f"the group has at most {group.settings.size.max}")
                + (f"; each replica takes {fit.pods_per_replica} nodes" if fit.pods_per_replica > 1 else ""),
                str(fit.replicas),
                f"at most {fit.replicas_at_max}",
                f"set {workload.count_setting}: {fit.replicas_at_max}"
                + ("" if workload.TOGETHER else ", or a larger size.max"),
            )


@rule("workload-waits", Severity.WARNING)
def workload_waits(context: Context) -> Iterator[RuleFinding]:
    """All replicas fit the group at its desired size, or an autoscaler is there that makes it grow; otherwise some wait.

    On a Capacity Block all wait for its start, which makes the group grow.
    """
    for placed in context.stack.workloads:
        workload, group, fit = placed.workload, placed.group, placed.fit
        if group.settings.bought_as is CapacityType.CAPACITY_BLOCK:
            continue
        grows = group.settings.autoscaler is not NodeAutoscaler.NONE
        if not grows and fit.replicas_at_desired < fit.replicas <= fit.replicas_at_max:
            yield RuleFinding(
                f"{placed.path}.{workload.count_setting}",
                f"{fit.pods - fit.pods_at_desired} of {fit.pods} pod{'s stay' if fit.pods != 1 else ' stays'} Pending until {group.name} grows",
                str(fit.replicas),
                f"at most {fit.replicas_at_desired} at the desired size",
                "set autoscaler: clusterAutoscaler, or raise size.desired",
            )
    for name, group, together in _shared(context):
        if group.settings.autoscaler is NodeAutoscaler.NONE and not together.fits_now:
            yield RuleFinding(
                f"nodeGroups.{name}.size.desired",
                f"{together.workloads} workloads together want more than {group.settings.size.desired} nodes; pods stay "
                "Pending until the group grows",
                str(group.settings.size.desired),
                "room for all of them",
                "set autoscaler: clusterAutoscaler, or raise size.desired",
            )


@rule("workloads-together")
def workloads_together(context: Context) -> Iterator[RuleFinding]:
    """All workloads of a node group together find accelerators, CPU and memory in it at its largest size."""
    for name, group, together in _shared(context):
        for resource, wanted, per_node in together.compared:
            if wanted > per_node * group.settings.size.max:
                yield RuleFinding(
                    f"nodeGroups.{name}.size.max",
                    f"{together.workloads} workloads ask for {wanted:g} {resource}; at its largest the group has "
                    f"{per_node * group.settings.size.max:g}",
                    str(group.settings.size.max),
                    f"at least {-(-wanted // per_node):g}" if per_node else "a type that has it",
                    f"raise size.max, {_lower(context, name)}or give a workload a node group of its own",
                )


def _lower(context: Context, group: str) -> str:
    """The advice to lower what says how many pods its workloads have at their most; nothing where no setting says it."""
    found = {
        "autoscaling.max" if isinstance(workload, Server) and workload.autoscaling else workload.count_setting
        for _, workload, of_workload in context.placed
        if of_workload.name == group
    }
    settings = sorted(found - {Workload.COUNT})
    return f"lower {' or '.join(settings)}, " if settings else ""


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


@rule("workload-memory-limit")
def workload_memory_limit(context: Context) -> Iterator[RuleFinding]:
    """A pod's memory limit is at least its request.

    Source: Kubernetes refuses the pod otherwise.
    """
    for kind, name, workload in context.settings.workloads.each():
        if workload.resources.memory_limit_gib < workload.resources.memory_gib:
            yield RuleFinding(
                f"workloads.{kind}.{name}.resources.memoryLimitGib",
                "the limit is below the request",
                str(workload.resources.memory_limit_gib),
                f"at least {workload.resources.memory_gib}",
                f"set memoryLimitGib: {workload.resources.memory_gib}",
            )


def _shared(context: Context) -> Iterator[tuple[str, ResolvedNodeGroup, Demand]]:
    """Every node group that serves several workloads, with what they ask for together."""
    users = Counter(
        workload.node_group for _, _, workload in context.settings.workloads.each() if _may_run(context, workload)
    )
    for name, count in users.items():
        if count > 1 and (group := context.resolved.get(name)):
            yield name, group, context.stack.demands[name]


@rule("workload-efa")
def workload_efa(context: Context) -> Iterator[RuleFinding]:
    """A workload asks for EFA interfaces that its nodes have, together with huge pages.

    Source: EKS user guide `node-efa`: EFA needs `hugepages-2Mi`; the driver allocates 5,128 pages of 2 MiB.
    """
    for path, workload, group in context.placed:
        interfaces, pages = (workload.other_devices.get(name, 0) for name in (EFA_DEVICE, HUGE_PAGES))
        available = efa_count(group.interfaces)
        if interfaces > available:
            yield RuleFinding(
                f"{path}.efaInterfaces",
                f"a node of {group.name} has {available} EFA interfaces",
                str(interfaces),
                f"at most {available}",
                "set efa.enabled on the node group, or ask for fewer",
            )
        if interfaces and not pages:
            yield RuleFinding(
                f"{path}.hugePagesMib",
                "EFA needs huge pages and none are requested",
                "0",
                "5120 is usual",
                "remove hugePagesMib",
            )
        if pages % 2:
            yield RuleFinding(
                f"{path}.hugePagesMib",
                "huge pages come in 2 MiB",
                str(pages),
                "an even number",
                f"set {pages + 1}",
            )
