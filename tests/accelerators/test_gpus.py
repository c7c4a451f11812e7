import pytest

from eks_accelerators.accelerators import data, gpus, instance_types


@pytest.mark.parametrize(("gpu", "expected"), [("T4", False), ("A10G", True), ("H100", True), ("V100", None)])
def test_bfloat16(gpu, expected):
    assert gpus.supports_bfloat16(gpu) is expected


@pytest.mark.parametrize(("gpu", "expected"), [("T4", 48), ("H100", 48), (None, 48)])
def test_clients_of_mps(gpu, expected):
    assert gpus.most_mps_clients(gpu) == expected


def test_older_gpus_have_fewer_clients_of_mps(monkeypatch):
    """V100 is no type of ours; the control daemon counts it, at 7.0, as older than Volta."""
    monkeypatch.setattr(gpus, "compute_capability", {"V100": "7.0", "T4": "7.5"}.get)

    assert (gpus.most_mps_clients("V100"), gpus.most_mps_clients("T4")) == (16, 48)


def test_every_gpu_of_the_table_is_known():
    used = {kind.accelerator.name for kind in instance_types.every() if kind.has_nvidia_gpu}

    assert used <= set(data.load("gpus")["compute_capability"])
