import pytest

from eks_accelerators.accelerators import instance_types, scheduling
from eks_accelerators.accelerators.scheduling import NEURON, NVIDIA, Taint, tolerates

TAINT = Taint("nvidia.com/gpu", "true", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        pytest.param(TAINT.toleration, True, id="the-taint-s-own"),
        pytest.param({"key": "nvidia.com/gpu", "operator": "Exists"}, True, id="exists"),
        pytest.param({"operator": "Exists"}, True, id="exists-without-key-covers-all"),
        pytest.param({"key": "nvidia.com/gpu", "value": "true"}, True, id="equal-is-the-default"),
        pytest.param({"key": "nvidia.com/gpu"}, False, id="equal-to-nothing"),
        pytest.param({}, False, id="empty"),
        pytest.param({"key": "nvidia.com/gpu", "value": "false"}, False, id="other-value"),
        pytest.param({"key": "nvidia.com/gpus", "operator": "Exists"}, False, id="other-key"),
        pytest.param({"operator": "Exists", "effect": "NoExecute"}, False, id="other-effect"),
        pytest.param({"operator": "Exists", "effect": ""}, True, id="empty-effect-covers-all"),
        pytest.param({"operator": "Exists", "effect": "NoSchedule"}, True, id="same-effect"),
    ],
)
def test_tolerates(toleration, expected):
    assert tolerates(toleration, TAINT) is expected


def test_a_toleration_is_no_wider_than_its_taint():
    assert tolerates(TAINT.toleration, TAINT)
    for other in (Taint("x", "true", "NoSchedule"), Taint(TAINT.key, "x", "NoSchedule"), NEURON.taint):
        assert not tolerates(TAINT.toleration, other)


def test_a_taint_as_text_and_as_eks_spells_it():
    assert str(TAINT) == "nvidia.com/gpu=true:NoSchedule"
    assert TAINT.eks_effect == "NO_SCHEDULE"


@pytest.mark.parametrize(("instance_type", "identity"), [("g6.2xlarge", NVIDIA), ("trn1.32xlarge", NEURON)])
def test_nodes_are_marked_by_what_they_carry(instance_type, identity):
    assert scheduling.identity_of(instance_types.get(instance_type)) is identity


def test_selectors_tell_the_kinds_apart():
    assert NVIDIA.node_selector == {"nvidia.com/gpu.present": "true"}
    assert NEURON.node_selector == {"aws.amazon.com/neuron.present": "true"}
