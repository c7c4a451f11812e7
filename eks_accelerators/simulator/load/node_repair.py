"""What EKS node auto repair does with a node whose accelerators fail.

A condition that the node monitoring agent has made false is acted upon after ten minutes if it is AcceleratedHardwareReady,
and after thirty otherwise, as is a node of which the kubelet does not say that it is ready; the settings of a node group may say something else of a condition and its reason. To replace a
node is to terminate its instance: the scaling group launches another one. Nothing is repaired where more than five nodes of
a group, and more than a fifth of them, are unhealthy. A reboot leaves the fault where it is: hardware is not fixed by it.

Left out: draining before a node goes, zonal shifts, thresholds of one's own, and that repairs go one after the other.

Source: Amazon EKS User Guide, "Automatically repair nodes in EKS clusters", and the API's `NodeRepairConfig`; read 2026-11-22.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.settings.model.node_groups import NodeRepair, RepairAction
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.metrics.signs import ACCELERATED_HARDWARE

READY = "Ready"
CONDITIONS = (ACCELERATED_HARDWARE, "KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady")
"""Conditions of a node that the node monitoring agent sets, and node auto repair acts on."""
HARDWARE_SECONDS, OTHER_SECONDS = 600, 1800
_SMALL_GROUP, _UNHEALTHY_SHARE = 5, 0.2
_NO_ACTION = ("DCGMDiagnosticFailure", "DCGMError", "DCGMHealthCode")
"""Reasons on which nothing is done by default."""

_Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unhealthy:
    """A condition of a node that is false, or of `Ready` that is not true."""

    condition: str
    reason: str


@dataclass(slots=True)
class NodeRepairs:
    """Repairs of the groups whose settings want them, by their names; moments are seconds of simulated time.

    ``advance`` lets the account's clock come to now: what is launched is launched then.
    """

    account: Account
    advance: Callable[[], None]
    settings: Mapping[str, NodeRepair]
    _since: dict[tuple[str, str, str], float] = field(default_factory=dict)
    _acted: set[str] = field(default_factory=set)

    def look(self, nodes: Mapping[str, Sequence[_Node]], now: float) -> list[str]:
        """Look at all nodes, which are by node group. Returns what was done, in words."""
        done: list[str] = []
        self._forget(nodes)
        for group, members in nodes.items():
            settings = self.settings.get(group)
            if settings is None or not settings.enabled:
                continue
            unhealthy = [(node, found) for node in members if (found := list(unhealthy_of(node)))]
            halted = len(members) > _SMALL_GROUP and len(unhealthy) > _UNHEALTHY_SHARE * len(members)
            for node, found in unhealthy:
                due = [each for each in found if self._is_due(node, each, settings, now)]
                if due and not halted and node["metadata"]["uid"] not in self._acted:
                    done.append(self._replace(node, due[0]))
        return done

    def _forget(self, nodes: Mapping[str, Sequence[_Node]]) -> None:
        """What is well again has not been unhealthy since then."""
        every = (node for members in nodes.values() for node in members)
        still = {
            (node["metadata"]["uid"], found.condition, found.reason) for node in every for found in unhealthy_of(node)
        }
        self._since = {key: since for key, since in self._since.items() if key in still}

    def _is_due(self, node: _Node, found: Unhealthy, settings: NodeRepair, now: float) -> bool:
        action, wait = action_of(found, settings)
        since = self._since.setdefault((node["metadata"]["uid"], found.condition, found.reason), now)
        return action is RepairAction.REPLACE and now - since >= wait

    def _replace(self, node: _Node, found: Unhealthy) -> str:
        instance = node["spec"]["providerID"].rpartition("/")[2]
        self._acted.add(node["metadata"]["uid"])
        self.advance()
        self.account.call(
            "autoscaling",
            "terminate_instance_in_auto_scaling_group",
            InstanceId=instance,
            ShouldDecrementDesiredCapacity=False,
        )
        return f"node repair replaces {node['metadata']['name'].partition('.')[0]} ({found.reason})"


def unhealthy_of(node: _Node) -> Iterator[Unhealthy]:
    """What the node monitoring agent says is wrong with a node, or its kubelet, also where it says nothing."""
    for each in node.get("status", {}).get("conditions") or []:
        wrong = each["status"] == "False" or (each["type"] == READY and each["status"] == "Unknown")
        if each["type"] in (*CONDITIONS, READY) and wrong:
            yield Unhealthy(each["type"], str(each.get("reason", "")))


def action_of(found: Unhealthy, settings: NodeRepair) -> tuple[RepairAction, float]:
    """What is done about it, and after how many seconds."""
    for override in settings.overrides:
        if (override.node_monitoring_condition, override.node_unhealthy_reason) == (found.condition, found.reason):
            return override.repair_action, override.min_repair_wait_time_mins * 60
    if found.reason in _NO_ACTION:
        return RepairAction.NO_ACTION, 0
    return RepairAction.REPLACE, HARDWARE_SECONDS if found.condition == ACCELERATED_HARDWARE else OTHER_SECONDS
