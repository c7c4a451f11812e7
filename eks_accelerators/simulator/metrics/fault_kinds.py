"""Kinds of fault, each with what it makes visible and who says so. A new one is one entry of `KINDS`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics import fault_signs
from eks_accelerators.simulator.metrics.signs import Signs

OF_REAL_PROGRAMS = {
    Exporter.CLUSTER_AUTOSCALER: "the real program runs in a simulation with an autoscaler, and shows its own",
    Exporter.KARPENTER: "the real program runs in a simulation with pools of its own, and shows its own",
    Exporter.KEDA: "the real program runs in a simulation that scales servers, and shows its own",
    Exporter.PROMETHEUS: "the server that scrapes says it",
}
"""Exporters that are not simulated, and why. No fault silences them: a real program answers for itself."""

_AUTOSCALERS = (Exporter.KEDA, Exporter.CLUSTER_AUTOSCALER, Exporter.KARPENTER)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault: ``pattern`` and ``allowed`` are of its value, in two ways; ``usual`` is the value where none is given.

    ``strikes`` says of which nodes it can be. ``source`` is in words.
    """

    name: str
    means: str
    pattern: str
    allowed: str
    usual: str | None
    strikes: Callable[[InstanceType | None], bool]
    signs: Callable[[str], Signs]
    source: str

    def takes(self, value: str) -> bool:
        """Whether that is a value of it."""
        return re.fullmatch(self.pattern, value) is not None

    @property
    def nodes(self) -> str:
        """Of which nodes it can be, in words."""
        return _NODES[self.strikes]


def _gpu(kind: InstanceType | None) -> bool:
    return kind is not None and kind.has_nvidia_gpu


def _several_gpus(kind: InstanceType | None) -> bool:
    return kind is not None and kind.has_nvidia_gpu and kind.accelerator.count > 1


def _several(kind: InstanceType | None) -> bool:
    return kind is not None and kind.accelerator.count > 1


def _divisible(kind: InstanceType | None) -> bool:
    return kind is not None and kind.mig_capable


def _neuron(kind: InstanceType | None) -> bool:
    return kind is not None and kind.neuron is not None


def _accelerated(kind: InstanceType | None) -> bool:
    return kind is not None


def _efa(kind: InstanceType | None) -> bool:
    return kind is not None and kind.network.supports_efa


def _any(_kind: InstanceType | None) -> bool:
    return True


_NODES = {
    _gpu: "nodes with an NVIDIA GPU",
    _several_gpus: "nodes with several NVIDIA GPUs",
    _several: "nodes with several GPUs or Neuron devices",
    _divisible: "nodes whose GPUs MIG can divide",
    _neuron: "nodes with Neuron devices",
    _accelerated: "accelerator nodes",
    _efa: "accelerator nodes that can have EFA",
    _any: "any node, or none",
}


def _kind(
    name: str,
    strikes: Callable[[InstanceType | None], bool],
    signs: Callable[[str], Signs],
    *,
    means: str,
    source: str,
    values: str | tuple[str, ...] = "",
    allowed: str = "",
    usual: str | None = None,
) -> FaultKind:
    pattern = values if isinstance(values, str) else "|".join(re.escape(value) for value in values)
    words = allowed or (", ".join(values) if values else "no value")
    return FaultKind(name, means, pattern, words, usual if values else "", strikes, signs, source)


_PLUGIN = "NVIDIA device plugin `internal/rm/health.go`, agent `dcgm_policies.go`"
_EXECUTION_ERRORS = ("hardware", "runtime", "generic", "numeric", "transient", "model")

