"""What is true of a GPU model, whatever instance type carries it. Source: `data/gpus.json`."""

from dataclasses import dataclass

from eks_accelerators.accelerators import data


@dataclass(frozen=True, slots=True)
class GpuSpeed:
    """What one whole GPU does at most: bytes of its memory a second, and dense 16-bit tensor operations a second."""

    bytes_per_second: float
    operations_per_second: float


def speed(gpu: str, memory_mib: int | None = None) -> GpuSpeed | None:
    """How fast the GPU is by its data sheet; None where no source was found.

    ``memory_mib`` tells apart those of one name.
    """
    rows = data.load("gpus")["speed"].get(gpu, [])
    row = next((each for each in rows if each.get("memory_mib", memory_mib) == memory_mib), None)
    return GpuSpeed(row["gb_per_second"] * 1e9, row["tflops"] * 1e12) if row else None


def driver_memory_mib(gpu: str, memory_mib: int | None) -> int | None:
    """The MiB that the driver says a GPU has, of which EC2 says ``memory_mib``: that of EC2 where no source says another.

    None where neither is known. A part of a GPU, of which EC2 says less, is not the whole one.
    """
    found: int | None = data.load("gpus")["driver_memory_mib"].get(gpu, {}).get(str(memory_mib), memory_mib)
    return found


def least_memory_mib(gpu: str, memory_mib: int | None) -> int | None:
    """The MiB of a GPU that its pods can count on: the less of what EC2 and the driver say, None where neither is known.

    CUDA has less than the driver says, so the more of the two is never right: of L4 and A10G EC2 says the less, of T4 and H100
    the driver.
    """
    told = driver_memory_mib(gpu, memory_mib)
    return None if memory_mib is None or told is None else min(memory_mib, told)


def are_linked(gpu: str, count: int) -> bool:
    """Whether NVLink connects the ``count`` GPUs of an instance; those of one GPU, and of PCIe alone, have none."""
    return count > 1 and gpu in data.load("gpus")["linked"]


def supports_bfloat16(gpu: str) -> bool | None:
    """Whether the GPU computes in bfloat16 (compute capability 8.0 or newer); None where unknown."""
    return _has_capability(gpu, 8, 0)


def supports_fp8(gpu: str) -> bool | None:
    """Whether Transformer Engine computes in FP8 on it (compute capability 8.9 or newer); None where unknown."""
    return _has_capability(gpu, 8, 9)


_MOST_MPS_CLIENTS, _MOST_MPS_CLIENTS_BEFORE_TURING = 48, 16


def most_mps_clients(gpu: str | None) -> int:
    """How many clients the plugin's MPS control daemon gives one GPU; None for the newest GPUs.

    Source: k8s-device-plugin v0.20.0, `cmd/mps-control-daemon/mps/device.go`: it calls it Volta and compares with
    compute capability 7.5, so that V100 counts as older.
    """
    is_older = gpu is not None and _has_capability(gpu, 7, 5) is False
    return _MOST_MPS_CLIENTS_BEFORE_TURING if is_older else _MOST_MPS_CLIENTS


def _has_capability(gpu: str, major: int, minor: int) -> bool | None:
    """Whether its compute capability is at least that; None where unknown."""
    capability = compute_capability(gpu)
    return None if capability is None else tuple(map(int, capability.split("."))) >= (major, minor)


def compute_capability(gpu: str) -> str | None:
    """Its CUDA compute capability, such as `8.9`; None where unknown."""
    found: str | None = data.load("gpus")["compute_capability"].get(gpu)
    return found
