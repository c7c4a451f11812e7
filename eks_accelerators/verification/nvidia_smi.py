"""What `nvidia-smi` prints, as values.

Shapes: NVIDIA's documentation of `nvidia-smi` and outputs in public reports, read 2026-11-22. A line that is not understood
is left out: a GPU that has gone is told in words in the place of its line.
"""

import re
from dataclasses import dataclass

QUERY = ("index", "uuid", "name", "memory.total", "driver_version", "mig.mode.current", "persistence_mode")
"""Columns of the query for GPUs."""

GPUS = ("nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader")
CLOCKS = ("nvidia-smi", "--query-gpu=index,clocks_throttle_reasons.active", "--format=csv,noheader")
LIST = ("nvidia-smi", "-L")
LINKS = ("nvidia-smi", "nvlink", "-s")

_MIB = re.compile(r"(\d+) MiB")
_GPU = re.compile(r"^GPU (\d+): (.*?) \(UUID: (GPU-[^)]+)\)")
_MIG = re.compile(r"^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)")
_LINK = re.compile(r"^\s*Link (\d+): (.+?)\s*$")
_LOST = re.compile(r"unable to determine the device handle|gpu is lost|no devices were found", re.I)

REASONS = {
    0x1: "idle",
    0x2: "clocks that a user set",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "heat",
    0x40: "heat (hardware)",
    0x80: "power brake",
    0x100: "display clocks",
}
"""Bits of what keeps clocks down. Source: NVIDIA NVML, `nvmlClocksEventReason*`."""

HARMLESS = 0x1 | 0x4
"""An idle GPU, and one at its power cap. Source: aws/aws-k8s-tester, which takes 0x0, 0x1 and 0x4."""


@dataclass(frozen=True, slots=True)
class QueriedGpu:
    """One line of the query. ``memory_mib`` is None where it does not say."""

    index: int
    uuid: str
    name: str
    memory_mib: int | None
    driver: str
    divided: bool
    persistent: bool


@dataclass(frozen=True, slots=True)
class ListedGpu:
    """One GPU of `nvidia-smi -L` with its MIG instances, each by profile and UUID."""

    index: int
    name: str
    uuid: str
    instances: tuple[tuple[str, str], ...] = ()


def gpus(text: str) -> list[QueriedGpu]:
    """GPUs of `nvidia-smi --query-gpu`, a line each; lines that are none of it are passed over."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(QUERY) or not cells[0].isdigit():
            continue
        memory = _MIB.fullmatch(cells[3])
        found.append(
            QueriedGpu(
                int(cells[0]),
                cells[1],
                cells[2],
                int(memory[1]) if memory else None,
                cells[4],
                cells[5] == "Enabled",
                cells[6] == "Enabled",
            )
        )
    return found


def lost(text: str) -> list[str]:
    """Lines that say that a GPU is gone."""
    return [line.strip() for line in text.splitlines() if _LOST.search(line)]


def clock_reasons(text: str) -> dict[int, int]:
    """What keeps clocks down, by index of the GPU, as bits."""
    found = {}
    for line in text.splitlines():
        index, _, bits = (part.strip() for part in line.partition(","))
        if index.isdigit() and re.fullmatch(r"0x[0-9a-fA-F]+", bits):
            found[int(index)] = int(bits, 16)
    return found


def reasons_in_words(bits: int) -> list[str]:
    """The reasons that are not harmless."""
    words = [words for bit, words in REASONS.items() if bits & bit & ~HARMLESS]
    unknown = bits & ~sum(REASONS)
    return [*words, *([f"unknown {unknown:#x}"] if unknown else [])]


def listed(text: str) -> list[ListedGpu]:
    """GPUs of `nvidia-smi -L`, with their MIG instances."""
    found: list[ListedGpu] = []
    for line in text.splitlines():
        if gpu := _GPU.match(line):
            found.append(ListedGpu(int(gpu[1]), gpu[2], gpu[3]))
        elif (instance := _MIG.match(line)) and found:
            last = found[-1]
            found[-1] = ListedGpu(last.index, last.name, last.uuid, (*last.instances, (instance[1], instance[2])))
    return found


def uuids(text: str) -> list[str]:
    """What a container was given: UUIDs of MIG instances where it has any, otherwise of GPUs."""
    found = listed(text)
    instances = [uuid for gpu in found for _, uuid in gpu.instances]
    return instances or [gpu.uuid for gpu in found]


def links(text: str) -> dict[int, int]:
    """How many NVLinks are up, by index of the GPU."""
    found: dict[int, int] = {}
    index: int | None = None
    for line in text.splitlines():
        if gpu := _GPU.match(line):
            index = int(gpu[1])
            found[index] = 0
        elif (link := _LINK.match(line)) and index is not None:
            found[index] += "inactive" not in link[2].lower()
    return found
