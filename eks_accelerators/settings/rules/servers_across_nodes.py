"""Rules about servers that span nodes: that the nodes are there, whole, and reach each other fast."""

from collections.abc import Iterator

from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.settings.fit import shape_of
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.server import ServerPlacement
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.rules.whole_gpus import shared_where_whole


@rule("server-nodes-size")
def server_nodes_size(context: Context) -> Iterator[RuleFinding]:
    """A server that spans nodes finds as many in its node group at its largest size: less is no server at all."""
    for path, server, group in _spanning(context):
        nodes, most = server.nodes_per_replica, group.settings.size.max
        if nodes > most:
            yield RuleFinding(
                f"{path}.nodesPerReplica",
                f"one server takes {nodes} nodes and {group.name} has at most {most}",
                str(nodes),
                f"at most {most}",
                f"set nodeGroups.{group.name}.size.max: {nodes}, or fewer nodesPerReplica",
            )


@rule("server-nodes-shared")
def server_nodes_shared(context: Context) -> Iterator[RuleFinding]:
    """A server that spans nodes has whole GPUs: NCCL refuses two ranks on one GPU, and no MIG instance reaches another.

    Source: NCCL user guide, and NVIDIA MIG user guide, application considerations: no peer-to-peer between instances.
    """
    for path, _, group in _spanning(context):
        yield from shared_where_whole(path, group)


@rule("server-nodes-whole")
def server_nodes_whole(context: Context) -> Iterator[RuleFinding]:
    """A server that spans nodes takes all GPUs of each: those of one node reach each other faster than those of two.

    Source: vLLM 0.28 `docs/serving/parallelism_scaling.md`: the tensor parallel size is the number of GPUs of a node, the
    pipeline parallel size the number of nodes.
    """
    for path, server, group in _spanning(context):
        each, there = server.tensor_parallel_size, group.type.accelerator.count
        if each < there and not _is_shared(group):
            yield RuleFinding(
                f"{path}.tensorParallelSize",
                f"the server takes {each} of the {there} GPUs of each of its {server.nodes_per_replica} nodes",
                str(each),
                str(there),
                f"set tensorParallelSize: {there}, and fewer nodesPerReplica where that is enough",
            )


@rule("server-nodes-layers")
def server_nodes_layers(context: Context) -> Iterator[RuleFinding]:
    """Every node that a server spans has at least one layer of its model.

    Source: vLLM 0.28 `vllm/distributed/utils.py`, `get_pp_indices`: stages are whole layers.
    """
    for path, server, _ in _spanning(context):
        shape, nodes = shape_of(server), server.nodes_per_replica
        if shape and nodes > shape.layers:
            yield RuleFinding(
                f"{path}.nodesPerReplica",
                f"{server.model} has {shape.layers} layers, for {nodes} nodes",
                str(nodes),
                f"at most {shape.layers}",
                "use fewer nodes",
            )


@rule("server-nodes-uneven", Severity.WARNING)
def server_nodes_uneven(context: Context) -> Iterator[RuleFinding]:
    """The layers of a model divide evenly among the nodes of a server: all stages wait for the fullest one.

    Source: vLLM 0.28 `vllm/distributed/utils.py`, `get_pp_indices`: what is left over goes to single stages, one layer each.
    """
    for path, server, _ in _spanning(context):
        shape, nodes = shape_of(server), server.nodes_per_replica
        if shape and nodes <= shape.layers and shape.layers % nodes:
            even = [n for n in range(2, shape.layers + 1) if shape.layers % n == 0]
            near = min(even, key=lambda n: abs(n - nodes))
            yield RuleFinding(
                f"{path}.nodesPerReplica",
                f"{shape.layers} layers on {nodes} nodes: some have {shape.layers // nodes + 1}, others {shape.layers // nodes}",
                str(nodes),
                f"a divisor of {shape.layers}",
                f"set nodesPerReplica: {near}, if that is enough",
            )


