"""What `nccom-test` printed, read: whole and broken."""

import pytest

from eks_accelerators.verification import nccom_test
from eks_accelerators.verification.collectives import CollectiveRun, Measurement

TABLE = """\
       size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)
     134217728        33554432    fp32            6279          19.91          39.19
    1073741824       268435456    fp32           41806          23.92          47.09
Avg bus bandwidth:      43.1400GB/s
"""
EXPECTED = CollectiveRun(
    (
        Measurement(134217728, pytest.approx(42.08, abs=0.01), None),
        Measurement(1073741824, pytest.approx(50.56, abs=0.01), None),
    ),
    errors=(),
    concluded=True,
)
"""In 10^9 bytes per second: the tool's GB/s are GiB/s."""


def test_a_table():
    assert nccom_test.parse_table(TABLE) == EXPECTED


def test_its_gigabytes_are_gibibytes():
    """As its own columns show: size / time is `algbw` in GiB/s."""
    size, _, _, microseconds, algbw, _ = TABLE.splitlines()[2].split()

    assert int(size) / int(microseconds) * 1e6 / 1024**3 == pytest.approx(float(algbw), abs=0.01)


def test_further_columns_do_not_matter():
    wider = TABLE.replace("count(elems)", "count(elems)  total_input_size(B)  total_output_size(B)")
    wider = wider.replace("33554432    fp32", "33554432  1  2  fp32").replace(
        "268435456    fp32", "268435456  1  2  fp32"
    )

    assert nccom_test.parse_table(wider) == EXPECTED


BROKEN_TABLES = {
    "no driver": (
        "Neuron DKMS Driver is not running! Read the troubleshooting guide\n",
        ("Neuron DKMS Driver is not running! Read the troubleshooting guide",),
    ),
    "a run that failed": (
        TABLE.splitlines()[0]
        + "\n    33554432    Failure running neuron-bench - log file /tmp/nccom_test_log.log\n1 errors found - test failed\n",
        (
            "33554432    Failure running neuron-bench - log file /tmp/nccom_test_log.log",
            "1 errors found - test failed",
        ),
    ),
    "cut off in a row": (
        TABLE[: TABLE.index("47.09")],
        (
            "a row without size or bus bandwidth: size(B)=1073741824 count(elems)=268435456 type=fp32 time:avg(us)=41806 algbw(GB/s)=23.92",
        ),
    ),
    "cut off after a row": (TABLE[: TABLE.index("Avg")], ()),
    "no number": (TABLE.replace("47.09", "nan"), ("the bus bandwidth at 1073741824 bytes is nan",)),
    "nothing": ("", ()),
}


@pytest.mark.parametrize("name", BROKEN_TABLES)
def test_a_broken_table_does_not_pass(name):
    text, errors = BROKEN_TABLES[name]

    run = nccom_test.parse_table(text)

    assert run.errors == errors
    assert not run.passed
