"""What nodes advertise under a configuration, and which configurations a certain node refuses."""

import pytest

from eks_accelerators.accelerators.device_plugin import Node, judge
from eks_accelerators.accelerators.instance_types import get
from eks_accelerators.accelerators.mig import gpu_of, layouts

SLICED = "sharing: {timeSlicing: {failRequestsGreaterThanOne: true, %s}}"
FOUR = SLICED % "resources: [{name: nvidia.com/gpu, replicas: 4}]"
MPS = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
SEVEN = {"1g.10gb": 7}


def found(text, instance_type, *of_gpus):
    return judge(text, Node.of(get(instance_type), of_gpus or (None,)))


@pytest.mark.parametrize(
    ("text", "instance_type", "of_gpus", "resources"),
    [
        pytest.param("", "g6.12xlarge", (), {"nvidia.com/gpu": 4}, id="exclusive"),
        pytest.param(FOUR, "g6.12xlarge", (), {"nvidia.com/gpu": 16}, id="time-slicing"),
        pytest.param(
            SLICED % "renameByDefault: true, resources: [{name: gpu, replicas: 4}]",
            "g6.12xlarge",
            (),
            {"nvidia.com/gpu.shared": 16},
            id="renamed",
        ),
        pytest.param(MPS, "g6f.large", (), {"nvidia.com/gpu": 4}, id="mps-on-a-part-of-a-gpu"),
        pytest.param(
            SLICED % "resources: [{name: gpu, replicas: 2}, {name: gpu, replicas: 5}]",
            "g6.xlarge",
            (),
            {"nvidia.com/gpu": 5},
            id="the-larger-of-two",
        ),
        pytest.param("flags: {migStrategy: single}", "p5.48xlarge", (), {"nvidia.com/gpu": 8}, id="single-without-mig"),
        pytest.param("flags: {migStrategy: single}", "p5.48xlarge", (SEVEN,), {"nvidia.com/gpu": 56}, id="single"),
        pytest.param(
            "flags: {migStrategy: mixed}",
            "p5.48xlarge",
            ({"3g.40gb": 1, "1g.10gb": 3, "1g.10gb+me": 1},),
            {"nvidia.com/mig-1g.10gb": 24, "nvidia.com/mig-1g.10gb.me": 8, "nvidia.com/mig-3g.40gb": 8},
            id="mixed",
        ),
        pytest.param(
            "flags: {migStrategy: mixed}",
            "p5.48xlarge",
            (*[None] * 6, SEVEN, {"7g.80gb": 1}),
            {"nvidia.com/gpu": 6, "nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-7g.80gb": 1},
            id="each-its-own",
        ),
        pytest.param(
            "{flags: {migStrategy: mixed}, %s}"
            % (SLICED % "renameByDefault: true, resources: [{name: mig-1g.10gb, replicas: 2}]"),
            "p5.4xlarge",
            ({"3g.40gb": 1, "1g.10gb": 4},),
            {"nvidia.com/mig-3g.40gb": 1, "nvidia.com/mig-1g.10gb.shared": 8},
            id="time-slicing-on-mig",
        ),
        pytest.param("", "p5.4xlarge", (SEVEN,), {"nvidia.com/gpu": 1}, id="mig-that-is-not-served"),
    ],
)
def test_what_is_advertised(text, instance_type, of_gpus, resources):
    assert found(text, instance_type, *of_gpus).effective.advertised == resources


@pytest.mark.parametrize(
    ("text", "of_gpus", "codes"),
    [
        pytest.param(MPS, (SEVEN,), ["mps-on-mig"], id="V9-none"),
        pytest.param(f"{{flags: {{migStrategy: single}}, {MPS}}}", (SEVEN,), ["mps-on-mig"], id="V9-single"),
        pytest.param(MPS, (*[None] * 7, {}), ["mps-on-mig"], id="V9-one-of-eight"),
        pytest.param("flags: {migStrategy: single}", (SEVEN, *[None] * 7), ["mig-not-uniform"], id="V17-some"),
        pytest.param("flags: {migStrategy: single}", (*[SEVEN] * 7, {}), ["mig-not-uniform"], id="V17-empty"),
        pytest.param("flags: {migStrategy: single}", ({},), ["mig-not-uniform"], id="V17-all-empty"),
        pytest.param(
            "flags: {migStrategy: single}", ({"3g.40gb": 1, "1g.10gb": 4},), ["mig-not-uniform"], id="V17-profiles"
        ),
        pytest.param(
            "flags: {migStrategy: single}", (*[SEVEN] * 7, {"7g.80gb": 1}), ["mig-not-uniform"], id="V17-gpus-differ"
        ),
        pytest.param(
            "sharing: {mps: {resources: [{name: mig-1g.10gb, replicas: 2}]}}", (), ["mps-without-daemon"], id="S6"
        ),
    ],
)
def test_what_a_node_refuses(text, of_gpus, codes):
    judgement = found(text, "p5.48xlarge", *of_gpus)

    assert [problem.code for problem in judgement.errors] == codes


@pytest.mark.parametrize(
    ("replicas", "verdict"), [(48, "accepted"), (49, "rejected")], ids=["as-many-as-there-are", "too-many"]
)
def test_an_mps_server_has_so_many_clients(replicas, verdict):
    """V10. Every GPU of our instance types is of compute capability 7.5 or newer."""
    assert found(MPS.replace("4}", f"{replicas}}}"), "g4dn.xlarge").verdict == verdict


@pytest.mark.parametrize(
    ("text", "of_gpus", "codes"),
    [
        pytest.param("", (SEVEN,), ["mig-not-served"], id="in-mig-mode-under-none"),
        pytest.param(
            f"{{flags: {{migStrategy: mixed}}, {FOUR}}}", (SEVEN,), ["resource-not-there"], id="S4-no-whole-gpu"
        ),
        pytest.param(
            "{flags: {migStrategy: mixed}, %s}" % (SLICED % "resources: [{name: mig-2g.20gb, replicas: 2}]"),
            (SEVEN,),
            ["time-slicing-on-mig", "resource-not-there"],
            id="S4-another-profile",
        ),
        pytest.param(
            f"{{flags: {{migStrategy: single}}, {FOUR}}}", (SEVEN,), ["time-slicing-on-mig"], id="time-slicing-on-mig"
        ),
    ],
)
def test_what_is_accepted_and_not_what_it_seems(text, of_gpus, codes):
    judgement = found(text, "p5.48xlarge", *of_gpus)

    assert judgement.verdict != "rejected"
    assert [problem.code for problem in judgement.problems] == codes


def test_every_layout_is_served_by_mixed_and_only_one_profile_by_single():
    kind = get("p5.4xlarge")
    for layout in layouts(gpu_of(kind)):
        mixed, single = (found(f"flags: {{migStrategy: {name}}}", kind.name, layout) for name in ("mixed", "single"))

        assert sum(mixed.effective.advertised.values()) == sum(layout.values())
        assert (single.verdict == "accepted") == (len(layout) == 1)


def test_as_many_layouts_as_gpus():
    with pytest.raises(ValueError, match=r"2 layouts for the 8 of p5.48xlarge"):
        Node.of(get("p5.48xlarge"), (None, SEVEN))
