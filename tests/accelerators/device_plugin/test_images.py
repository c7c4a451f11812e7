"""Nodes whose image runs a device plugin of its own: what a configuration does there, and what they cannot have."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.device_plugin import Node, judge, judge_for_nodes

EXCLUSIVE = "version: v1"
SLICED = "sharing: {timeSlicing: {failRequestsGreaterThanOne: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
MPS = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
SINGLE, MIXED = "flags: {migStrategy: single}", "flags: {migStrategy: mixed}"
NOTHING = ("", "image-runs-plugin")


def judged(text, nodes, *layouts):
    node = Node.of(instance_types.get("p5.48xlarge"), layouts) if layouts else None
    return judge_for_nodes(judge(text, node), nodes, node)


@pytest.mark.parametrize("text", [EXCLUSIVE, SLICED, MPS, MIXED])
def test_on_al2023_the_file_decides(text):
    assert judged(text, "al2023") == judge(text)


@pytest.mark.parametrize(
    ("text", "nodes", "layouts", "problems"),
    [
        pytest.param(EXCLUSIVE, "bottlerocket", (), [], id="nothing-to-ignore"),
        pytest.param(SLICED, "bottlerocket", (), [], id="time-slicing-is-in-the-settings"),
        pytest.param(SINGLE, "bottlerocket", ({"1g.10gb": 7},), [], id="single"),
        pytest.param(
            MIXED, "bottlerocket", (), [("flags.migStrategy", "mig-mixed-on-bottlerocket")], id="47-no-mixed-strategy"
        ),
        pytest.param(
            MIXED,
            "bottlerocket",
            ({"3g.40gb": 1, "1g.10gb": 4},),
            [("flags.migStrategy", "mig-mixed-on-bottlerocket"), ("--mig", "mig-bottlerocket")],
            id="one-profile-as-often-as-it-fits",
        ),
        pytest.param(
            MIXED,
            "bottlerocket",
            (*[{"1g.10gb": 7}] * 4, *[None] * 4),
            [("flags.migStrategy", "mig-mixed-on-bottlerocket"), ("--mig", "mig-bottlerocket")],
            id="all-gpus-alike",
        ),
        pytest.param(EXCLUSIVE, "auto-mode", (), [], id="whole-gpus"),
        pytest.param(
            SLICED,
            "auto-mode",
            (),
            [("sharing.timeSlicing", "auto-mode-sharing")],
            id="49-no-time-slicing-on-auto-mode",
        ),
        pytest.param(MPS, "auto-mode", (), [("sharing.mps", "auto-mode-sharing")], id="49-no-mps-on-auto-mode"),
        pytest.param(
            SINGLE,
            "auto-mode",
            ({"1g.10gb": 7},),
            [("flags.migStrategy", "auto-mode-sharing"), ("--mig", "auto-mode-sharing")],
            id="49-no-mig-on-auto-mode",
        ),
    ],
)
def test_where_the_image_decides(text, nodes, layouts, problems):
    found = judged(text, nodes, *layouts)

    assert [(one.path, one.code) for one in found.problems] == [*problems, NOTHING]
    assert (found.verdict, found.ignored) == ("rejected" if problems else "accepted-but-ignores", ("",))
    assert found.effective is None


def test_what_is_wrong_with_the_file_is_said_all_the_same():
    assert [one.code for one in judged("version: v2", "bottlerocket").problems] == ["version", "image-runs-plugin"]
