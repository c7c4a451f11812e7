"""What serves a stack's GPUs: one program for each node, with inputs that follow from the node groups."""

import pytest

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.settings import releases
from eks_accelerators.settings.release_inputs import GpuOperatorInputs
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import TAINT, check

OPERATOR = {"nvidia.stack": "operator"}
BOTTLEROCKET = {"instanceType": "g6.2xlarge", "size": {"max": 1}, "ami": {"type": "BOTTLEROCKET_x86_64_NVIDIA"}}
OURS = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}
TEAM = {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}
SHARED = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True}}


def stack(patch):
    return resolve_stack(check({**patch, "workloads": {}}).settings)


def inputs(patch):
    """Inputs of device plugin, GPU Operator and DCGM exporter."""
    made = stack(patch)
    return releases.nvidia_device_plugin(made), releases.gpu_operator(made), releases.dcgm_exporter(made)


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({}, (True, False, True)),
        (OPERATOR, (False, True, False)),
        (OPERATOR | {"nodeGroups.other": BOTTLEROCKET}, (False, True, True)),
        (OPERATOR | {"nodeGroups": {"other": BOTTLEROCKET}}, (False, False, True)),
        ({"nodeGroups.other": BOTTLEROCKET}, (True, False, True)),
        (OPERATOR | {"plugins.nvidiaDevicePlugin.enabled": False}, (False, True, False)),
    ],
    ids=["charts", "operator", "operator and image", "image alone", "charts and image", "operator without its plugin"],
)
def test_what_is_installed(patch, expected):
    assert tuple(made is not None for made in inputs(patch)) == expected


def test_inputs_of_the_operator():
    _, operator, _ = inputs(OPERATOR | SHARED)

    assert operator == GpuOperatorInputs(
        sharings=(Sharing("timeSlicing", 4, renamed=True),),
        tolerations=(OURS,),
        discovery_tolerations=(OURS,),
        shared_gpus=True,
        renamed_shares=True,
    )


def test_the_exporter_s_chart_measures_only_nodes_that_the_operator_leaves_alone():
    _, operator, exporter = inputs(OPERATOR | SHARED | {"nodeGroups.other": BOTTLEROCKET})

    assert operator.shared_gpus is True
    assert exporter.shared_gpus is False
    assert exporter.node_selector == {"nvidia.com/gpu.deploy.operands": "false"}


def test_discovery_sees_the_nodes_that_the_operator_leaves_alone():
    """Of a node without discovery the operator says that it has no GPU."""
    _, operator, _ = inputs(OPERATOR | {"nodeGroups.other": BOTTLEROCKET, "nodeGroups.other.taints": [TAINT]})

    assert operator.tolerations == (OURS,)
    assert operator.discovery_tolerations == (OURS, TEAM)


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"plugins.nvidiaDevicePlugin.tolerations": [{"operator": "Exists"}]}, [{"operator": "Exists"}, OURS]),
        ({"monitoring.dcgmExporter.tolerations": [{"operator": "Exists"}]}, [OURS, {"operator": "Exists"}]),
        (
            {
                "monitoring.dcgmExporter.tolerations": [{"operator": "Exists"}],
                "plugins.nvidiaDevicePlugin.tolerations": [{"operator": "Exists"}],
            },
            [{"operator": "Exists"}],
        ),
        (
            {
                "monitoring.dcgmExporter.enabled": False,
                "plugins.nvidiaDevicePlugin.tolerations": [{"operator": "Exists"}],
            },
            [{"operator": "Exists"}],
        ),
    ],
    ids=["plugin's", "exporter's", "both", "of what is switched off"],
)
def test_one_list_of_tolerations_for_all_that_the_operator_deploys(patch, expected):
    _, operator, _ = inputs(OPERATOR | patch)

    assert list(operator.tolerations) == expected


SLICED = {"strategy": "timeSlicing", "replicas": 4}
MPS = {"strategy": "mps", "replicas": 4}
MIXED = {"strategy": "mig", "mig": {"strategy": "mixed", "layout": {"3g.40gb": 1, "1g.10gb": 4}}}
SINGLE = {"strategy": "mig", "mig": {"strategy": "single", "layout": {"1g.10gb": 7}}}
RENAMED, TWICE = {"renameByDefault": True}, {"replicas": 2}


@pytest.mark.parametrize(
    ("sharings", "shared", "renamed"),
    [
        pytest.param([{}], False, False, id="exclusive"),
        pytest.param([SLICED], True, False, id="time-slicing"),
        pytest.param([SLICED | RENAMED], True, True, id="time-slicing-renamed"),
        pytest.param([MPS], True, False, id="mps"),
        pytest.param([MPS | RENAMED], True, True, id="mps-renamed"),
        pytest.param([MIXED], False, False, id="mig"),
        pytest.param([MIXED | TWICE], True, False, id="mig-in-turns"),
        pytest.param([MIXED | TWICE | RENAMED], True, False, id="names-of-profiles-are-known"),
        pytest.param([SINGLE | TWICE | RENAMED], True, True, id="instances-that-are-called-gpus"),
        pytest.param([MPS | RENAMED, {}], True, True, id="one-of-two-groups"),
        pytest.param([MPS, SLICED | RENAMED], True, True, id="both-kinds"),
    ],
)
def test_the_exporter_is_told_of_every_group(sharings, shared, renamed):
    groups = {
        f"nodeGroups.group{index}": {
            "instanceType": "p5.4xlarge",
            "size": {"max": 1},
            **({"sharing": sharing} if sharing else {}),
        }
        for index, sharing in enumerate(sharings)
    }
    told = releases.dcgm_exporter(stack({"nodeGroups": {}, **groups}))

    assert (told.shared_gpus, told.renamed_shares) == (shared, renamed)


CLAIMED = {
    "instanceType": "g6.12xlarge",
    "size": {"min": 1, "desired": 1, "max": 1},
    "dynamicResourceAllocation": True,
}


@pytest.mark.parametrize("served_by", [{}, OPERATOR], ids=["charts", "operator"])
def test_nodes_with_claims_have_an_exporter_that_knows_of_no_shares(served_by):
    made = stack({**served_by, **SHARED, "nodeGroups.claimed": CLAIMED})
    exporter, of_claims = releases.dcgm_exporter(made), releases.dcgm_exporter_of_claims(made)

    assert (of_claims.claimed_gpus, of_claims.shared_gpus) == (True, False)
    assert (exporter is None) == bool(served_by)
    assert exporter is None or (exporter.shared_gpus and not exporter.claimed_gpus)


def test_no_exporter_of_claims_where_there_are_none_or_it_is_switched_off():
    for patch in ({}, {"nodeGroups.claimed": CLAIMED, "monitoring.dcgmExporter.enabled": False}):
        assert releases.dcgm_exporter_of_claims(stack(patch)) is None
