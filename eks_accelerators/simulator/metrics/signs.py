"""What a fault makes exporters and the node show: data, to which each source looks for its own part."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eks_accelerators.monitoring.metrics import Exporter

ACCELERATED_HARDWARE = "AcceleratedHardwareReady"
NETWORKING = "NetworkingReady"


@dataclass(frozen=True, slots=True)
class AgentFinding:
    """What the node monitoring agent finds. ``severity`` is its own word: `Fatal` makes ``condition`` false.

    ``every`` is after how many seconds it finds the same again; None for what it is told of once.
    """

    reason: str
    severity: str
    condition: str
    every: float | None = None

    @property
    def is_fatal(self) -> bool:
        """Whether the condition of the node becomes false."""
        return self.severity == "Fatal"


@dataclass(frozen=True, slots=True)
class Health:
    """One of DCGM's health checks that does not pass: 10 is a warning, 20 a failure."""

    watch: str
    code: str
    status: int = 20


@dataclass(frozen=True, slots=True)
class Signs:
    """Of one GPU, of one Neuron device, of the pages of a node, or of the node itself. What is left out is as ever.

    ``gone``: the driver does not see the GPU. ``handed_out`` is false where the device plugin takes the device for
    unhealthy. Rates are per second; ``slowed`` is a share of time. ``silent`` is an exporter that does not answer.
    ``without_plugin``: the device plugin does not run. ``undivided``: GPUs are whole that MIG should divide. ``link_speed`` is
    the part of their speed that links between devices have, ``network_speed`` that of the way to other nodes, and
    ``without_efa`` has NCCL take TCP for it. ``volume_speed`` is that of the volumes that its pods mount. ``memory_full``: somebody else holds the rest of a GPU's memory.
    ``kubelet_gone``: the kubelet of the node says nothing any more. ``pod_unready`` and ``pod_restarts`` are of the first
    pod of the node that holds an accelerator: it is not ready, or its container ends as soon as it has begun.
    ``stopped`` is an autoscaler of the cluster that does not run.
    """

    xids: tuple[int, ...] = ()
    gone: bool = False
    handed_out: bool = True
    health: tuple[Health, ...] = ()
    recovery: int = 0
    uncorrected: int = 0
    corrected: int = 0
    rows_remapped: int = 0
    remap_pending: bool = False
    remap_failed: bool = False
    slowed: float = 0.0
    clock_events: tuple[str, ...] = ()
    replays: float = 0.0
    nvlink_checksums: float = 0.0
    nvlink_recoveries: int = 0
    execution_errors: Mapping[str, float] = field(default_factory=dict)
    neuron_ecc: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[AgentFinding, ...] = ()
    silent: Exporter | None = None
    without_plugin: bool = False
    undivided: bool = False
    link_speed: float = 1.0
    network_speed: float = 1.0
    without_efa: bool = False
    volume_speed: float = 1.0
    memory_full: bool = False
    kubelet_gone: bool = False
    pod_unready: bool = False
    pod_restarts: bool = False
    stopped: Exporter | None = None


@dataclass(frozen=True, slots=True)
class Struck:
    """The signs of a fault since ``since``, in seconds of the wall clock."""

    signs: Signs
    since: float
