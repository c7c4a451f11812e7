import pytest

from accelerators import data, gpus, instance_types


@pytest.mark.parametrize(("gpu", "expected"), [("T4", False), ("A10G", True), ("H100", True), ("V100", None)])
def test_bfloat16(gpu, expected):
    assert gpus.supports_bfloat16(gpu) is expected


def test_every_gpu_of_the_table_is_known():
    used = {kind.accelerator.name for kind in instance_types.every() if kind.has_nvidia_gpu}

    assert used <= set(data.load("gpus")["compute_capability"])
