"""Real Prometheus, KEDA, HPA controller and scheduler: what waits becomes replicas, half a minute in a second."""

import shutil
import time

import pytest

from eks_accelerators.monitoring.dashboards.servers import PLAN as SERVERS
from eks_accelerators.simulator.keda.programs import ENGINES, OPERATOR
from eks_accelerators.simulator.keda.scaled_objects import API_VERSION, KIND
from eks_accelerators.simulator.keda.server import MANAGER, following
from eks_accelerators.simulator.kubernetes.definitions import install_definitions
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import prometheus
from tests.polls import until
from tests.simulator.control_planes import control_plane
from tests.simulator.exporter import exporting
from tests.simulator.further import further
from tests.simulator.keda.judge import condition
from tests.simulator.keda.objects import NVIDIA_TAINT, deployment, scaled_object

pytestmark = [pytest.mark.engines, pytest.mark.slow]

PACE = Pace(30)
NAMESPACE = "serving"


def gpu_node(name, gpus):
    """A node as kwok takes it over."""
    capacity = {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"taints": [NVIDIA_TAINT]},
        "status": {"capacity": capacity, "allocatable": capacity},
    }


def asked_by_the_panel(title):
    """The one query of a panel of the dashboard of servers, of every namespace."""
    (panel,) = (panel for section in SERVERS.sections for panel in section.panels if panel.title == title)
    (query,) = panel.queries
    return query.plain.replace("$namespace", ".*")


def load(requests):
    """What a server shows of requests: at most 16 run, the others wait."""
    labels = f'{{namespace="{NAMESPACE}",pod="llama-0"}}'
    running = min(16, requests)
    return [f"vllm:num_requests_running{labels} {running}", f"vllm:num_requests_waiting{labels} {requests - running}"]


@pytest.fixture(scope="module")
def world(engines, tmp_path_factory):
    """A cluster with eight GPUs, a server that may have eight replicas, and a Prometheus that knows its load."""
    programs = further("prometheus", *ENGINES)
    folder = tmp_path_factory.mktemp("scaling")
    clock = PacedClock.beginning_now(PACE)
    with (
        control_plane(engines, folder / "cluster", PACE) as cluster,
        exporting(*load(0)) as exporter,
    ):
        install_definitions(cluster.api, programs[OPERATOR], manager=MANAGER)
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        for obj in (gpu_node("a", 4), gpu_node("b", 4), deployment(NAMESPACE), scaled_object(NAMESPACE)):
            cluster.api.apply(obj)
        targets = [exporter.targets(folder / "targets.json", job="vllm"), folder / "keda.json"]
        settings = PrometheusSettings(targets, scrape_seconds=15)
        with prometheus(programs["prometheus"], settings, clock) as server:
            yield World(cluster, exporter, server, programs, targets[1])
    shutil.rmtree(folder)


class World:
    def __init__(self, cluster, exporter, server, programs, targets_of_keda):
        self.cluster, self.api = cluster, cluster.api
        self.exporter, self.server, self.programs = exporter, server, programs
        self.targets_of_keda = targets_of_keda

    def ready(self):
        """How many replicas are ready: their pods have a node with a GPU for each."""
        return self.api.get("apps/v1", "Deployment", "llama", NAMESPACE)["status"].get("readyReplicas", 0)

    def replicas(self):
        return self.api.get("apps/v1", "Deployment", "llama", NAMESPACE)["spec"]["replicas"]

    def scaled_object(self):
        return self.api.get(API_VERSION, KIND, "llama", NAMESPACE)

    def said(self):
        return str(self.scaled_object())

    def until_ready(self, count):
        def why():
            scaler = self.api.get("autoscaling/v2", "HorizontalPodAutoscaler", "keda-hpa-llama", NAMESPACE)
            return f"{self.ready()} of {count} are ready: {scaler and scaler.get('status')}"

        until(lambda: (self.replicas(), self.ready()) == (count, count), why=why)


def test_replicas_follow_what_runs_and_waits_and_stay_where_nobody_can_say_it(world):
    """24 requests at 5 each are 5 replicas, 3 are one, after 10 quiet minutes; a Prometheus that is gone changes nothing."""
    with following(world.programs, world.cluster, world.server) as keda:
        keda.write_targets(world.targets_of_keda)
        assert world.scaled_object()["spec"]["triggers"][0]["metadata"]["serverAddress"] == world.server.url
        world.until_ready(1)

        world.exporter.samples = load(24)  # at 4 servers, 22 would be within the tenth that an HPA tolerates
        world.until_ready(5)

        world.exporter.samples = load(3)
        quiet = world.server.clock.now()
        until(lambda: world.replicas() < 5, why=world.said)
        assert world.server.clock.now() - quiet > 540, "it did not wait until it was quiet for 10 minutes"
        world.until_ready(1)

        world.exporter.samples = load(38)
        world.until_ready(8)
        asked = 'keda_scaler_metrics_value{job="keda-operator", namespace="serving", scaledObject="llama"}'
        until(lambda: [found.value for found in world.server.query(asked)] == [38])  # when it is scraped next
        (shown,) = world.server.query(asked_by_the_panel("What the autoscaler sees"))
        assert (shown.labels["namespace"], shown.labels["scaledObject"], shown.value) == (NAMESPACE, "llama", 38)
        world.server.stop()
        until(lambda: condition(world.scaled_object(), "Fallback")["status"] == "True", why=world.said)
        time.sleep(PACE.wall(700))
        assert world.replicas() == 8

    spec = world.scaled_object()["spec"]
    assert spec == scaled_object(NAMESPACE)["spec"], "it was put back as it was written"