@rule("server-nodes-efa", Severity.WARNING)
def server_nodes_efa(context: Context) -> Iterator[RuleFinding]:
    """Between the nodes of a server pods use all EFA that there is: without, each token waits for TCP once a stage.

    Source: Amazon EKS User Guide, `node-efa`; NCCL falls back to TCP and says so in its log only.
    """
    for path, server, group in _spanning(context):
        available, kind = efa_count(group.interfaces), group.type
        if not kind.network.supports_efa:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{kind.name} has no EFA: what the nodes of a server hand each other for every token goes by TCP, through the CPUs",
                group.name,
                "a node group whose type has EFA",
                "use a larger type of the family, or one node with GPUs that have more memory",
            )
        elif not available:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{kind.name} takes EFA and {group.name} has none: all traffic between nodes is TCP",
                group.name,
                "a node group with efa.enabled",
                f"set nodeGroups.{group.name}.efa.enabled: true, and efaInterfaces here",
            )
        elif server.efa_interfaces < available:
            yield RuleFinding(
                f"{path}.efaInterfaces",
                f"a pod takes a whole node and {server.efa_interfaces} of its {available} EFA interfaces",
                str(server.efa_interfaces),
                str(available),
                f"set efaInterfaces: {available}",
            )


@rule("server-nodes-autoscaling")
def server_nodes_autoscaling(context: Context) -> Iterator[RuleFinding]:
    """The number of servers that span nodes does not follow the load: another one needs several nodes at once.

    LeaderWorkerSet has a scale subresource, but neither Cluster Autoscaler nor Karpenter adds all nodes or none, and a part of
    them is paid for nothing.
    """
    for path, server, _ in _spanning(context):
        if server.autoscaling:
            yield RuleFinding(
                f"{path}.autoscaling",
                f"each further server would need {server.nodes_per_replica} nodes at once, and hold those that come first for nothing",
                "autoscaling",
                "replicas",
                "remove autoscaling, and write replicas",
            )


@rule("server-nodes-placement")
def server_nodes_placement(context: Context) -> Iterator[RuleFinding]:
    """A server that spans nodes says no `placement`: it takes whole nodes, so that no two share one, and none could be filled."""
    for path, server, _ in _spanning(context):
        if server.placement is not ServerPlacement.SPREAD:
            yield RuleFinding(
                f"{path}.placement",
                "each pod of the server has a node to itself",
                server.placement.value,
                ServerPlacement.SPREAD.value,
                "remove placement",
            )


@rule("server-nodes-spot", Severity.WARNING)
def server_nodes_spot(context: Context) -> Iterator[RuleFinding]:
    """A server that spans nodes is not on Spot: AWS takes back one node, and the work of all ends."""
    for path, server, group in _spanning(context):
        if group.settings.bought_as is CapacityType.SPOT:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.name} is bought as Spot: AWS takes back one of {server.nodes_per_replica} nodes, and the server loads anew",
                group.name,
                "an on-demand node group, or one on a Capacity Block",
                "use another node group",
            )


@rule("server-nodes-name")
def server_nodes_name(context: Context) -> Iterator[RuleFinding]:
    """No other workload of the namespace is called as the LeaderWorkerSet of a server, whose headless Service has that name.

    Source: kubernetes-sigs/lws v0.10.0 `pkg/utils/controller/controller_utils.go`: a Service of that name counts as the set's own.
    """
    spaces = {(workload.namespace, name) for _, name, workload in context.settings.workloads.each()}
    for name, server in context.settings.workloads.vllm.items():
        taken = f"{name}-nodes"
        if server.spans_nodes and (server.namespace, taken) in spaces:
            yield RuleFinding(
                f"workloads.vllm.{name}",
                f"its LeaderWorkerSet is called {taken}, as another workload of the namespace {server.namespace} is",
                name,
                "names that differ by more than -nodes",
                "rename one of them, or give it another namespace",
            )


def _is_shared(group: ResolvedNodeGroup) -> bool:
    return group.sharing.strategy != "exclusive"


def _spanning(context: Context) -> Iterator[tuple[str, VllmWorkload, ResolvedNodeGroup]]:
    for path, workload, group in context.placed:
        if isinstance(workload, VllmWorkload) and workload.spans_nodes:
            yield path, workload, group
