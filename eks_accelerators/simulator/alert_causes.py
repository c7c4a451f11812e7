"""What makes each alert fire in a simulated cluster: faults of devices and pods, loads, the clock, and states of the cluster.

Minutes are those of a real Prometheus that evaluates every 30 seconds, on a node whose group has no node repair;
`tests/simulator/test_faults_in_the_loop.py` and `tests/simulator/test_autoscalers_in_trouble.py` hold them, of Karpenter
`tests/simulator/test_closed_loop_karpenter.py`, of Triton and kube-state-metrics `tests/simulator/test_closed_loop_kinds.py`;
those of NIM and TensorFlow Serving are promtool's, in `tests/simulator/metrics/test_exporters_down.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.simulator.load.timed_faults import NO_CAPACITY
from eks_accelerators.simulator.metrics.fault_kinds import KINDS
from eks_accelerators.simulator.metrics.signs import Signs


class CauseKind(StrEnum):
    """What makes an alert fire: a fault of a device, the load on servers, or how the cluster is."""

    FAULT = "fault"
    LOAD = "load"
    STATE = "state"


class Site(StrEnum):
    """What has to be there, in words."""

    ONE_GPU = "a node with one NVIDIA GPU"
    SHARED_GPU = "a GPU that pods share"
    DIVIDED_GPU = "a GPU divided by MIG"
    LINKED_GPUS = "a node with several NVIDIA GPUs and EFA"
    NEURON = "a node with Neuron devices, a pod on them"
    SERVERS = "a vLLM server"
    OTHER_SERVERS = "a server of that kind"
    OBJECTS = "a cluster with kube-state-metrics"
    SCALED = "servers and nodes that follow the load"
    POOLS = "servers that follow the load on nodes of Karpenter"
    BLOCK = "a node group on a Capacity Block"
    ANY = "an accelerator node"


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause. ``text`` is a fault as after `--fault`, without where; else words.

    ``fires`` has all alerts that fire of it alone, each with the minutes until then.
    """

    kind: CauseKind
    text: str
    site: Site
    fires: Mapping[str, float]

    @property
    def signs(self) -> Signs:
        """What it makes visible; nothing of what is no fault of a device, an exporter or a node."""
        name, _, value = self.text.partition("=")
        fault = KINDS.get(name) if self.kind is CauseKind.FAULT else None
        return fault.signs(value or fault.usual or "") if fault else Signs()


def _fault(text: str, site: Site = Site.ONE_GPU, **fires: float) -> Cause:
    return Cause(CauseKind.FAULT, text, site, fires)


def _load(text: str, site: Site = Site.SERVERS, **fires: float) -> Cause:
    return Cause(CauseKind.LOAD, text, site, fires)


def _state(text: str, site: Site = Site.ANY, **fires: float) -> Cause:
    return Cause(CauseKind.STATE, text, site, fires)


_BROKEN: Mapping[str, float] = {
    "GpuXidNeedsReset": 1,
    "AcceleratedHardwareNotReady": 2,
    "GpuHealthFailed": 3,
    "GpuRecoveryActionNeeded": 6,
}
"""What a GPU causes that is broken until it is reset."""


_SOME_LEFT: Mapping[str, float] = {"AcceleratorDeviceLost": 6}
_NOTHING_LEFT: Mapping[str, float] = {"NodeWithoutItsAccelerators": 11}
"""What it causes beside that, by whether the node has more to hand out."""


def _broken(text: str, site: Site = Site.ONE_GPU, **more: float) -> Cause:
    left = _NOTHING_LEFT if site is Site.ONE_GPU else _SOME_LEFT
    return Cause(CauseKind.FAULT, text, site, {**_BROKEN, **left, **more})


