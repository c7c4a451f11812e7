"""The stand-ins of the charts that scale nodes make what helm made of the real charts, for the same values."""

import json
from pathlib import Path

import pytest

from eks_accelerators.components.charts import catalogue
from eks_accelerators.simulator.kubernetes import charts
from tests.simulator.kubernetes.autoscaler_charts import CASES, told

RECORDED = json.loads(Path(__file__).with_name("autoscaler_charts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_the_stand_in_makes_what_the_real_chart_makes(name):
    release = CASES[name]()
    made = charts.manifests(
        release["chart"],
        version=release["version"],
        release="r",
        namespace=release["namespace"],
        values=release["values"],
    )

    assert told(made) == RECORDED["rendered"][name]


@pytest.mark.parametrize("chart", ["cluster-autoscaler", "karpenter"])
def test_what_was_recorded_is_of_the_pinned_versions(chart):
    assert catalogue()[chart]["version"] in RECORDED["source"]


def test_nobody_but_ours_is_discovered():
    command = json.dumps(RECORDED["rendered"]["cluster autoscaler"]["Deployment cluster-autoscaler"])

    assert (
        "--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/ml,"
        "eks-accelerators/autoscaled" in command
    )


def test_karpenter_is_on_nodes_that_are_not_its_own():
    (deployment,) = (each for name, each in RECORDED["rendered"]["karpenter"].items() if name.startswith("Deployment "))

    assert "karpenter.sh/nodepool" in json.dumps(deployment["spec"]["template"]["spec"]["affinity"]["nodeAffinity"])
