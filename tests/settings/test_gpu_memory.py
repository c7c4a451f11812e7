"""Shares that follow from the GPU memory that workloads ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import check

QWEN, SHARING = "workloads.vllm.qwen", "nodeGroups.gpu.sharing"
L4_GIB = 22888 / 1024


def resolved(patch):
    return resolve_stack(check(patch).settings).groups["gpu"]


@pytest.mark.parametrize(
    ("sharing", "asked", "strategy", "replicas"),
    [
        pytest.param({"strategy": "mps"}, {"qwen": 5}, "mps", 4, id="four of 5.59 GiB"),
        pytest.param({"strategy": "timeSlicing"}, {"qwen": 7}, "timeSlicing", 3, id="three of 7.45 GiB"),
        pytest.param({"strategy": "mps"}, {"qwen": 3, "other": 7}, "mps", 3, id="the most demanding decides"),
        pytest.param({"strategy": "mps"}, {"qwen": 3, "other": None}, "mps", 7, id="who asks for nothing does not"),
        pytest.param({"strategy": "mps", "replicas": 2}, {"qwen": 5}, "mps", 2, id="written replicas stay"),
        pytest.param({"strategy": "mps", "memoryGib": 10}, {"qwen": 5}, "mps", 2, id="written memory stays"),
        pytest.param({"strategy": "exclusive"}, {"qwen": 5}, "exclusive", 1, id="a whole GPU is not shared for it"),
    ],
)
def test_shares_follow_from_what_workloads_ask_for(sharing, asked, strategy, replicas):
    workload = {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu", "replicas": 1}
    vllm = {name: {**workload, **({"gpuMemoryGib": gib} if gib else {})} for name, gib in asked.items()}
    group = resolved({SHARING: sharing, "workloads.vllm": vllm})

    assert (group.sharing.strategy, group.sharing.replicas) == (strategy, replicas)


@given(gib=st.floats(0.5, L4_GIB / 2))
def test_a_share_has_what_was_asked_for_and_one_more_would_not(gib):
    checked = check({SHARING: {"strategy": "timeSlicing"}, f"{QWEN}.gpuMemoryGib": gib})
    group = resolve_stack(checked.settings).groups["gpu"]
    memory_gib = group.type.accelerator.memory_mib / 1024

    assert memory_gib / group.sharing.replicas >= gib * (1 - 1e-9)
    assert memory_gib / (group.sharing.replicas + 1) < gib * (1 + 1e-9)
    assert "workload-gpu-memory" not in [problem.code for problem in checked.problems]
