"""Faults that a user asks for: how they are written, what they strike, and what follows on the node."""

import pytest

from eks_accelerators.accelerators.instance_types import get
from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.monitoring import xids
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics.fault_kinds import KINDS, table
from eks_accelerators.simulator.metrics.fault_signs import FATAL_TO_AGENT, IGNORED_BY_PLUGIN
from eks_accelerators.simulator.metrics.faults import FaultError, parse
from eks_accelerators.simulator.metrics.sources import SOURCES
from tests.docs.pages import ROOT, text
from tests.simulator.metrics.worlds import ALL_THREE, Paper, pod

GROUPS = ("l4-shared", "h100")


@pytest.mark.parametrize(
    ("text", "kind", "value", "where"),
    [
        ("xid=79:l4-shared", "xid", "79", "l4-shared"),
        ("lost-gpu:h100", "lost-gpu", "", "h100"),
        ("exporter-down:l4-shared", "exporter-down", "dcgm-exporter", "l4-shared"),
        ("exporter-down=kube-state-metrics", "exporter-down", "kube-state-metrics", ""),
        (
            "throttle:ip-10-20-0-12.us-east-2.compute.internal",
            "throttle",
            "heat",
            "ip-10-20-0-12.us-east-2.compute.internal",
        ),
    ],
)
def test_it_is_written_as_kind_value_and_where(text, kind, value, where):
    fault = parse(text, GROUPS)

    assert (fault.kind.name, fault.value, fault.where) == (kind, value, where)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "xid=abc:h100",
            "--fault xid=abc:h100: found 'abc'; allowed: a number from 1 to 999, such as 79; write xid=79:GROUP",
        ),
        ("xid", "--fault xid: found no value; allowed: a number from 1 to 999, such as 79; write xid=79:GROUP"),
        (
            "xid=79:l4",
            "--fault xid=79:l4: found 'l4'; allowed: h100, l4-shared, or a node's whole name; write xid=79:GROUP",
        ),
        (
            "ecc=single:h100",
            "--fault ecc=single:h100: found 'single'; allowed: uncorrected, corrected; write ecc=uncorrected:GROUP",
        ),
        (
            "xid=\x1b[31m",
            "--fault 'xid=\\x1b[31m': found '\\x1b[31m'; allowed: a number from 1 to 999, such as 79; write xid=79:GROUP",
        ),
        (
            "autoscaler-down=hpa",
            "--fault autoscaler-down=hpa: found 'hpa'; allowed: keda, cluster-autoscaler, karpenter; write autoscaler-down=keda",
        ),
        ("lost-gpu=1", "--fault lost-gpu=1: found '1'; allowed: no value; write lost-gpu:GROUP"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(text, said):
    with pytest.raises(FaultError) as refused:
        parse(text, GROUPS)

    assert str(refused.value) == said


def test_an_unknown_kind_names_all_that_there_are():
    with pytest.raises(FaultError) as refused:
        parse("fire:h100")

    assert (
        str(refused.value)
        == f"--fault fire:h100: found 'fire'; allowed: {', '.join(KINDS)}; write one of them, such as xid=79:GROUP"
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_shows_something_and_says_who_says_so(kind):
    usual = kind.usual if kind.usual is not None else "79"

    assert kind.takes(usual)
    assert kind.signs(usual) != type(kind.signs(usual))()
    assert kind.means.endswith(".")
    assert kind.source


def test_the_page_about_faults_has_all_of_them_as_they_are():
    assert "\n".join(table()) in text(ROOT / "docs" / "faults.md")


def test_every_exporter_that_is_simulated_can_be_down():
    assert {each for each in Exporter if KINDS["exporter-down"].takes(each.value)} == set(SOURCES)


def test_what_the_agent_takes_for_fatal_needs_a_reset_or_a_look_at_its_memory():
    classes = xids.classes()

    assert set(classes["reset"].xids) | set(classes["memory"].xids) == FATAL_TO_AGENT
    assert IGNORED_BY_PLUGIN - set(classes["application"].xids) == {109}  # the plugin ignores what the agent does not


def allocatable(paper):
    return [
        {name: int(count) for name, count in each["status"]["allocatable"].items() if "/" in name}
        for each in paper.at().cluster.nodes
    ]


def hardware(paper):
    """The agent's condition of the accelerators, on each node."""
    return [
        (each["status"], each["reason"])
        for one in paper.at().cluster.nodes
        for each in one["status"]["conditions"]
        if each["type"] == "AcceleratedHardwareReady"
    ]


SLICED = Sharing("timeSlicing", replicas=4)


@pytest.mark.parametrize(
    ("fault", "instance_type", "sharing", "left", "condition"),
    [
        ("xid=79", "g6.12xlarge", None, {"nvidia.com/gpu": 3}, ("False", "NvidiaXID79Error")),
        ("xid=31", "g6.12xlarge", None, {"nvidia.com/gpu": 4}, ("True", "NvidiaGPUIsReady")),
        ("xid=94", "g6.12xlarge", None, {"nvidia.com/gpu": 3}, ("True", "NvidiaGPUIsReady")),
        ("lost-gpu", "g6.12xlarge", None, {"nvidia.com/gpu": 3}, ("False", "NvidiaDeviceCountMismatch")),
        ("xid=79", "g6.12xlarge", SLICED, {"nvidia.com/gpu": 15}, ("False", "NvidiaXID79Error")),
        ("plugin-down", "g6.12xlarge", None, {"nvidia.com/gpu": 0}, ("True", "NvidiaGPUIsReady")),
        ("throttle", "g6.12xlarge", None, {"nvidia.com/gpu": 4}, ("True", "NvidiaGPUIsReady")),
        (
            "neuron-ecc",
            "trn1.32xlarge",
            None,
            {"aws.amazon.com/neuron": 15, "aws.amazon.com/neuroncore": 30},
            ("False", "NeuronHBMUncorrectableError"),
        ),
        (
            "neuron",
            "trn1.32xlarge",
            None,
            {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 32},
            ("True", "NeuronAcceleratedHardwareIsReady"),
        ),
    ],
)
def test_a_node_hands_out_less_and_says_so(fault, instance_type, sharing, left, condition):
    paper = Paper(fault)
    given = {"sharing": sharing} if sharing else {}
    paper.add(instance_type=instance_type, **given)

    assert allocatable(paper) == [left]
    assert hardware(paper) == [condition]


def test_it_strikes_the_first_node_of_its_group_and_no_other():
    paper = Paper("xid=79:second")
    for group in ("first", "second", "second"):
        paper.add(group)

    assert [status for status, _ in hardware(paper)] == ["True", "False", "True"]


def test_it_waits_for_a_node_that_it_can_strike():
    paper = Paper("nvlink")
    paper.add(instance_type="g6.2xlarge")  # one GPU, nothing to be linked with
    paper.at()
    assert [str(fault) for fault in paper.faults.waiting] == ["nvlink=checksums"]

    paper.add(instance_type="p5.48xlarge")
    paper.at()
    assert paper.faults.waiting == ()


def test_another_node_in_its_place_is_well():
    paper = Paper("xid=79")
    paper.add()
    assert [status for status, _ in hardware(paper)] == ["False"]

    paper.nodes.clear()
    paper.pods.clear()
    paper.add(number=1)

    assert [status for status, _ in hardware(paper)] == ["True"]


def test_a_gpu_that_is_lost_has_no_series_and_others_have():
    paper = Paper("lost-gpu")
    paper.add()

    assert {labels["gpu"] for labels, _ in paper.series("DCGM_FI_DEV_GPU_TEMP")} == {"1", "2", "3"}
    assert get("g6.12xlarge").accelerator.count == 4


def test_nobody_new_is_given_a_gpu_that_is_not_handed_out():
    paper = Paper(exporter=ALL_THREE)
    here = paper.add()
    paper.run(pod("before", here, {"nvidia.com/gpu": 1}))
    paper.shown()
    paper.faults.add(parse("xid=79"))
    paper.shown()
    paper.run(pod("after", here, {"nvidia.com/gpu": 1}))

    held = {labels["pod"]: labels["gpu"] for labels, _ in paper.series("DCGM_FI_DEV_FB_FREE") if "pod" in labels}

    assert held == {"before": "0", "after": "1"}


def test_an_exporter_that_is_down_is_found_and_does_not_answer():
    paper = Paper("exporter-down:gpu", "exporter-down=kube-state-metrics")
    paper.add()
    paper.add()

    answers = [(target.exporter, target.answers) for target, _ in paper.shown()]

    assert sorted((exporter.value, answer) for exporter, answer in answers) == [
        ("dcgm-exporter", False),
        ("dcgm-exporter", True),
        ("kube-state-metrics", False),
        ("node-monitoring-agent", True),
        ("node-monitoring-agent", True),
    ]


def test_without_a_dcgm_server_the_agent_says_that_it_cannot_look():
    paper = Paper()
    paper.add()
    paper.pods = [each for each in paper.pods if "dcgm-server" not in each["metadata"]["name"]]

    assert hardware(paper) == [("False", "DCGMError")]
    assert [value for labels, value in paper.series("fatal_condition_gauge")] == [1]


def test_everything_is_well_again_when_faults_are_cleared():
    paper = Paper("xid=79")
    paper.add()
    assert [status for status, _ in hardware(paper)] == ["False"]

    paper.faults.clear()

    assert [status for status, _ in hardware(paper)] == ["True"]
    assert allocatable(paper) == [{"nvidia.com/gpu": 4}]
