"""Faults of devices, exporters and nodes that a user asks for, and on which node each has struck.

A fault strikes one device of one node, the first of its kind, and stays with that node: another node in its place is
well, as after a repair.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eks_accelerators.accelerators.device_plugin.nodes import MIG_PREFIX
from eks_accelerators.accelerators.sharing import NEURON_CORE, NEURON_DEVICE, NVIDIA_GPU
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.cluster import OF_PLUGINS, ClusterObjects, Object, group_of, type_of, uid
from eks_accelerators.simulator.metrics.fault_kinds import KINDS, FaultKind
from eks_accelerators.simulator.metrics.signs import Signs, Struck

_OF_NO_NODE = frozenset({Exporter.KUBE_STATE_METRICS})
"""Simulated exporters of which there is one for the cluster."""

_NVIDIA = "nvidia.com/"


class FaultError(ValueError):
    """A fault that is not understood: what was found, what is allowed, and how it is written."""


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """One fault. ``where`` is a node group or a node; empty for the first node on which it can be."""

    kind: FaultKind
    value: str = ""
    where: str = ""

    def __str__(self) -> str:
        value = f"={self.value}" if self.value else ""
        return f"{self.kind.name}{value}{f':{self.where}' if self.where else ''}"

    @property
    def signs(self) -> Signs:
        """What the fault changes in metrics, conditions and logs."""
        return self.kind.signs(self.value)

    @property
    def is_of_a_node(self) -> bool:
        """Whether it is of one node, and not of the whole cluster."""
        return self.signs.silent not in _OF_NO_NODE and self.signs.stopped is None

    def can_strike(self, node: Object) -> bool:
        """Whether the node is one that it is for."""
        wanted = self.where in ("", group_of(node), node["metadata"]["name"])
        return wanted and self.kind.strikes(type_of(node)) and is_true(node, "Ready")


def parse(text: str, groups: Collection[str] | None = None, others: Mapping[str, str] | None = None) -> DeviceFault:
    """`KIND[=VALUE][:WHERE]` as a fault. With ``groups``, the node groups that there are, WHERE is one of them or a node.

    ``others`` are faults that the caller reads himself, each with how it is written: a KIND that nobody knows may be meant
    for one of them. Raises `FaultError`.
    """
    what, _, where = text.partition(":")
    name, equals, value = what.partition("=")
    written = f"--fault {text if text.isprintable() else repr(text)}"
    kind = KINDS.get(name)
    if kind is None:
        forms = {**{known: _form(each) for known, each in KINDS.items()}, **(others or {})}
        near = closest(name, forms)
        advice = f"write {forms[near]}" if near else f"write one of them, such as {forms['xid']}"
        raise FaultError(f"{written}: found {name!r}; allowed: {', '.join(forms)}; {advice}")
    given = value if equals else kind.usual
    if given is None or not kind.takes(given):
        found = repr(value) if equals else "no value"
        raise FaultError(f"{written}: found {found}; allowed: {kind.allowed}; write {_form(kind)}")
    if where and groups is not None and where not in groups and "." not in where:
        known = ", ".join(sorted(groups)) or "no node group"
        raise FaultError(f"{written}: found {where!r}; allowed: {known}, or a node's whole name; write {_form(kind)}")
    return DeviceFault(kind, given, where)


def _form(kind: FaultKind) -> str:
    example = DeviceFault(kind, {"xid": "79", "recovery": "1"}.get(kind.name, kind.usual or ""))
    return f"{example}:GROUP" if example.is_of_a_node else str(example)


class DeviceFaults:
    """All faults of a simulation. They strike as soon as there is something to be struck."""

    def __init__(self, faults: Iterable[DeviceFault] = ()) -> None:
        self._waiting = tuple(faults)
        self._struck: tuple[tuple[str, DeviceFault, float], ...] = ()
        """Which node, by its UID, which fault, and since when."""
        self.version = 0
        """Another number after every change."""

    def add(self, fault: DeviceFault) -> None:
        """A fault more, which strikes at the next look."""
        self._waiting = (*self._waiting, fault)

    def end(self, fault: DeviceFault) -> None:
        """The fault is over, or never strikes. What it has left behind, such as a condition of its node, goes with it."""
        self._waiting = tuple(each for each in self._waiting if each is not fault)
        self._struck = tuple(each for each in self._struck if each[1] is not fault)
        self.version += 1

    def clear(self) -> None:
        """End all faults, those that have not struck included."""
        self._waiting, self._struck, self.version = (), (), self.version + 1

    @property
    def waiting(self) -> Sequence[DeviceFault]:
        """Faults that have found nothing to strike yet."""
        return self._waiting

    def strike(self, cluster: ClusterObjects, now: float) -> None:
        """Let those that wait strike, at ``now`` by the wall clock."""
        nodes = sorted(cluster.nodes, key=lambda node: str(node["metadata"]["name"]))
        for fault in self._waiting:
            node = self._victim(fault, nodes) if fault.is_of_a_node else ""
            if node is not None:
                self._waiting = tuple(each for each in self._waiting if each is not fault)
                self._struck = (*self._struck, (node, fault, now))
                self.version += 1

    def _victim(self, fault: DeviceFault, nodes: Sequence[Object]) -> str | None:
        """The UID of the node that it strikes: the first, of several alike each another one; None where there is none."""
        found = [uid(node) for node in nodes if fault.can_strike(node)]
        alike = {node for node, each, _ in self._struck if (each.kind, each.value) == (fault.kind, fault.value)}
        return next((node for node in found if node not in alike), next(iter(found), None))

    def on(self, node: Object) -> tuple[Struck, ...]:
        """What has struck a node."""
        return tuple(Struck(fault.signs, since) for name, fault, since in self._struck if name == uid(node))

    def silences(self, exporter: Exporter, node: Object | None) -> bool:
        """Whether that exporter, on that node or of no node, does not answer."""
        return any(
            fault.signs.silent is exporter and (not fault.is_of_a_node or (node is not None and name == uid(node)))
            for name, fault, _ in self._struck
        )

    @property
    def stopped(self) -> frozenset[Exporter]:
        """Autoscalers that do not run."""
        return frozenset(fault.signs.stopped for _, fault, _ in self._struck if fault.signs.stopped is not None)

    def found(self, node: Object, resources: Mapping[str, int]) -> dict[str, int]:
        """What plugins find on the node, where its settings divide its GPUs into ``resources``."""
        undivided = any(struck.signs.undivided for struck in self.on(node))
        return _undivided(node, resources) if undivided else dict(resources)

    def healthy(self, node: Object, resources: Mapping[str, int]) -> dict[str, int]:
        """How many of the node's ``resources``, its capacity, are still handed out."""
        signs = [struck.signs for struck in self.on(node)]
        if any(each.without_plugin for each in signs):
            return {name: 0 if OF_PLUGINS.fullmatch(name) else count for name, count in resources.items()}
        left = dict(resources)
        for _ in (each for each in signs if not each.handed_out):
            for name, fewer in dict(_one_device(node, left)).items():
                left[name] = max(0, left[name] - fewer)
        return left


