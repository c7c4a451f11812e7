"""What is too slow, what is slower than elsewhere, and what nobody can tell."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.accelerators.data import load
from eks_accelerators.verification.collectives import CollectiveRun, Measurement
from eks_accelerators.verification.expected_bandwidth import Verdict, compare, verdict

GIB = 1024**3


def _run(**gb_per_second_by_size: float) -> CollectiveRun:
    sizes = {"small": GIB // 8, "large": GIB, "unmeasured": 3 * GIB}
    rows = tuple(Measurement(sizes[name], bandwidth, 0) for name, bandwidth in gb_per_second_by_size.items())
    return CollectiveRun(rows, errors=(), concluded=True)


CASES = {
    "as elsewhere": ("p5.48xlarge", 2, _run(small=285, large=440), Verdict.AS_EXPECTED),
    "just fast enough": ("p5.48xlarge", 2, _run(large=0.8501 * 436.95), Verdict.AS_EXPECTED),
    "slower": ("p5.48xlarge", 2, _run(large=0.84 * 436.95), Verdict.SLOWER),
    "too slow": ("p5.48xlarge", 2, _run(large=0.69 * 436.95), Verdict.TOO_SLOW),
    "one size too slow": ("p5.48xlarge", 2, _run(small=100, large=440), Verdict.TOO_SLOW),
    "no size that was measured": ("p5.48xlarge", 2, _run(unmeasured=1), Verdict.UNKNOWN),
    "a number of nodes that nobody measured": ("p5.48xlarge", 3, _run(large=1), Verdict.UNKNOWN),
    "a type that nobody measured": ("g6.12xlarge", 2, _run(large=1), Verdict.UNKNOWN),
    "far below an example that is no measure": ("trn1.32xlarge", 2, _run(large=10), Verdict.SLOWER),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name):
    instance_type, nodes, run, expected = CASES[name]

    assert verdict(run, measured(instance_type, nodes)) is expected


def test_sizes_are_compared_one_by_one():
    p5 = measured("p5.48xlarge", 2)
    assert p5 is not None

    found = [(each.size_bytes, each.verdict) for each in compare(_run(small=100, large=440, unmeasured=1), p5)]

    assert found == [(GIB // 8, Verdict.TOO_SLOW), (GIB, Verdict.AS_EXPECTED)]


@pytest.mark.parametrize(
    "row", load("collective-bandwidth")["rows"], ids=lambda row: f"{row['nodes']} x {row['instance_type']}"
)
def test_what_was_measured_is_possible(row):
    """Of a type with EFA, larger messages are not slower, and all-reduce over two nodes at most doubles what the wire has."""
    kind = instance_types.find(row["instance_type"])
    assert kind is not None
    found = measured(row["instance_type"], row["nodes"])
    assert found is not None

    assert kind.network.supports_efa
    bandwidths = [found.bus_gb_per_second[size] for size in sorted(found.bus_gb_per_second)]
    assert bandwidths == sorted(bandwidths)
    assert found.program == ("all_reduce_perf" if kind.has_nvidia_gpu else "nccom-test")
