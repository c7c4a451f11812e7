"""The output of NVIDIA's nccl-tests, such as `all_reduce_perf`.

Sources: nccl-tests 2.19.6 (a0b82b2) `src/util.cu` and `src/common.h` for the table, its last lines and its failures; the lines
of NCCL and of the plugin aws-ofi-nccl 1.21.1 that prove EFA and GPUDirect RDMA, as aws-k8s-tester 9c7b987 demands them; read 2026-11-22.
"""

import math
import re

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.verification.collectives import CollectiveRun, Measurement

_PREFIX = re.compile(r"^\s*(?:\[\d+,\d+\](?:<std(?:out|err)>)?:|\d+:)\s*")
"""What `mpirun --tag-output` and `srun --label` put before each line."""

_KEYS = 5
"""Columns before the results: size, count, type, reduction, root."""

_HALF, _WIDE_HALF = 4, 8
"""Columns of one run: time, algorithm and bus bandwidth, wrong elements; and four of the single iterations, where asked for."""

_FAILURES = re.compile(
    r"Test (?:NCCL|CUDA) failure|Test failure|Segmentation fault|Bus error|out of memory", re.IGNORECASE
)
_OUT_OF_BOUNDS = re.compile(r"#\s*Out of bounds values\s*:\s*(\d+)")
_PROVIDER = re.compile(r"NET/OFI Selected provider is (\w+)", re.IGNORECASE)
_SOCKETS = re.compile(r"NCCL INFO Using network Socket")
_CHANNEL = re.compile(r"via NET/(?:\w+ )?Libfabric/(\S+)")
_MOST_ERRORS = 5
"""All ranks say the same."""


def parse(text: str) -> CollectiveRun:
    """What a log of `all_reduce_perf` or a sibling says; never raises.

    Lines of NCCL itself may be among it, and every line may have the prefix of its rank.
    """
    measurements: dict[int, Measurement] = {}
    errors: list[str] = []
    concluded = False
    for line in (_PREFIX.sub("", each) for each in text.splitlines()):
        if _FAILURES.search(line):
            errors.append(line.strip())
        elif end := _OUT_OF_BOUNDS.search(line):
            concluded = True
            if int(end[1]):
                errors.append(f"{number_of(int(end[1]), 'value')} out of bounds")
        elif _is_row(words := line.split()):
            row = _measured(words)
            if isinstance(row, Measurement):
                measurements[row.size_bytes] = row
            else:
                errors.append(row)
    errors += [
        f"{number_of(one.wrong, 'wrong element')} at {one.size_bytes} bytes"
        for one in measurements.values()
        if one.wrong
    ]
    return CollectiveRun(
        measurements=tuple(measurements[size] for size in sorted(measurements)),
        errors=tuple(dict.fromkeys(errors))[:_MOST_ERRORS],
        concluded=concluded,
        over_efa=_over_efa(text),
        gpu_direct=_gpu_direct(text),
    )


def _is_row(words: list[str]) -> bool:
    return len(words) >= _KEYS and words[0].isdigit() and words[1].isdigit() and words[2].isidentifier()


def _measured(words: list[str]) -> Measurement | str:
    """One row of the table, or what is wrong with it."""
    size, results = int(words[0]), words[_KEYS:]
    half = _WIDE_HALF if len(results) >= 2 * _WIDE_HALF else _HALF
    if len(results) < 2 * half:
        return f"the row of {size} bytes is cut off"
    try:
        runs = [_run(results[start : start + _HALF]) for start in (0, half)]
    except ValueError:
        return f"the row of {size} bytes cannot be read: {' '.join(results)}"
    wrong = [count for _, count in runs if count is not None]
    return Measurement(size, min(bandwidth for bandwidth, _ in runs), max(wrong) if wrong else None)


def _run(columns: list[str]) -> tuple[float, int | None]:
    """Bus bandwidth and wrong elements; raises ValueError where these are no numbers."""
    bandwidth = float(columns[2])
    if not math.isfinite(bandwidth) or bandwidth < 0:
        raise ValueError(columns[2])
    return bandwidth, None if columns[3] == "N/A" else int(float(columns[3]))


def _over_efa(text: str) -> bool | None:
    """Whether all ranks took EFA. NCCL falls back to sockets where its plugin finds none, and only says so in its log."""
    if _SOCKETS.search(text):
        return False
    providers = {name.lower() for name in _PROVIDER.findall(text)}
    return providers == {"efa"} if providers else None


def _gpu_direct(text: str) -> bool | None:
    """Whether every channel over EFA goes from GPU to GPU without the memory of the host."""
    channels = _CHANNEL.findall(text)
    return all("GDRDMA" in channel for channel in channels) if channels else None
