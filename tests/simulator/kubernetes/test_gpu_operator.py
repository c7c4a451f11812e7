"""Nodes under the GPU Operator: what they say is what the plan promises, as under the single charts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types, mig, sharing
from eks_accelerators.accelerators.mig.manager import configuration_name, configurations
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing
from eks_accelerators.settings.gpu_servers import GpuServer, labels_of
from eks_accelerators.simulator.kubernetes import mig_hardware, operator_labels
from eks_accelerators.simulator.kubernetes.advertisement import advertised
from tests.simulator.kubernetes.paper_cluster import daemon_sets, node, operator_objects, pods_on

FOUR, EIGHT = Sharing("timeSlicing", 4, renamed=True), Sharing("mps", 8)
MIXED = Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}]))
SINGLE = Sharing("mig", mig=Partitioning.of("single", [{"1g.10gb": 7}]))
UNLIKE = Sharing("mig", 2, mig=Partitioning.of("mixed", [{}, *[{"1g.10gb": 7}] * 7]))
OBJECTS = operator_objects(FOUR, EIGHT, MIXED, SINGLE, UNLIKE)
P5 = instance_types.get("p5.48xlarge")


def test_without_tolerations_its_pods_tolerate_the_taint_of_gpus_of_themselves():
    """As `applyCommonDaemonsetConfig` has it: an empty list leaves those of the DaemonSets."""
    pods = [each["spec"]["template"]["spec"] for each in daemon_sets(*operator_objects(tolerations=[]))]
    taint = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    of_the_operator = [pod["tolerations"] for pod in pods if "discovery" not in pod["serviceAccountName"]]

    assert of_the_operator
    assert all(tolerations == [taint] for tolerations in of_the_operator)


def served(kind, shared, **changes):
    """A node of a group that the operator serves."""
    here = node(kind.name, shared, **changes)
    here["metadata"]["labels"] |= labels_of(kind, GpuServer.GPU_OPERATOR, shared)
    return here


def settled(here, objects=OBJECTS):
    """What the node says once nothing changes any more, with what the operator writes on it."""
    maps = {(o["metadata"]["namespace"], o["metadata"]["name"]): o for o in objects if o["kind"] == "ConfigMap"}
    labels = here["metadata"]["labels"]
    for _ in range(6):
        found = advertised(here, pods_on(here, daemon_sets(*objects)), maps)
        labels |= found.labels
        for key, value in operator_labels.changes(labels).items():
            labels.pop(key) if value is None else labels.update({key: value})
    return found


@pytest.mark.parametrize(
    ("instance_type", "shared"),
    [
        ("g6.2xlarge", EXCLUSIVE),
        ("g6f.xlarge", EXCLUSIVE),
        ("g6.2xlarge", FOUR),
        ("g6e.2xlarge", EIGHT),
        ("p5.48xlarge", EXCLUSIVE),
        ("p5.48xlarge", FOUR),
        ("p5.48xlarge", MIXED),
        ("p5.48xlarge", SINGLE),
        ("p5.48xlarge", UNLIKE),
    ],
    ids=str,
)
def test_a_node_says_what_the_plan_promises(instance_type, shared):
    """All at once in one cluster: two strategies of MIG, MPS beside them."""
    kind = instance_types.get(instance_type)
    here = served(kind, shared)

    found = settled(here)

    assert found.resources == sharing.advertised(kind, shared)
    assert found.notes == ()
    assert here["metadata"]["labels"].get("nvidia.com/mig.config.state") == ("success" if kind.mig_capable else None)


def test_going_back_from_mig_makes_whole_gpus():
    here = served(P5, MIXED)
    settled(here)
    here["metadata"]["labels"] |= labels_of(P5, GpuServer.GPU_OPERATOR, EXCLUSIVE)

    assert settled(here).resources == {"nvidia.com/gpu": 8}


def test_the_operator_stays_off_a_node_that_is_none_of_its_own():
    """Discovery runs there, so that the operator does not say that the node has no GPU."""
    here = node("g6.2xlarge", ami_type="BOTTLEROCKET_x86_64_NVIDIA")
    here["metadata"]["labels"] |= labels_of(P5, GpuServer.NODE_IMAGE, EXCLUSIVE)

    found = settled(here)

    assert (found.resources, found.notes) == ({"nvidia.com/gpu": 1}, ())
    assert here["metadata"]["labels"]["nvidia.com/gpu.present"] == "true"
    assert [pod["metadata"]["name"] for pod in pods_on(here, daemon_sets(*OBJECTS))] == [
        "operator-ab12-node-feature-discovery-worker-x7k2p"
    ]


def test_where_discovery_has_no_pod_the_operator_takes_the_label_of_gpus_away():
    taints = [{"key": "team", "value": "ml", "effect": "NoSchedule"}]
    here = served(P5, EXCLUSIVE, taints=taints)

    assert settled(here).resources == {}
    assert here["metadata"]["labels"]["nvidia.com/gpu.present"] == "false"


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("all-7g.80gb", "mig-manager: its file has no configuration 'all-7g.80gb'"),
        ("", "mig-manager: its file has no configuration ''"),
    ],
)
def test_a_layout_that_is_not_in_the_file_fails_and_says_so(name, note):
    here = served(P5, EXCLUSIVE)
    here["metadata"]["labels"]["nvidia.com/mig.config"] = name

    found = settled(here)

    assert found.resources == {"nvidia.com/gpu": 8}
    assert here["metadata"]["labels"]["nvidia.com/mig.config.state"] == "failed"
    assert [text.startswith(note) for text in found.notes] == [True]


def test_a_missing_file_fails_and_says_so():
    objects = [one for one in OBJECTS if "mig-layouts" not in one["metadata"]["name"]]

    (note,) = settled(served(P5, MIXED), objects).notes

    assert "mig-layouts" in note
    assert note.endswith("does not exist")


LAYOUTS = st.sampled_from(mig.layouts(mig.gpu_of(P5)))


@given(st.one_of(st.tuples(LAYOUTS), st.lists(st.one_of(st.just({}), LAYOUTS), min_size=8, max_size=8)))
def test_mig_manager_makes_of_a_file_what_was_wanted(wanted):
    file = json.dumps(configurations([wanted]))

    made = mig_hardware.gpus_by_manager(P5, file, configuration_name(wanted))

    each = wanted * (8 if len(wanted) == 1 else 1)
    assert [dict(layout or {}) for layout in made.layouts] == [dict(layout) for layout in each]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 3}}, "takes at most 2"),
        ({"devices": "all", "mig-enabled": True, "mig-devices": {"1g.5gb": 7}}, "has no profile 1g.5gb"),
        ({"devices": [8], "mig-enabled": False}, "has a GPU 8, and the node has 8"),
        ({"devices": "all", "mig-enabled": True}, "mig-parted refuses its file"),
        ({"devices": "all", "device-filter": "0x233010DE", "mig-enabled": False}, "is not simulated"),
    ],
    ids=["too many", "another GPU's", "no such GPU", "refused", "filter"],
)
def test_what_mig_manager_cannot_do(entry, why):
    file = json.dumps({"version": "v1", "mig-configs": {"wanted": [entry]}})

    with pytest.raises(ValueError, match=why):
        mig_hardware.gpus_by_manager(P5, file, "wanted")
