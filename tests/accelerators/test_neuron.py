"""Logical cores, and the memory of one, against what AWS documents of each type."""

import pytest

from eks_accelerators.accelerators import instance_types, neuron
from eks_accelerators.accelerators.neuron import NeuronPlugin
from eks_accelerators.accelerators.sharing import NEURON_CORE, advertised

TYPES = [
    # type, cores of a logical core, logical cores of a device, GiB of each
    ("inf2.xlarge", None, 2, 16),
    ("trn1.32xlarge", None, 2, 16),
    ("trn2.3xlarge", None, 4, 24),
    ("trn2.48xlarge", None, 4, 24),
    ("trn2.48xlarge", 1, 8, 12),
]


@pytest.mark.parametrize(("name", "size", "cores", "gib"), TYPES)
def test_logical_cores_and_their_memory(name, size, cores, gib):
    kind = instance_types.get(name)

    assert neuron.logical_cores_per_device(kind, size) == cores
    assert neuron.gib_per_logical_core(kind, size) == gib


def test_every_neuron_type_of_the_table_has_a_family_and_no_other_type_has():
    for kind in instance_types.every():
        assert (neuron.family_of(kind) is None) == kind.has_nvidia_gpu, kind.name


def test_trainium2_begins_the_new_plugin():
    plugins = {k.family: neuron.family_of(k).plugin for k in instance_types.every() if neuron.family_of(k)}

    assert plugins == {
        "inf2": NeuronPlugin.NXD_INFERENCE,
        "trn1": NeuronPlugin.NXD_INFERENCE,
        "trn1n": NeuronPlugin.NXD_INFERENCE,
        "trn2": NeuronPlugin.VLLM_NEURON,
        "trn2u": NeuronPlugin.VLLM_NEURON,
    }


def test_a_node_advertises_its_logical_cores():
    """The documentation's own numbers: 64 on a trn2.48xlarge unless it is told otherwise, 32 on a trn1.32xlarge."""
    assert advertised(instance_types.get("trn2.48xlarge"))[NEURON_CORE] == 64
    assert advertised(instance_types.get("trn1.32xlarge"))[NEURON_CORE] == 32


@pytest.mark.parametrize(("devices", "contiguous"), [(1, True), (2, False), (15, False), (16, True)])
def test_one_device_or_all_are_next_to_each_other(devices, contiguous):
    assert neuron.is_contiguous(devices, instance_types.get("trn2.48xlarge")) is contiguous
