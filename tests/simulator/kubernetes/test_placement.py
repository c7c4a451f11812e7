"""Where a pod may be, case by case, and in which words it may not."""

import pytest

from eks_accelerators.simulator.kubernetes.placement import obstacles

NODE = {
    "metadata": {"name": "n", "labels": {"a": "1", "size": "5"}},
    "spec": {
        "taints": [{"key": "t", "value": "v", "effect": "NoSchedule"}, {"key": "p", "effect": "PreferNoSchedule"}]
    },
}
TOLERATES = {"tolerations": [{"key": "t", "operator": "Exists"}]}


def affine(*terms):
    return {
        **TOLERATES,
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
        },
    }


def term(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(TOLERATES, id="tolerates"),
        pytest.param({"tolerations": [{"operator": "Exists"}]}, id="tolerates-all"),
        pytest.param({**TOLERATES, "nodeSelector": {"a": "1"}}, id="selector"),
        pytest.param(affine(term("a", "In", "0", "1")), id="in"),
        pytest.param(affine(term("b", "NotIn", "1")), id="not-in-absent"),
        pytest.param(affine(term("a", "Exists")), id="exists"),
        pytest.param(affine(term("b", "DoesNotExist")), id="does-not-exist"),
        pytest.param(affine(term("size", "Gt", "4")), id="greater"),
        pytest.param(affine(term("size", "Lt", "6")), id="less"),
        pytest.param(affine(term("b", "Exists"), term("a", "Exists")), id="either"),
        pytest.param(
            affine({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}), id="field"
        ),
        pytest.param({**TOLERATES, "affinity": {"podAffinity": {}}}, id="other-affinity"),
    ],
)
def test_a_pod_may_be_there(pod):
    assert obstacles(pod, NODE) == []


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        pytest.param({}, "it does not tolerate the taint t=v:NoSchedule", id="taint"),
        pytest.param(
            {"tolerations": [{"key": "t", "operator": "Equal", "value": "w"}]},
            "it does not tolerate the taint t=v:NoSchedule",
            id="other-value",
        ),
        pytest.param(
            {**TOLERATES, "nodeSelector": {"a": "2"}},
            "its node selector wants a=2, and the node has a=1",
            id="selector",
        ),
        pytest.param(
            {**TOLERATES, "nodeSelector": {"b": "2"}}, "its node selector wants b=2, and the node has no b", id="absent"
        ),
        pytest.param(
            affine(term("a", "In", "2", "3")), "its node affinity wants a In 2, 3 (the node has a=1)", id="in"
        ),
        pytest.param(
            affine(term("a", "NotIn", "1")), "its node affinity wants a NotIn 1 (the node has a=1)", id="not-in"
        ),
        pytest.param(affine(term("b", "Exists")), "its node affinity wants b Exists (the node has no b)", id="exists"),
        pytest.param(
            affine(term("a", "DoesNotExist")),
            "its node affinity wants a DoesNotExist (the node has a=1)",
            id="not-exist",
        ),
        pytest.param(
            affine(term("size", "Gt", "5")), "its node affinity wants size Gt 5 (the node has size=5)", id="gt"
        ),
        pytest.param(
            affine(term("b", "Lt", "5")), "its node affinity wants b Lt 5 (the node has no b)", id="lt-absent"
        ),
        pytest.param(
            affine(term("b", "Exists"), term("c", "Exists")),
            "its node affinity wants b Exists (the node has no b), or c Exists (the node has no c)",
            id="neither",
        ),
        pytest.param(affine({}), "its node affinity wants what no node has (an empty term)", id="empty-term"),
    ],
)
def test_a_pod_may_not_be_there(pod, reason):
    assert obstacles(pod, NODE) == [reason]


def test_every_obstacle_is_named():
    pod = {"nodeSelector": {"a": "2"}, "affinity": affine(term("b", "Exists"))["affinity"]}

    assert len(obstacles(pod, NODE)) == 3


def test_a_long_list_is_shortened():
    (reason,) = obstacles(affine(term("a", "In", *(f"trn1.{size}xlarge" for size in range(40)))), NODE)

    assert reason.endswith("trn1.3xlarge, ... (the node has a=1)")
    assert len(reason) < 140


def test_an_unknown_operator_is_no_silent_no():
    with pytest.raises(ValueError, match="'Near'"):
        obstacles(affine(term("a", "Near", "1")), NODE)


@pytest.mark.parametrize(
    ("taint", "host_network", "stays"),
    [
        pytest.param(("not-ready", "NoExecute"), False, True, id="not-ready"),
        pytest.param(("unschedulable", "NoSchedule"), False, True, id="cordoned"),
        pytest.param(("network-unavailable", "NoSchedule"), False, False, id="no-network"),
        pytest.param(("network-unavailable", "NoSchedule"), True, True, id="on-the-host-s"),
    ],
)
def test_daemons_stay_where_other_pods_do_not(taint, host_network, stays):
    node = {
        "metadata": {"name": "n"},
        "spec": {"taints": [{"key": f"node.kubernetes.io/{taint[0]}", "effect": taint[1]}]},
    }
    pod = {"hostNetwork": host_network}

    assert (obstacles(pod, node, daemon=True) == []) is stays
    assert obstacles(pod, node) != []