KINDS = {
    kind.name: kind
    for kind in (
        _kind(
            "xid",
            _gpu,
            fault_signs.xid,
            means="A GPU has this XID once. What follows is as with that XID: another health, the device handed out no more.",
            source=_PLUGIN,
            values=r"[1-9]\d{0,2}",
            allowed="a number from 1 to 999, such as 79",
        ),
        _kind(
            "lost-gpu",
            _gpu,
            fault_signs.lost,
            means="The driver sees a GPU no more: no series of it, one device less to hand out, a count that does not match.",
            source="agent: `dcgm_devices.go`; that the exporter shows nothing of it is believed",
        ),
        _kind(
            "recovery",
            _gpu,
            fault_signs.recovery,
            means="The driver asks for a recovery of a GPU, and says so with XID 154.",
            source="NVIDIA/DCGM v4.6.0, field 1523; XID 154 is believed",
            values="[1-7]",
            allowed="an action from 1 to 7",
            usual="1",
        ),
        _kind(
            "ecc",
            _gpu,
            fault_signs.ecc,
            means="Memory errors: uncorrected is one with XID 48 and a row that waits to be remapped, corrected a thousand.",
            source="agent: `dcgm_policies.go`; rows are believed",
            values=("uncorrected", "corrected"),
            usual="uncorrected",
        ),
        _kind(
            "row-remap",
            _gpu,
            fault_signs.row_remap,
            means="A row of memory waits for a reset to be remapped (XID 63), or cannot be (XID 64).",
            source=_PLUGIN,
            values=("pending", "failed"),
            usual="pending",
        ),
        _kind(
            "throttle",
            _gpu,
            lambda value: fault_signs.SLOWED[value],
            means="Clocks are kept down: by heat for 30 % of the time, by the hardware, or by the power brake of its board.",
            source="names: NVIDIA/dcgm-exporter d5e5f51; shares are made up",
            values=tuple(fault_signs.SLOWED),
            usual="heat",
        ),
        _kind(
            "pcie-replays",
            _gpu,
            fault_signs.replays,
            means="PCIe sends packets again, so many per minute.",
            source="agent: `dcgm_policies.go`",
            values=r"[1-9]\d{0,5}",
            allowed="packets per minute, such as 60",
            usual="60",
        ),
        _kind(
            "nvlink",
            _several_gpus,
            fault_signs.nvlink,
            means="NVLink has 200 checksum errors a second, or a recovery that failed.",
            source="agent: `dcgm_policies.go`; the rate is made up",
            values=("checksums", "recovery"),
            usual="checksums",
        ),
        _kind(
            "slow-link",
            _several,
            lambda value: Signs(link_speed=int(value) / 100),
            means="The accelerators of a node exchange data at this part of their speed, in percent; nothing else shows it.",
            source="made up",
            values=r"[1-9]\d?",
            allowed="a percentage from 1 to 99",
            usual="25",
        ),
        _kind(
            "slow-network",
            _gpu,
            lambda value: Signs(without_efa=True) if value == "tcp" else Signs(network_speed=int(value) / 100),
            means="A node exchanges data with others at this part of its speed, in percent; or by TCP, as NCCL finds no EFA.",
            source="made up; what NCCL says: aws-ofi-nccl 1.21.1",
            values=r"[1-9]\d?|tcp",
            allowed="a percentage from 1 to 99, or tcp",
            usual="25",
        ),
        _kind(
            "slow-volume",
            _accelerated,
            lambda value: Signs(volume_speed=int(value) / 100),
            means="File systems that the pods of a node mount are read and written at this part of their speed, in percent.",
            source="made up",
            values=r"[1-9]\d?",
            allowed="a percentage from 1 to 99",
            usual="25",
        ),
        _kind(
            "mig-layout",
            _divisible,
            lambda _value: Signs(undivided=True),
            means="The GPUs of a node are whole, whatever its settings divide them into.",
            source="NVIDIA/k8s-device-plugin v0.20.0: it advertises what it finds when it starts; that what was there before stays capacity for 5 minutes is left out",
        ),
        _kind(
            "efa",
            _efa,
            fault_signs.efa,
            means="Errors of EFA in bursts: the agent counts one finding a minute. No exporter shows EFA's own counters.",
            source="agent: `monitors/networking/efa/efa.go`",
        ),
        _kind(
            "neuron",
            _neuron,
            lambda value: Signs(execution_errors={value: 1 / 60}),
            means="Executions fail, one a minute, while something runs on the Neuron devices.",
            source="kinds: neuron-monitor 1.11.0; the rate is made up",
            values=_EXECUTION_ERRORS,
            usual="hardware",
        ),
        _kind(
            "neuron-ecc",
            _neuron,
            fault_signs.neuron_ecc,
            means="A Neuron device has a memory error that cannot be corrected, in its memory or in its SRAM.",
            source="agent: `monitors/neuron/monitor.go`; that the device plugin then hands it out no more is believed",
            values=("mem", "sram"),
            usual="mem",
        ),
        _kind(
            "condition",
            _accelerated,
            fault_signs.condition,
            means="The node monitoring agent finds something fatal of this kind.",
            source="agent: `pkg/conditions`",
            values=tuple(fault_signs.CONDITIONS),
            usual="KernelReady",
        ),
        _kind(
            "plugin-down",
            _accelerated,
            lambda _value: Signs(without_plugin=True),
            means="The device plugin of a node does not run: the kubelet counts its devices as 0.",
            source="Kubernetes `pkg/kubelet/cm/devicemanager`; that capacity follows after 5 minutes is left out",
        ),
        _kind(
            "memory-full",
            _gpu,
            lambda _value: Signs(memory_full=True),
            means="A program that no pod accounts for holds all memory of a GPU that its pods leave.",
            source="that a driver lets it is general knowledge",
        ),
        _kind(
            "kubelet-down",
            _accelerated,
            lambda _value: Signs(kubelet_gone=True),
            means="The kubelet of a node says nothing any more: `Ready` is `Unknown`. Its pods run on, and are not ready.",
            source="Kubernetes `pkg/controller/nodelifecycle`; that pods are evicted after 5 minutes is left out",
        ),
        _kind(
            "pod-unready",
            _accelerated,
            lambda _value: Signs(pod_unready=True),
            means="The first pod of a node that holds an accelerator runs, and its readiness probe fails.",
            source="Kubernetes documentation, pod lifecycle",
        ),
        _kind(
            "pod-crashes",
            _accelerated,
            lambda _value: Signs(pod_restarts=True),
            means="The container of the first pod of a node that holds an accelerator ends as soon as it has begun: it is "
            "started again after 10 s, 20 s, 40 s and so on, at last every 5 minutes.",
            source="Kubernetes documentation, pod lifecycle, `CrashLoopBackOff`",
        ),
        _kind(
            "exporter-down",
            _any,
            lambda value: Signs(silent=Exporter(value)),
            means="An exporter is found and does not answer. Cluster Autoscaler and KEDA are real programs, and answer.",
            source="Prometheus documentation, `jobs_instances`",
            values=tuple(exporter.value for exporter in Exporter if exporter not in OF_REAL_PROGRAMS),
            usual=Exporter.DCGM.value,
        ),
        _kind(
            "autoscaler-down",
            _any,
            lambda value: Signs(stopped=Exporter(value)),
            means="The Deployment of an autoscaler is scaled to 0, and its program does nothing. At the end it goes on with what it "
            "knew, where a new pod would begin anew.",
            source="what a scale of 0 does: Kubernetes documentation, Deployments",
            values=tuple(exporter.value for exporter in _AUTOSCALERS),
            usual=Exporter.KEDA.value,
        ),
    )
}
"""Every kind of fault, by its name."""


def table() -> list[str]:
    """Every kind as a row of a table in Markdown: how it is written, its values, on what it can be, what it means, who says so."""
    rows = ["| Fault | Values | Strikes | What happens | Source |", "| --- | --- | --- | --- | --- |"]
    for kind in KINDS.values():
        usual = f", usually `{kind.usual}`" if kind.usual else ""
        rows.append(f"| `{kind.name}` | {kind.allowed}{usual} | {kind.nodes} | {kind.means} | {kind.source} |")
    return rows
