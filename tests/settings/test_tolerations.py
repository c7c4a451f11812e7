import pytest

from eks_accelerators.accelerators.scheduling import Taint
from eks_accelerators.settings.model.node_groups import TolerationSettings
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.settings.tolerations import as_kubernetes, for_groups, untolerated
from eks_accelerators.settings.validation import validate_as
from tests.settings.example import TAINT, check

GPU = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}


def groups(patch):
    return list(resolve_stack(check(patch).settings).groups.values())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"key": "a", "value": "b"}, {"key": "a", "operator": "Equal", "value": "b"}),
        ({"operator": "Exists"}, {"operator": "Exists"}),
        (
            {"key": "a", "operator": "Exists", "effect": "NoExecute"},
            {"key": "a", "operator": "Exists", "effect": "NoExecute"},
        ),
    ],
)
def test_as_kubernetes_has_no_empty_keys(written, expected):
    assert as_kubernetes(validate_as(TolerationSettings, written)) == expected


def test_each_taint_is_tolerated_once():
    other = {"nodeGroups.other": {"instanceType": "g5.xlarge", "size": {"max": 1}, "taints": [TAINT]}}
    team = {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}

    assert for_groups(groups(other)) == (GPU, team)


def test_own_tolerations_replace_ours():
    own = [validate_as(TolerationSettings, {"operator": "Exists"})]

    assert for_groups(groups({}), own) == ({"operator": "Exists"},)
    assert for_groups(groups({}), []) == ()


def test_what_keeps_a_pod_away():
    hard, soft = Taint("team", "ml", "NoSchedule"), Taint("team", "ml", "PreferNoSchedule")

    assert untolerated([GPU], [hard, soft]) == (hard,)
    assert untolerated([{"operator": "Exists"}], [hard, soft]) == ()
