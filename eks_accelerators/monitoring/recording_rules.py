"""Recording rules: what several rules and panels ask for, and what only a deployment knows, as series of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType

from eks_accelerators.accelerators import prices
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.monitoring.alerts.capacity_blocks import END
from eks_accelerators.monitoring.alerts.concerns import POOLS, SCALED_NODES, SCALED_SERVERS
from eks_accelerators.monitoring.alerts.missing_accelerators import LAYOUT
from eks_accelerators.monitoring.alerts.phrases import ACCELERATORS, ALIVE, INSTANCE_TYPE, NODE_GROUP, ZONE
from eks_accelerators.monitoring.alerts.scaling import DEPLOYMENTS, EXPECTED
from eks_accelerators.monitoring.gpu_states import BROKEN, BROKEN_GPUS, EVERY_GPU, HELD_GPUS, STATES
from eks_accelerators.monitoring.metrics import resource_label
from eks_accelerators.monitoring.parts import parts_of_node
from eks_accelerators.monitoring.vllm_servers import vllm_servers
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.resolved_stack import ResolvedStack

NO_ENDS: Mapping[str, datetime] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RecordingRule:
    """A series ``name``, what it is recorded from, and the labels that it gets besides. ``means`` is in words."""

    name: str
    expression: str
    means: str
    labels: Mapping[str, str] = field(default_factory=dict)


_INFO = "accelerator:node_info"
GPU_STATE = "accelerator:gpu_state"
_BY_GROUP = "by (node_group, resource)"
_ON_NODE = f"* on (node) group_left (node_group) {_INFO}"

_OURS = f'kube_node_labels{{{NODE_GROUP}!=""}}'
_INFO_LABELS = {"node_group": NODE_GROUP, "instance_type": INSTANCE_TYPE, "zone": ZONE}


def _renamed(series: str, labels: Mapping[str, str]) -> str:
    """A series with labels under short names."""
    for name, label in labels.items():
        series = f'label_replace({series}, "{name}", "$1", "{label}", "(.+)")'
    return series


OF_EVERY_STACK = (
    RecordingRule(
        _INFO,
        f"max by (node, {', '.join(_INFO_LABELS)}) ({_renamed(_OURS, _INFO_LABELS)})",
        "The node group of a node, by the name that it has in the settings, its instance type and its zone.",
    ),
    RecordingRule("accelerator:nodes", f"count by (node_group) ({_INFO})", "Nodes of a node group."),
    RecordingRule(
        "accelerator:allocatable",
        f"sum {_BY_GROUP} (max by (node, resource)"
        f' (kube_node_status_allocatable{{resource=~"{ACCELERATORS}"}}) {_ON_NODE})',
        "What the nodes of a group offer, by resource. Claimed GPUs are no resource.",
    ),
    RecordingRule(
        "accelerator:requested",
        # Two copies of kube-state-metrics, as while a new one takes over, tell of the same container twice.
        f"sum {_BY_GROUP} (max by (namespace, pod, container, node, resource)"
        f' (kube_pod_container_resource_requests{{resource=~"{ACCELERATORS}", node!=""}})'
        f" * on (namespace, pod) group_left () ({ALIVE}) {_ON_NODE})",
        "What the pods on the nodes of a group have asked for, by resource.",
    ),
    RecordingRule(
        "accelerator:free",
        "accelerator:allocatable - (accelerator:requested or 0 * accelerator:allocatable)",
        "What the nodes of a group have left, by resource.",
    ),
    RecordingRule(BROKEN, BROKEN_GPUS, "GPUs of which a critical alert says that they are of no use, deployed or not."),
    *(
        RecordingRule(
            GPU_STATE,
            expression,
            "1 of each GPU: `broken`; else `busy`, where its engine ran for more than 2 percent of the last 5 minutes; else "
            "`idle`, where a pod holds it or a part of it; else `free`.",
            {"state": state},
        )
        for state, expression in STATES.items()
    ),
)
"""Recording rules that do not depend on the stack."""

PRICE, PER_HOUR = "accelerator:price_usd_per_hour", "accelerator:usd_per_hour"
PER_TOKENS = "accelerator:usd_per_million_tokens"
PART, ALLOCATED = "accelerator:part_of_node", "accelerator:allocated_ratio"
NOT_ALLOCATED, IDLE = "accelerator:unallocated_usd_per_hour", "accelerator:idle_usd_per_hour"

OF_SOME_STACKS = {
    PRICE: "List price of a node of a group that is bought on demand, by its instance type, without its disks. What spot costs changes, and a "
    "Capacity Block is paid for before: of their groups there is none.",
    PER_HOUR: "List price of all nodes that a group has now.",
    PER_TOKENS: "List price of a million generated tokens, idle time included. Nothing where none are generated, or where a "
    "group that serves has no price.",
    PART: "How much of a node's accelerators one unit of a resource is, by memory: a GPU, a share of one, a MIG instance.",
    ALLOCATED: "How much of a group's accelerators pods have asked for, or of claimed GPUs hold, from 0 to 1.",
    NOT_ALLOCATED: "List price of what no pod of a group has asked for.",
    IDLE: "List price of the GPUs of a group that pods hold and that are idle.",
    LAYOUT: "How many of each resource a node of a group has whose GPUs MIG divides, by the settings.",
    EXPECTED: "The autoscalers that the stack deploys, by name.",
    END: "When a Capacity Block ends, as it was known at the deployment.",
}
"""What is recorded of a stack where it is known: names, and what they mean."""

_NO_PRICE = "no node group is bought on demand at a list price that is known"
WHY_NOT = {
    **dict.fromkeys((PRICE, PER_HOUR, NOT_ALLOCATED, IDLE), _NO_PRICE),
    PER_TOKENS: "a node group with vLLM servers has no list price that is known, or is not bought on demand",
    END: "nobody says when a Capacity Block ends: write its expect.end",
}
"""Why some of it is not recorded of a stack."""


def recording_rules(stack: ResolvedStack, block_ends: Mapping[str, datetime] = NO_ENDS) -> tuple[RecordingRule, ...]:
    """Every recording rule of a stack, each after those that it needs. ``block_ends`` is what AWS says of blocks."""
    of_some = (*_allocated(stack), *_layouts(stack), *_prices(stack), *_autoscalers(stack))
    return (*OF_EVERY_STACK, *of_some, *_block_ends(stack, block_ends))


def block_end(stack: ResolvedStack, name: str, block_ends: Mapping[str, datetime] = NO_ENDS) -> datetime | None:
    """When the Capacity Block ``name`` ends: as AWS says, or else as the settings do; None where neither does."""
    block = stack.settings.capacity_blocks.get(name)
    if name in block_ends or block is None:
        return block_ends.get(name)
    if block.purchase:
        return block.purchase.start + timedelta(hours=block.purchase.duration_hours)
    return block.expect.end


def unknown_ends(stack: ResolvedStack, block_ends: Mapping[str, datetime]) -> tuple[str, ...]:
    """Names of the Capacity Blocks that node groups use and of which nobody says when they end."""
    return tuple(name for _, name in _blocks(stack) if block_end(stack, name, block_ends) is None)


def _blocks(stack: ResolvedStack) -> Iterator[tuple[str, str]]:
    """Node group and Capacity Block."""
    return ((group.name, name) for group in stack.groups.values() for name in group.settings.blocks)


def _block_ends(stack: ResolvedStack, block_ends: Mapping[str, datetime]) -> Iterator[RecordingRule]:
    for group, name in _blocks(stack):
        if end := block_end(stack, name, block_ends):
            labels = {"capacity_block": name, "node_group": group}
            yield _of_some(END, f"vector({end.timestamp():.0f})", **labels)


def _allocated(stack: ResolvedStack) -> Iterator[RecordingRule]:
    """How much of each group is allocated: by what pods ask for, or where they claim GPUs by what they hold."""
    for group in stack.groups.values():
        for resource, part in parts_of_node(group).items():
            yield _of_some(PART, f"vector({part:.6g})", node_group=group.name, resource=resource_label(resource))
    if asked := [name for name, group in stack.groups.items() if not group.is_claimed]:
        nodes = f'accelerator:nodes{{node_group=~"{"|".join(asked)}"}}'
        parts = f"sum by (node_group) (accelerator:requested * on (node_group, resource) {PART})"
        yield _of_some(ALLOCATED, f"({parts} or 0 * {nodes}) / {nodes}")
    if claimed := [name for name, group in stack.groups.items() if group.is_claimed]:
        info = f'* on (node) group_left (node_group) {_INFO}{{node_group=~"{"|".join(claimed)}"}}'
        held, every = (f"sum by (node_group) ({gpus} {info})" for gpus in (HELD_GPUS, EVERY_GPU))
        yield _of_some(ALLOCATED, f"({held} or 0 * {every}) / {every}")


def _layouts(stack: ResolvedStack) -> Iterator[RecordingRule]:
    for group in stack.groups.values():
        if group.sharing.mig is not None and not group.is_claimed:
            for resource, count in group.resources.items():
                if resource != EFA_DEVICE:
                    yield _of_some(LAYOUT, f"vector({count})", node_group=group.name, resource=resource_label(resource))


def _prices(stack: ResolvedStack) -> Iterator[RecordingRule]:
    known = set()
    for group in stack.groups.values():
        found = {name: prices.on_demand(name, stack.settings.region) for name in group.settings.instance_types}
        if None not in found.values() and group.settings.bought_as is CapacityType.ON_DEMAND:
            known.add(group.name)
            for name, price in found.items():
                yield _of_some(PRICE, f"vector({price})", node_group=group.name, instance_type=name)
    if known:
        by_type = "node_group, instance_type"
        nodes = f"count by ({by_type}) ({_INFO})"
        yield _of_some(PER_HOUR, f"sum by (node_group) ({nodes} * on ({by_type}) max by ({by_type}) ({PRICE}))")
        yield _of_some(NOT_ALLOCATED, f"{PER_HOUR} * on (node_group) (1 - {ALLOCATED})")
        states = f"{GPU_STATE} {_ON_NODE}"
        idle = f'sum by (node_group) ({GPU_STATE}{{state="idle"}} {_ON_NODE})'
        yield _of_some(IDLE, f"{PER_HOUR} * on (node_group) ({idle} / sum by (node_group) ({states}))")
    serving = {placed.group.name for placed in vllm_servers(stack)}
    if serving and serving <= known:
        usd = f'sum ({PER_HOUR}{{node_group=~"{"|".join(sorted(serving))}"}})'
        tokens = "sum (rate(vllm:generation_tokens_total[1h]))"
        yield _of_some(PER_TOKENS, f"1e6 * {usd} / (3600 * {tokens} > 0)")


def _autoscalers(stack: ResolvedStack) -> Iterator[RecordingRule]:
    for name, concern in zip(DEPLOYMENTS, (SCALED_NODES, POOLS, SCALED_SERVERS), strict=True):
        if concern.applies(stack):
            yield _of_some(EXPECTED, "vector(1)", autoscaler=name)


def _of_some(name: str, expression: str, **labels: str) -> RecordingRule:
    return RecordingRule(name, expression, OF_SOME_STACKS[name], labels)
