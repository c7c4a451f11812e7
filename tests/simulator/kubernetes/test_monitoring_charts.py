"""The stand-ins of the charts of monitoring make what helm made of the real charts, for the same values."""

import json
from pathlib import Path

import pytest

from eks_accelerators.components.charts import catalogue
from eks_accelerators.simulator.kubernetes import charts
from tests.simulator.kubernetes.monitoring_charts import CASES, STACK, told

RECORDED = json.loads(Path(__file__).with_suffix("").with_name("monitoring_charts.json").read_text())
TRAPS = ("ruleSelector", "serviceMonitorSelector", "podMonitorSelector", "probeSelector", "scrapeConfigSelector")


def made(name):
    chart, values = CASES[name]
    version = catalogue()[chart]["version"]
    return charts.manifests(chart, version=version, release="r", namespace="n", values=values)


@pytest.mark.parametrize("name", CASES)
def test_the_stand_in_makes_what_the_real_chart_makes(name):
    assert told(made(name)) == RECORDED["rendered"][name]


def test_what_was_recorded_is_of_the_pinned_versions():
    for chart in (STACK, "kube-state-metrics"):
        assert f"{chart} {catalogue()[chart]['version']}" in RECORDED["source"]


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("stack")])
def test_prometheus_of_the_real_chart_takes_every_object(name):
    (prometheus,) = [spec for key, spec in RECORDED["rendered"][name].items() if key.startswith("Prometheus ")]

    assert {selector: prometheus[selector] for selector in TRAPS} == {key: {} for key in TRAPS}
    assert prometheus["storage"]["volumeClaimTemplate"]["spec"]["storageClassName"] == "gp3"


@pytest.mark.parametrize("name", CASES)
def test_the_real_chart_keeps_all_but_the_exporter_of_nodes_on_nodes_without_accelerators(name):
    pods = {
        key: pod for key, pod in RECORDED["rendered"][name].items() if key.split()[0] in ("Deployment", "DaemonSet")
    }
    everywhere = {key for key, pod in pods.items() if pod.get("tolerations") == [{"operator": "Exists"}]}

    assert everywhere == {key for key in pods if "node-exporter" in key}
    for key in pods.keys() - everywhere:
        assert "eks-accelerators/node-group" in json.dumps(pods[key]["affinity"])
        assert "tolerations" not in pods[key]


def test_nobody_scrapes_what_aws_runs():
    names = {key.rpartition("/")[2] for key in RECORDED["rendered"]["stack alone"]}

    assert not [
        name for name in names if any(part in name for part in ("etcd", "scheduler", "controller-manager", "proxy"))
    ]
