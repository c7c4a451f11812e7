"""What `all_reduce_perf` printed, read: whole logs and broken ones."""

from dataclasses import asdict

import pytest

from eks_accelerators.verification import nccl_tests

_HEADER = """\
# nccl-tests version 2.19.6 nccl-headers=23007 nccl-library=23007
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 134217728 maxBytes 2147483648 step: 2(factor) warmup iters: 1 iters: 100 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid     27 on training-0 device  0 [0000:53:00] NVIDIA H100 80GB HBM3
#  Rank  8 Group  0 Pid     27 on training-1 device  0 [0000:53:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
"""
_ROWS = """\
   134217728      33554432     float     sum      -1   870.3  154.22  289.16       0   876.8  153.07  287.01       0
  1073741824     268435456     float     sum      -1   4607.6  233.04  436.95       0   4565.6  235.18  440.96       0
"""
_END = """\
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 52.9753
#
# Collective test concluded: all_reduce_perf
"""
WHOLE = _HEADER + _ROWS + _END
_OVER_EFA = """\
training-0:27:27 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)
training-0:27:99 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/AWS Libfabric/0/GDRDMA
training-0:27:99 [0] NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/4/GDRDMA
"""


def test_a_whole_log():
    assert asdict(nccl_tests.parse(_OVER_EFA + WHOLE)) == {
        "measurements": (
            {"size_bytes": 134217728, "bus_gb_per_second": 287.01, "wrong": 0},
            {"size_bytes": 1073741824, "bus_gb_per_second": 436.95, "wrong": 0},
        ),
        "errors": (),
        "concluded": True,
        "over_efa": True,
        "gpu_direct": True,
    }


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "0: ", "[1,12]:"])
def test_the_prefix_of_a_rank_does_not_matter(prefix):
    prefixed = "".join(f"{prefix}{line}\n" for line in WHOLE.splitlines())

    assert nccl_tests.parse(prefixed) == nccl_tests.parse(WHOLE)


def test_columns_of_single_iterations_do_not_matter():
    single = "   1.0   2.0   1.9   0.1"
    wide = _ROWS.replace("       0   8", f"       0{single}   8").replace("       0   4", f"       0{single}   4")
    wide = "".join(f"{line}{single}\n" for line in wide.splitlines())

    assert nccl_tests.parse(_HEADER + wide + _END) == nccl_tests.parse(WHOLE)


def test_without_a_check_of_the_values_nobody_knows_how_many_are_wrong():
    run = nccl_tests.parse(WHOLE.replace("      0 ", "    N/A ").replace("      0\n", "    N/A\n"))

    assert [each.wrong for each in run.measurements] == [None, None]
    assert run.passed


BROKEN = {
    "wrong elements": (
        WHOLE.replace("440.96       0", "440.96      12").replace("0 OK", "12 FAILED"),
        ("12 values out of bounds", "12 wrong elements at 1073741824 bytes"),
    ),
    "a failure of NCCL": (
        _HEADER
        + "training-0: Test NCCL failure all_reduce.cu:44 'unhandled system error (run with NCCL_DEBUG=INFO for details)'\n",
        (
            "training-0: Test NCCL failure all_reduce.cu:44 'unhandled system error (run with NCCL_DEBUG=INFO for details)'",
        ),
    ),
    "too little memory": (
        _HEADER
        + _ROWS
        + "training-0: Test CUDA failure common.cu:1304 'out of memory'\n .. training-0 pid 27: Test failure common.cu:1200\n",
        (
            "training-0: Test CUDA failure common.cu:1304 'out of memory'",
            ".. training-0 pid 27: Test failure common.cu:1200",
        ),
    ),
    "killed in the middle": (_HEADER + _ROWS[: _ROWS.index("440")], ("the row of 1073741824 bytes is cut off",)),
    "no number": (
        WHOLE.replace("436.95", "   nan"),
        ("the row of 1073741824 bytes cannot be read: 4607.6 233.04 nan 0 4565.6 235.18 440.96 0",),
    ),
    "a header alone": (_HEADER, ()),
    "another program": ("mpirun: command not found\n", ()),
    "nothing": ("", ()),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_does_not_pass(name):
    text, errors = BROKEN[name]

    run = nccl_tests.parse(text)

    assert run.errors == errors
    assert not run.passed


def test_a_log_that_ends_early_never_passes():
    last = WHOLE.index("values : 0")

    assert [end for end in range(last) if nccl_tests.parse(WHOLE[:end]).passed] == []


NETWORKS = {
    "EFA": (_OVER_EFA, True, True),
    "EFA through the host's memory": (_OVER_EFA.replace("/4/GDRDMA", "/4"), True, False),
    "sockets in place of EFA": (
        "training-0:27:27 [0] NCCL INFO Using network Socket\nNCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/Socket/0\n",
        False,
        None,
    ),
    "another provider": (_OVER_EFA.replace("is efa,", "is tcp,"), False, True),
    "a log without NCCL's own lines": ("", None, None),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_network(name):
    text, over_efa, gpu_direct = NETWORKS[name]

    run = nccl_tests.parse(text + WHOLE)

    assert (run.over_efa, run.gpu_direct) == (over_efa, gpu_direct)