def _undivided(node: Object, resources: Mapping[str, int]) -> dict[str, int]:
    """What there is where no GPU is divided. Source: NVIDIA/k8s-device-plugin v0.20.0, `internal/rm`."""
    kind = type_of(node)
    if kind is None or not any(name.startswith(MIG_PREFIX) for name in resources):
        return {name: kind.accelerator.count if kind and name == NVIDIA_GPU else n for name, n in resources.items()}
    whole = {name: 0 if name.startswith(MIG_PREFIX) else count for name, count in resources.items()}
    return {**whole, NVIDIA_GPU: kind.accelerator.count}


def _one_device(node: Object, resources: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """What a device that is not handed out takes away.

    NVIDIA's plugin knows one device of a GPU, and takes back that one: a share of it, or one of its instances
    (NVIDIA/k8s-device-plugin, `internal/rm/health.go`). Of Neuron the cores of the device go too, which is believed.
    """
    nvidia = sorted(name for name, count in resources.items() if name.startswith(_NVIDIA) and count)
    if nvidia:
        yield nvidia[0], 1
    kind = type_of(node)
    devices = kind.neuron.device_count if kind is not None and kind.neuron is not None else 0
    if devices and resources.get(NEURON_DEVICE):
        yield NEURON_DEVICE, 1
        if NEURON_CORE in resources:
            yield NEURON_CORE, resources[NEURON_CORE] // resources[NEURON_DEVICE]
