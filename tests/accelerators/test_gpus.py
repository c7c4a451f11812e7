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


def test_the_driver_says_less_of_some_gpus_than_ec2():
    """Where error correction takes a part of the memory, the driver says less than EC2; elsewhere it differs by a percent."""
    said = {
        (kind.accelerator.name, str(kind.accelerator.memory_mib))
        for kind in instance_types.every()
        if kind.has_nvidia_gpu
    }
    told = {
        (gpu, mib): driver
        for gpu, rows in data.load("gpus")["driver_memory_mib"].items()
        for mib, driver in rows.items()
    }

    assert set(told) <= said, "an instance type of each"
    assert {gpu: driver / int(mib) for (gpu, mib), driver in told.items() if abs(driver / int(mib) - 1) > 0.01} == {
        "T4": 15 / 16
    }
    assert gpus.driver_memory_mib("L4", 22888) == 23034
    assert gpus.driver_memory_mib("L4", 2861) == 2861, "a part of one"
    assert gpus.driver_memory_mib("GB200", None) is None


@pytest.mark.parametrize(
    ("gpu", "ec2_says", "counted_on"),
    [
        ("T4", 16384, 15360),
        ("A10G", 22888, 22888),
        ("L4", 22888, 22888),
        ("H100", 81920, 81559),
        ("H200", 144384, 143771),
        ("L4", 2861, 2861),
        ("B200", 183359, 183359),
        ("GB200", None, None),
    ],
)
def test_pods_count_on_the_less_of_what_ec2_and_the_driver_say(gpu, ec2_says, counted_on):
    assert gpus.least_memory_mib(gpu, ec2_says) == counted_on


def test_every_gpu_of_the_table_is_known():
    used = {kind.accelerator.name for kind in instance_types.every() if kind.has_nvidia_gpu}

    assert used <= set(data.load("gpus")["compute_capability"])
