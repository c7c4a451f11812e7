"""An autoscaler that a fault stops: its Deployment has no pod, its program does nothing, and nobody scrapes it."""

import json
import re
import subprocess
from contextlib import contextmanager

import pytest

from eks_accelerators import components
from eks_accelerators.monitoring.alerts.scaling import DEPLOYMENTS
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.load.autoscaler_outages import LABELS, AutoscalerOutages, AutoscalerProgram
from eks_accelerators.simulator.metrics.cluster import ClusterObjects
from eks_accelerators.simulator.metrics.faults import DeviceFaults, parse
from eks_accelerators.simulator.processes import Servers
from tests.components.examples import deployed
from tests.polls import until

TARGETS = [{"targets": ["127.0.0.1:8080"], "labels": {"job": "karpenter"}}]
KARPENTER = ("kube-system", "karpenter-1a2b")
COMPONENTS = {
    Exporter.KEDA: components.Keda,
    Exporter.CLUSTER_AUTOSCALER: components.ClusterAutoscaler,
    Exporter.KARPENTER: components.Karpenter,
}


class Api:
    """Deployments of Karpenter, by namespace and name; ``refuses`` has for each change to come whether it is refused."""

    def __init__(self):
        self.replicas = {KARPENTER: 2}
        self.refuses = []

    def list(self, _version, _kind, _namespace, selector):
        assert selector == LABELS[Exporter.KARPENTER]
        return [
            {"metadata": {"namespace": namespace, "name": name}, "spec": {"replicas": count}}
            for (namespace, name), count in self.replicas.items()
        ]

    def patch(self, _version, _kind, name, namespace, change, *, subresource):
        assert subresource == "scale"
        if self.refuses and self.refuses.pop(0):
            raise ApiError(500, "PATCH", "busy")
        self.replicas[namespace, name] = change["spec"]["replicas"]


class World:
    """Karpenter, which runs, and the outages of it."""

    def __init__(self, servers, folder):
        self.pid = servers.start("karpenter", ["sleep", "600"], stateless=True)
        self.file = folder / "karpenter.json"
        self.file.write_text(json.dumps(TARGETS))
        self.api, self.faults, self.fault = Api(), DeviceFaults(), parse("autoscaler-down=karpenter")
        programs = {Exporter.KARPENTER: AutoscalerProgram(servers, "karpenter", self.file)}
        self.outages = AutoscalerOutages(lambda: self.api, self.faults, programs)

    def strike(self):
        self.faults.add(self.fault)
        self.faults.strike(ClusterObjects(), 0.0)

    def seen(self):
        """Replicas, targets, and whether the program is held."""
        return self.api.replicas, json.loads(self.file.read_text()), self.is_held()

    def is_held(self):
        words = ["ps", "-o", "stat=", "-p", str(self.pid)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.startswith("T")


RUNS, STOPPED = ({KARPENTER: 2}, TARGETS, False), ({KARPENTER: 0}, [], True)


@contextmanager
def world(folder):
    with Servers() as servers:
        yield World(servers, folder)


def test_it_is_stopped_as_long_as_the_fault_lasts(tmp_path):
    with world(tmp_path) as here:
        here.outages.look()
        assert here.seen() == RUNS

        here.strike()
        here.outages.look()
        until(here.is_held)
        assert here.seen() == STOPPED

        here.faults.end(here.fault)
        here.outages.look()
        until(lambda: not here.is_held())
        assert here.seen() == RUNS


def test_a_fault_that_stays_is_over_with_the_load(tmp_path):
    with world(tmp_path) as here:
        here.strike()
        here.outages.look()
        here.outages.end()

        until(lambda: not here.is_held())
        assert here.seen() == RUNS


def test_what_the_api_server_refuses_is_tried_again(tmp_path):
    with world(tmp_path) as here:
        here.strike()
        here.api.refuses = [True]
        with pytest.raises(ApiError):
            here.outages.look()
        here.outages.look()
        until(here.is_held)
        assert here.seen() == STOPPED

        here.faults.end(here.fault)
        here.api.refuses = [True]
        with pytest.raises(ApiError):
            here.outages.look()
        here.outages.look()
        assert here.api.replicas == {KARPENTER: 2}


def test_one_that_was_stopped_by_half_is_brought_back_too(tmp_path):
    with world(tmp_path) as here:
        here.strike()
        here.api.replicas["kube-system", "karpenter-5e6f"] = 1
        here.api.refuses = [False, True]
        with pytest.raises(ApiError):
            here.outages.look()
        assert here.api.replicas == {KARPENTER: 0, ("kube-system", "karpenter-5e6f"): 1}
        here.outages.end()

        assert here.seen()[0] == {KARPENTER: 2, ("kube-system", "karpenter-5e6f"): 1}


def test_at_the_end_of_the_cluster_the_program_goes_on_all_the_same(tmp_path):
    with world(tmp_path) as here:
        here.strike()
        here.outages.look()
        here.api.refuses = [True]
        here.outages.end()

        until(lambda: not here.is_held())


def rendered(release):
    """What the chart of a release makes, whose name Pulumi ends with a random number."""
    given = release.inputs
    return charts.manifests(
        given["chart"],
        version=given["version"],
        release=f"{release.name}-1a2b3c4d",
        namespace=given["namespace"],
        values=given["values"],
    )


@pytest.mark.parametrize("exporter", LABELS)
def test_its_deployment_is_found_as_its_chart_labels_it_and_is_the_one_that_the_alert_is_about(exporter):
    key, _, value = LABELS[exporter].partition("=")
    found = [
        each["metadata"]["name"]
        for release in deployed(COMPONENTS[exporter]).of("Release")
        for each in rendered(release)
        if each["kind"] == "Deployment" and each["metadata"]["labels"].get(key) == value
    ]

    assert [re.sub("-1a2b3c4d$", "", name) for name in found] == [each for each in DEPLOYMENTS if each in found[0]]
