"""Healthy nodes, as real tools print them, raise no alarm; the same with a fault do."""

import json

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.simulator.kubernetes.nodes import LOGICAL_CORE_ANNOTATION
from eks_accelerators.simulator.tools import programs
from eks_accelerators.simulator.tools.machine import SimulatedMachine
from eks_accelerators.verification import gpu_checks, neuron_checks, tool_outputs
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import printed
from tests.verification.worlds import PaperCluster, stack_of, verification

UUID = "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a7"


def judged(judge, group, **tools):
    """Severity, and what was found, by code, where each of ``tools`` printed so on the node of the ``group``."""
    zone = {"zones": ["us-east-2a"], "disk": {"sizeGib": 500}, "size": {"desired": 1, "max": 1}}
    stack = stack_of(
        {
            "nodeGroups.gpu": {**zone, **group},
            "workloads": {},
            "network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
        }
    )
    node = next(iter(verification(stack, PaperCluster(stack)).scope().nodes()))
    log = "".join(printed(name, text, 0) for name, text in tools.items())
    return {each.code: (each.severity.value, each.found) for each in judge(node, [PodOutput("pod", log)])}


def trn2(cores, logical_core_size, devices=16):
    """`neuron-ls -j` of a trn2.48xlarge. Shape and figures: Neuron documentation, `neuron-ls`, of a trn2.48xlarge."""
    return json.dumps(
        [
            {
                "neuron_device": index,
                "bdf": "cc:00.0",
                "cpu_affinity": "48-95,144-191",
                "numa_node": "1",
                "connected_to": [12, 3, 4, 1],
                "nc_count": cores,
                "logical_neuroncore_config": logical_core_size,
                "memory_size": 103079215104,
                "neuroncore_ids": list(range(cores * index, cores * (index + 1))),
                "neuron_processes": [],
            }
            for index in range(devices)
        ]
    )


TRN2 = {"instanceType": "trn2.48xlarge", "zones": ["us-east-2b"]}


@pytest.mark.parametrize(
    ("group", "text", "expected"),
    [
        pytest.param(TRN2, trn2(4, 2), ("pass", "16 devices of 8 cores"), id="usual"),
        pytest.param({**TRN2, "logicalCoreSize": 1}, trn2(8, 1), ("pass", "16 devices of 8 cores"), id="of-one"),
        pytest.param(
            {**TRN2, "logicalCoreSize": 1}, trn2(4, 2), ("pass", "16 devices of 8 cores"), id="pod-without-the-file"
        ),
        pytest.param(TRN2, trn2(3, 2), ("reboot", "16 devices of 6 cores"), id="fewer-cores"),
        pytest.param(TRN2, trn2(4, 2, 15), ("reboot", "15 devices of 8 cores"), id="fewer-devices"),
    ],
)
def test_neuron_devices_by_physical_cores(group, text, expected):
    assert judged(neuron_checks._judge_neuron, group, devices=text)["neuron-devices"] == expected


@pytest.mark.parametrize(
    ("kind", "annotations", "expected"),
    [
        pytest.param("trn2.48xlarge", {}, [(4, 2, [0, 1, 2, 3]), (4, 2, [4, 5, 6, 7])], id="usual"),
        pytest.param(
            "trn2.48xlarge",
            {LOGICAL_CORE_ANNOTATION: "1"},
            [(8, 1, list(range(8))), (8, 1, list(range(8, 16)))],
            id="of-one",
        ),
        pytest.param("inf2.24xlarge", {}, [(2, None, [0, 1]), (2, None, [2, 3])], id="without-sizes"),
    ],
)
def test_a_simulated_node_prints_what_a_real_one_does(kind, annotations, expected):
    node = {"metadata": {"name": "node", "annotations": annotations}}
    text, status = programs.run(SimulatedMachine(instance_types.get(kind), node, {}, (), ()), tool_outputs.NEURON_LS)

    first, second, *_ = json.loads(text)
    keys = ("nc_count", "logical_neuroncore_config", "neuroncore_ids")
    assert status == 0
    assert [tuple(device.get(key) for key in keys) for device in (first, second)] == expected


@pytest.mark.parametrize(
    ("mib", "expected"),
    [
        pytest.param(15360, ("pass", "15360 MiB or more"), id="driver-525-and-newer"),
        pytest.param(15109, ("pass", "15109 MiB or more"), id="driver-450"),
        pytest.param(16384, ("pass", "16384 MiB or more"), id="without-error-correction"),
        pytest.param(14336, ("isolate", "GPU 0: 14336 MiB"), id="less"),
    ],
)
def test_memory_of_a_t4(mib, expected):
    line = f"0, {UUID}0, Tesla T4, {mib} MiB, 580.95.05, [N/A], Enabled\n"

    assert judged(gpu_checks._judge_gpus, {"instanceType": "g4dn.xlarge"}, gpus=line)["gpu-memory"] == expected


P4D = {
    "instanceType": "p4d.24xlarge",
    "sharing": {"strategy": "mig", "mig": {"layout": {"1g.5gb": 7}, "strategy": "mixed"}},
}


def a100(divided):
    """`nvidia-smi`'s query of eight A100, of which these are divided."""
    lines = (
        f"{index}, {UUID}{index}, NVIDIA A100-SXM4-40GB, 40960 MiB, 580.95.05, "
        f"{'Enabled' if index in divided else 'Disabled'}, Enabled"
        for index in range(8)
    )
    return "\n".join(lines)


def links(down):
    """`nvidia-smi nvlink -s` of eight A100, of which these have no link up."""
    return "".join(
        f"GPU {index}: NVIDIA A100-SXM4-40GB (UUID: {UUID}{index})\n"
        + "".join(f"\t Link {link}: {'<inactive>' if index in down else '25 GB/s'}\n" for link in range(12))
        for index in range(8)
    )


ALL = range(8)


@pytest.mark.parametrize(
    ("divided", "down", "expected"),
    [
        pytest.param(
            ALL,
            ALL,
            ("notVerified", "GPUs with MIG on: 0, 1, 2, 3, 4, 5, 6, 7: whether links are up then is not known"),
            id="all-divided",
        ),
        pytest.param(
            [3], [3], ("notVerified", "GPUs with MIG on: 3: whether links are up then is not known"), id="one"
        ),
        pytest.param([3], [3, 5], ("isolate", "GPU 5: 0 of 12 up"), id="a-whole-one-has-none"),
        pytest.param([], [], ("pass", "all up"), id="none-divided"),
    ],
)
def test_links_of_divided_gpus(divided, down, expected):
    found = judged(gpu_checks._judge_gpus, P4D, gpus=a100(divided), links=links(down))

    assert found["gpu-links"] == expected
