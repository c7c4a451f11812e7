"""What DCGM says of a GPU or of an instance, field by field.

A model: figures follow from how busy the pods of the device are (`load`), from the board (`data`) and from faults. What
is exact are faults, memory and who holds what; temperature, power, clocks and pipes set the scale of a picture.
Units are those of the catalogue. XID texts: NVIDIA/dcgm-exporter d5e5f51, `xid_errors.go`, of the more frequent ones.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eks_accelerators.simulator.metrics import load
from eks_accelerators.simulator.metrics.data import NO_ROW_REMAPPING, board_of
from eks_accelerators.simulator.metrics.devices import Device, Holder
from eks_accelerators.simulator.metrics.signs import Struck
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_WINDOW_SECONDS = 300
"""Of XIDs and clock events: the exporter's default."""
_SAMPLE_SECONDS = 30
"""How often the exporter looks, by default."""
_WINDOW = {"window_size_in_ms": str(_WINDOW_SECONDS * 1000)}
_HEALTH_WATCHES = ("PCIE", "NVLINK", "PMU", "MCU", "MEM", "SM", "INFOROM", "THERMAL", "POWER", "DRIVER", "ALL")
_FULL = 0.99
"""At such a load a board runs at its power limit."""
_PCIE_BYTES = 2e9
_NVLINK_1000_KIB = 1e5
"""A second; DCGM counts in 1000 KiB."""
_XID_TEXTS = {
    0: "No Error",
    8: "GPU stopped processing",
    13: "Graphics Engine Exception",
    31: "GPU memory page fault",
    43: "GPU stopped processing",
    46: "GPU stopped processing",
    48: "Double Bit ECC Error",
    62: "Internal micro-controller halt",
    63: "ECC page retirement or row remapping recording event",
    64: "ECC page retirement or row remapper recording failure",
    74: "NVLINK Error",
    79: "GPU has fallen off the bus",
    94: "Contained ECC error",
    95: "Uncontained ECC error",
    119: "GSP RPC Timeout",
    154: "GPU Recovery Action Changed",
}
_UNKNOWN_XID = "Unknown Error"


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of a device. ``of_pod`` gives that of one pod, where the driver knows it."""

    name: str
    value: float
    labels: Mapping[str, str]
    of_pod: Callable[[Holder], float] | None = None


@dataclass(frozen=True)
class Reading:
    """One device at this moment, with who holds it and what has struck its GPU."""

    world: ScrapedWorld
    device: Device
    holders: Sequence[Holder]
    struck: Sequence[Struck]

    @cached_property
    def busy(self) -> float:
        """Share of time in which the device works."""
        return min(1.0, sum(load.busy(holder, self.world.servers) for holder in self.holders))

    def grown(self, what: str, rate: float) -> float:
        """A counter ``what`` of the device that grows by ``rate`` per second."""
        return self.world.meters.grown(("dcgm", *self.device.key, what), rate, self.world.now)

    def sum_of(self, what: str) -> float:
        """The sum of a number over all faults that have struck the GPU."""
        return float(sum(getattr(each.signs, what) for each in self.struck))

    def any_of(self, what: str) -> bool:
        """Whether a fault has that sign."""
        return any(getattr(each.signs, what) for each in self.struck)


def figures(reading: Reading) -> Iterator[Figure]:
    """Everything that DCGM says of a device; what its GPU does not have is left out."""
    for part in (_load, _memory, _board, _errors, _links):
        for name, value in part(reading):
            of_pods = _OF_PODS.get(name)
            yield Figure(name, value, {}, of_pods(reading) if of_pods else None)
    for labelled in (_clock_events, _xids, _health):
        for name, value, labels in labelled(reading):
            yield Figure(name, value, labels)


def _utilization_of_pods(reading: Reading) -> Callable[[Holder], float]:
    return lambda holder: round(100 * load.busy(holder, reading.world.servers))


def _memory_of_pods(reading: Reading) -> Callable[[Holder], float]:
    return lambda holder: round(load.memory_mib(holder, reading.device, len(reading.holders)))


_OF_PODS: Mapping[str, Callable[[Reading], Callable[[Holder], float]]] = {
    "DCGM_FI_DEV_GPU_UTIL": _utilization_of_pods,
    "DCGM_FI_DEV_FB_USED": _memory_of_pods,
}

_Values = Iterator[tuple[str, float]]
_Labelled = Iterator[tuple[str, float, Mapping[str, str]]]


def _load(reading: Reading) -> _Values:
    busy = reading.busy
    if not reading.device.profile:
        yield "DCGM_FI_DEV_GPU_UTIL", round(100 * busy)
    yield "DCGM_FI_DEV_MEM_COPY_UTIL", round(60 * busy)
    yield "DCGM_FI_DEV_ENC_UTIL", 0
    yield "DCGM_FI_DEV_DEC_UTIL", 0
    yield "DCGM_FI_PROF_GR_ENGINE_ACTIVE", busy
    yield "DCGM_FI_PROF_SM_ACTIVE", 0.9 * busy
    yield "DCGM_FI_PROF_SM_OCCUPANCY", 0.3 * busy
    yield "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.25 * busy
    yield "DCGM_FI_PROF_DRAM_ACTIVE", 0.6 * busy
    yield "DCGM_FI_PROF_PCIE_TX_BYTES", _PCIE_BYTES * busy
    yield "DCGM_FI_PROF_PCIE_RX_BYTES", _PCIE_BYTES * busy


def _memory(reading: Reading) -> _Values:
    memory = reading.device.memory_mib
    if not memory:
        return
    reserved = round(memory * load.RESERVED)
    used = round(load.used_mib(reading.device, reading.holders))
    if reading.any_of("memory_full"):
        used = memory - reserved
    yield "DCGM_FI_DEV_FB_USED", used
    yield "DCGM_FI_DEV_FB_FREE", memory - reserved - used
    yield "DCGM_FI_DEV_FB_RESERVED", reserved


def _board(reading: Reading) -> _Values:
    board, busy, slowed = board_of(reading.device.gpu.name), reading.busy, min(1.0, reading.sum_of("slowed"))
    watts = board.idle_watts + (board.watts - board.idle_watts) * busy
    yield "DCGM_FI_DEV_SM_CLOCK", round(board.sm_clock * (1 - slowed / 2) if busy else board.sm_clock * 0.15)
    yield "DCGM_FI_DEV_MEM_CLOCK", board.memory_clock
    yield "DCGM_FI_DEV_GPU_TEMP", round(32 + 40 * busy + (25 if slowed else 0))
    if board.hbm:
        yield "DCGM_FI_DEV_MEMORY_TEMP", round(38 + 45 * busy + (20 if slowed else 0))
    yield "DCGM_FI_DEV_POWER_USAGE", watts
    yield "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", round(reading.grown("energy", watts * 1000))
    yield "DCGM_FI_DEV_THERMAL_VIOLATION", round(reading.grown("heat", slowed * 1e9))
    yield "DCGM_FI_DEV_POWER_VIOLATION", round(reading.grown("power", 0.2e9 if busy >= _FULL else 0))


def _errors(reading: Reading) -> _Values:
    yield "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", max((each.signs.recovery for each in reading.struck), default=0)
    yield "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", reading.sum_of("corrected")
    yield "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", reading.sum_of("uncorrected")
    if reading.device.gpu.name not in NO_ROW_REMAPPING:
        yield "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", 0
        yield "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", reading.sum_of("rows_remapped")
        yield "DCGM_FI_DEV_ROW_REMAP_FAILURE", reading.any_of("remap_failed")
        yield "DCGM_FI_DEV_ROW_REMAP_PENDING", reading.any_of("remap_pending")


def _links(reading: Reading) -> _Values:
    yield "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", round(reading.grown("replays", reading.sum_of("replays")))
    if reading.device.gpu.linked:
        checksums = reading.grown("checksums", reading.sum_of("nvlink_checksums"))
        yield "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", round(_NVLINK_1000_KIB * reading.busy)
        yield "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", round(checksums)
        yield "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", reading.sum_of("nvlink_recoveries")


def _clock_events(reading: Reading) -> _Labelled:
    """Samples of the window: what lasts is seen at each, as soon as it has been there so long."""
    samples = _WINDOW_SECONDS // _SAMPLE_SECONDS
    seen = {}
    if not reading.busy:
        seen["gpu_idle"] = samples
    elif reading.busy >= _FULL:
        seen["power_cap"] = samples
    for each in reading.struck:
        for event in each.signs.clock_events:
            seen[event] = min(samples, 1 + int(reading.world.since(each.since) // _SAMPLE_SECONDS))
    for event, count in seen.items():
        yield "DCGM_EXP_CLOCK_EVENTS_COUNT", count, {**_WINDOW, "clock_event": event}
    if not seen:
        yield "DCGM_EXP_CLOCK_EVENTS_COUNT", 0, _WINDOW


def _xids(reading: Reading) -> _Labelled:
    last, counts = 0, dict[int, int]()
    for each in sorted(reading.struck, key=lambda struck: struck.since):
        for xid in each.signs.xids:
            last = xid
            if reading.world.since(each.since) < _WINDOW_SECONDS:
                counts[xid] = counts.get(xid, 0) + 1
    text = _XID_TEXTS.get(last, _UNKNOWN_XID)
    yield "DCGM_FI_DEV_XID_ERRORS", last, {"err_code": str(last), "err_msg": text}
    for xid, count in sorted(counts.items()):
        yield "DCGM_EXP_XID_ERRORS_COUNT", count, {**_WINDOW, "xid": str(xid)}
    if not counts:
        yield "DCGM_EXP_XID_ERRORS_COUNT", 0, _WINDOW


def _health(reading: Reading) -> _Labelled:
    found = {each.watch: each for struck in reading.struck for each in struck.signs.health}
    for watch in _HEALTH_WATCHES:
        status, code = (found[watch].status, found[watch].code) if watch in found else (0, "DCGM_FR_OK")
        yield "DCGM_EXP_GPU_HEALTH_STATUS", status, {"health_watch": watch, "health_error_code": code}
