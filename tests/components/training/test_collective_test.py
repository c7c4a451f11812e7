"""A test of the network as it is registered: which program measures, and what it is compared with."""

import pytest

from eks_accelerators.components import CollectiveTest
from tests.components.examples import TRAINED, deployed, run
from tests.components.training.test_pytorch_job import TRAINIUM

ONE = {"nodes": 1}
NEURON = {"runs_on": TRAINIUM, "nodes": 1, "accelerators_per_node": 16, "efa_interfaces": 0}


BETWEEN_NEURON = {**NEURON, "nodes": 2, "efa_interfaces": 8}


def measuring(changes=None):
    return deployed(CollectiveTest, changes, name="network")


def command(changes=None):
    (container,) = measuring(changes).one("Job").inputs["spec"]["template"]["spec"]["containers"]
    return " ".join(container["command"])


def test_the_whole_job(snapshot):
    assert measuring().one("Job").inputs == snapshot


COMMANDS = {
    "in a node": (
        {**ONE, "largest_mib": 1024},
        "all_reduce_perf -b 1048576 -e 1073741824 -f 2 -g 8 -c 1 -n 20",
    ),
    "between nodes": (
        {"largest_mib": 16384},
        "python3 /opt/eks-accelerators/programs/launch.py /opt/eks-accelerators/programs/measure_all_reduce.py "
        "--smallest 1048576 --largest 17179869184",
    ),
    "on Trainium": (
        {**NEURON, "largest_mib": 512},
        "nccom-test -r 32 -b 1048576 -e 536870912 -f 2 -d fp32 --check allr",
    ),
    "between nodes of Trainium": (
        BETWEEN_NEURON,
        "python3 /opt/eks-accelerators/programs/launch_nccom.py "
        "nccom-test -r 64 -N 2 -b 1048576 -e 1073741824 -f 2 -d fp32 --check allr",
    ),
}


@pytest.mark.parametrize("where", COMMANDS)
def test_what_measures(where):
    changes, expected = COMMANDS[where]

    assert command(changes) == expected


EXPECTED = {
    "measured elsewhere": ({}, "437 GB/s at 1024 MiB measured elsewhere (awslabs/"),
    "the nearest size below": ({"largest_mib": 16384}, "487 GB/s at 16384 MiB measured elsewhere (awslabs/"),
    "one node of Trainium": (
        NEURON,
        "what to expect is not known",
    ),
    "an example of its maker, between nodes": (
        BETWEEN_NEURON,
        "51 GB/s at 1024 MiB measured elsewhere, an example of its maker (aws-neuron/",
    ),
    "another number of nodes": ({"nodes": 4}, "what to expect is not known"),
}


@pytest.mark.parametrize("case", EXPECTED)
def test_what_to_expect(case):
    changes, expected = EXPECTED[case]

    assert measuring(changes).component_outputs("CollectiveTest")["expected"].startswith(expected)


def test_a_fault_is_a_result():
    """It is not tried again: what failed once is what one wants to know."""
    assert measuring().one("Job").inputs["spec"]["backoffLimit"] == 0


def test_whole_gpus_alone_are_measured():
    shared = {**TRAINED, "sharing": {"strategy": "timeSlicing", "replicas": 4}}

    assert "training-shared" in str(run(CollectiveTest, {"runs_on": shared}).error)
