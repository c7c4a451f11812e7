import pytest

from eks_accelerators.accelerators import instance_types, system_instance_types


@pytest.mark.parametrize("name", system_instance_types.names())
def test_system_types_have_no_accelerator(name):
    kind = system_instance_types.find(name)

    assert kind.vcpus > 0
    assert kind.memory_mib > 0
    assert kind.architecture in ("x86_64", "arm64")
    assert instance_types.find(name) is None


def test_a_type_outside_the_table_is_not_found():
    assert system_instance_types.find("g6.2xlarge") is None