CAUSES = (
    _broken("xid=79"),
    _broken("xid=79", Site.SHARED_GPU),
    _broken("xid=79", Site.DIVIDED_GPU),
    _broken("xid=95"),
    _fault("xid=31", GpuXidOfApplication=1),
    _fault("xid=31", Site.SHARED_GPU, GpuXidOfApplication=1),
    _fault("xid=31", Site.DIVIDED_GPU, GpuXidOfApplication=1),
    _fault("xid=38", GpuXidUnclassified=1, NodeWithoutItsAccelerators=11),
    _fault("recovery=2", GpuRecoveryActionNeeded=6),
    _broken("ecc=uncorrected", GpuDoubleBitEcc=1, GpuRowRemapPending=16),
    _fault("ecc=corrected"),
    _fault("slow-link=25", Site.LINKED_GPUS),
    _fault("slow-network=25"),
    _fault("slow-volume=25"),
    _fault("mig-layout", Site.DIVIDED_GPU, MigLayoutWrong=11),
    _broken("row-remap=failed", GpuRowRemapFailed=1),
    _fault(
        "row-remap=pending",
        AcceleratedHardwareNotReady=2,
        NodeWithoutItsAccelerators=11,
        GpuRowRemapPending=16,
    ),
    _fault(
        "lost-gpu",
        AcceleratedHardwareNotReady=2,
        GpuExporterMissing=11,
        NodeWithoutItsAccelerators=11,
    ),
    _fault("throttle=heat", GpuThermalThrottle=12),
    _fault("throttle=hardware", GpuThermalThrottle=12, GpuHardwareSlowdown=11),
    _fault("throttle=power-brake", GpuHardwareSlowdown=11),
    _fault("pcie-replays=60", GpuPcieReplays=18),
    _fault("memory-full"),
    _fault("memory-full", Site.SHARED_GPU, GpuMemoryNearlyFull=11),
    _fault("nvlink=checksums", Site.LINKED_GPUS, AcceleratedHardwareNotReady=2, GpuNvlinkErrors=9),
    _fault("nvlink=recovery", Site.LINKED_GPUS, AcceleratedHardwareNotReady=2, GpuNvlinkErrors=6),
    _fault("efa", Site.LINKED_GPUS, EfaErrors=2),
    _fault("neuron=hardware", Site.NEURON, NeuronExecutionErrors=3),
    _fault("neuron=numeric", Site.NEURON),
    _fault(
        "neuron-ecc=mem",
        Site.NEURON,
        NeuronUncorrectableEcc=1,
        AcceleratedHardwareNotReady=2,
        AcceleratorDeviceLost=6,
    ),
    _fault("condition=KernelReady", AcceleratorNodeUnhealthy=11),
    _fault("kubelet-down", AcceleratorNodeUnhealthy=11, AcceleratorPodNotReady=31),
    _fault("plugin-down", NodeWithoutItsAccelerators=11),
    _fault("exporter-down=dcgm-exporter", GpuExporterMissing=11, AcceleratorMetricsMissing=11),
    _fault("exporter-down=node-monitoring-agent", AcceleratorMetricsMissing=11),
    _fault("exporter-down=neuron-monitor", Site.NEURON, AcceleratorMetricsMissing=11),
    _fault("exporter-down=vllm", Site.SERVERS, AcceleratorMetricsMissing=11),
    _fault("exporter-down=triton", Site.OTHER_SERVERS, AcceleratorMetricsMissing=11),
    _fault("exporter-down=nim", Site.OTHER_SERVERS, AcceleratorMetricsMissing=11),
    _fault("exporter-down=tf-serving", Site.OTHER_SERVERS, AcceleratorMetricsMissing=11),
    _fault("exporter-down=kube-state-metrics", Site.OBJECTS, AcceleratorMetricsMissing=11),
    _fault("pod-unready", AcceleratorPodNotReady=31),
    _fault("pod-crashes", AcceleratorPodRestarting=4, AcceleratorPodNotReady=31),
    _load(
        "more requests than a server has slots for",
        VllmFirstTokenSlow=4,
        VllmQueueGrowing=6,
        VllmFirstTokenSlowish=17,
    ),
    _load(
        "answers that fill the KV cache",
        VllmFirstTokenSlow=4,
        VllmQueueGrowing=6,
        VllmPreempting=21,
        VllmFirstTokenSlowish=17,
    ),
    _load("none, from the server's start", GpuIdleWithPod=61, ModelServerUnused=361),
    _fault(NO_CAPACITY, Site.SCALED, NodesNotLaunching=3, AcceleratorPodUnschedulable=16),
    _fault("exporter-down=vllm", Site.SCALED, AcceleratorMetricsMissing=11, AutoscalerBlind=12),
    _fault(
        "kubelet-down",
        Site.SCALED,
        AcceleratorNodeUnhealthy=11,
        AutoscalerStopped=16,
    ),
    _fault("autoscaler-down=keda", Site.SCALED, AutoscalerMissing=11),
    _fault("autoscaler-down=cluster-autoscaler", Site.SCALED, AutoscalerMissing=11),
    _fault("autoscaler-down=karpenter", Site.POOLS, AutoscalerMissing=11),
    _fault(NO_CAPACITY, Site.POOLS, KarpenterNodesNotLaunching=3, AcceleratorPodUnschedulable=16),
    _state("nodes up to the limit of a NodePool", Site.POOLS, KarpenterLimitNearlyReached=16),
    _state("a pod for which there is no node", AcceleratorPodUnschedulable=16),
    _state("a quota that is used up", AcceleratorQuotaNearlyUsed=16),
    _state("no pod asks for a node's devices", AcceleratorNodeUnused=31),
    _state("6 hours before the block's end", Site.BLOCK, CapacityBlockEnding=1),
    _state("90 minutes before the block's end, a pod on it", Site.BLOCK, CapacityBlockEndingInUse=1),
)
"""Every cause that fires alerts, with the minutes after which each does."""


def causes_of(alert: str) -> tuple[Cause, ...]:
    """Causes that fire the alert called ``alert``; empty where none does."""
    return tuple(cause for cause in CAUSES if alert in cause.fires)
