import dataclasses

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.instance_types import UnknownInstanceTypeError

EVERY = instance_types.every()


def test_the_table_has_every_type_once():
    assert len(EVERY) == len({kind.name for kind in EVERY}) == 69


def test_a_type_is_looked_up_by_name():
    l4 = instance_types.get("g6.2xlarge")

    assert (l4.family, l4.size, l4.vcpus, l4.memory_mib) == ("g6", "2xlarge", 8, 32768)
    assert (l4.accelerator.name, l4.accelerator.count, l4.accelerator.memory_mib) == ("L4", 1, 22888)
    assert l4.has_nvidia_gpu
    assert not l4.mig_capable
    assert not l4.sold_as_capacity_block


def test_neuron_types_have_devices_and_cores():
    trainium = instance_types.get("trn1.32xlarge")

    assert not trainium.has_nvidia_gpu
    assert trainium.neuron is not None
    assert (trainium.neuron.device_count, trainium.neuron.cores_per_device) == (16, 2)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_every_type_is_consistent(kind):
    assert kind.name == f"{kind.family}.{kind.size}"
    assert kind.accelerator.count >= 1
    assert 0 < kind.accelerator.partition_size <= 1
    assert kind.resource == ("nvidia.com/gpu" if kind.has_nvidia_gpu else "aws.amazon.com/neuron")
    assert (kind.neuron is None) == kind.has_nvidia_gpu
    assert kind.neuron is None or kind.neuron.device_count == kind.accelerator.count
    assert kind.ami_types
    assert set(kind.price_source) >= {region for region, usd in kind.on_demand_usd_per_hour.items() if usd is not None}


@pytest.mark.parametrize(
    ("name", "share", "memory_mib"),
    [
        pytest.param("g6f.xlarge", 0.125, 2861, id="eighth"),
        pytest.param("g6f.2xlarge", 0.25, 5722, id="quarter"),
        pytest.param("gr6f.4xlarge", 0.5, 11444, id="half"),
    ],
)
def test_a_fractional_gpu_counts_as_the_partition_it_is(name, share, memory_mib):
    chip = instance_types.get(name).accelerator

    assert (chip.count, chip.partition_size, chip.memory_mib) == (1, share, memory_mib)


@pytest.mark.parametrize(
    ("name", "interfaces", "addresses"),
    [
        pytest.param("g6.2xlarge", 4, 15, id="one-card"),
        pytest.param("p5.48xlarge", 2, 50, id="many-cards"),
        pytest.param("p6e-gb200.36xlarge", None, None, id="unknown"),
    ],
)
def test_interfaces_and_their_addresses_are_those_of_the_first_card(name, interfaces, addresses):
    network = instance_types.get(name).network

    assert (network.interfaces_per_card, network.ipv4_per_interface) == (interfaces, addresses)


def test_types_are_immutable():
    kind = instance_types.get("g6.2xlarge")

    with pytest.raises(dataclasses.FrozenInstanceError):
        kind.vcpus = 1
    with pytest.raises(TypeError):
        kind.on_demand_usd_per_hour["us-east-1"] = 0.0


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        pytest.param("g6.2xlrge", "g6.2xlarge", id="letter-missing"),
        pytest.param("G6.2XLARGE", "g6.2xlarge", id="upper-case"),
        pytest.param("p5-48xlarge", "p5.48xlarge", id="dash-for-dot"),
        pytest.param("trn2.48xlarg", "trn2.48xlarge", id="end-missing"),
        pytest.param("zzz", None, id="nothing-near"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(written, meant):
    with pytest.raises(UnknownInstanceTypeError) as caught:
        instance_types.get(written)

    assert caught.value.suggestion == meant
    assert ("Did you mean" in str(caught.value)) == (meant is not None)


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("p7.48xlarge", "did you mean p5.48xlarge? If it is newer than this package: `accel facts add p7.48xlarge`"),
        ("p5.49xlarge", "did you mean p5.4xlarge?"),
        ("zzz", "use an accelerated instance type, such as g6.xlarge"),
    ],
)
def test_a_family_that_is_not_known_may_be_newer_than_the_package(written, fix):
    with pytest.raises(UnknownInstanceTypeError) as caught:
        instance_types.get(written)

    assert caught.value.fix == fix


def test_find_gives_none_for_what_get_refuses():
    assert instance_types.find("m7i.large") is None
    assert instance_types.find("g6.xlarge") is instance_types.get("g6.xlarge")


def test_a_type_without_known_regions_has_none():
    assert instance_types.get("p6e-gb200.36xlarge").offered_regions == ()
