"""Pages over HTTP, the file by which Prometheus finds them, and a real Prometheus that does."""

import json
import subprocess
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pytest
import yaml

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.engines import optional
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.metrics_server import MetricsServer
from eks_accelerators.simulator.processes import free_port
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.metrics.worlds import Paper, pod

PROMETHEUS = optional("prometheus")
GPU = Target(Exporter.DCGM, "dcgm.a", {"job": "dcgm-exporter", "instance": "10.0.0.1:9400", "node": "node-a"})
SAMPLES = (
    Sample("DCGM_FI_DEV_GPU_TEMP", {"gpu": "0", "UUID": "GPU-0"}, 40),
    Sample("DCGM_FI_DEV_GPU_TEMP", {"gpu": "1", "UUID": "GPU-1", "namespace": "team", "pod": "trainer"}, 70),
)


class Shown:
    """A source that shows what it is told, and counts how often it is asked."""

    def __init__(self, *shown):
        self.shown, self.asked = shown, 0

    def scrape(self):
        self.asked += 1
        if isinstance(self.shown, Exception):
            raise self.shown
        return self.shown


def got(address):
    """Status and text."""
    try:
        with urlopen(address, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def found(server):
    """What the file says: labels by path."""
    groups = json.loads(server.targets.read_text(encoding="utf-8"))
    assert {each for group in groups for each in group["targets"]} <= {urlsplit(server.address("")).netloc}
    return {group["labels"].pop("__metrics_path__"): group["labels"] for group in groups}


@pytest.fixture
def targets(tmp_path):
    return tmp_path / "targets.json"


def test_a_page_is_served_and_found(targets):
    with MetricsServer(Shown((GPU, SAMPLES)), targets) as server:
        status, text = got(server.address("dcgm.a"))

        assert status == 200
        assert text.endswith('DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-1",namespace="team",pod="trainer"} 70\n')
        assert found(server) == {"/targets/dcgm.a/metrics": dict(GPU.labels)}


@pytest.mark.parametrize(("path", "status"), [("dcgm.b", 404), ("down", 503), ("..", 404), ("", 404)])
def test_what_is_not_there_is_not_found_and_what_is_down_does_not_answer(path, status, targets):
    down = Target(Exporter.VLLM, "down", {}, answers=False)
    with MetricsServer(Shown((GPU, SAMPLES), (down, ())), targets) as server:
        assert got(server.address(path))[0] == status
        assert set(found(server)) == {"/targets/dcgm.a/metrics", "/targets/down/metrics"}


def test_there_is_a_round_however_often_pages_are_read(targets):
    source = Shown((GPU, SAMPLES))
    with MetricsServer(source, targets, interval=3600) as server:
        assert [got(server.address("dcgm.a"))[0] for _ in range(20)] == [200] * 20
        assert source.asked == 1


def test_the_file_follows_targets_as_they_come_and_go(targets):
    source = Shown()
    with MetricsServer(source, targets, interval=3600) as server:
        assert found(server) == {}

        source.shown = ((GPU, SAMPLES),)
        server.look()
        assert set(found(server)) == {"/targets/dcgm.a/metrics"}
        unchanged = targets.stat().st_mtime_ns
        server.look()
        assert targets.stat().st_mtime_ns == unchanged

        source.shown = ()
        server.look()
        assert found(server) == {}
        assert got(server.address("dcgm.a"))[0] == 404


def test_a_round_that_finds_no_api_server_leaves_everything_as_it_was(targets):
    source = Shown((GPU, SAMPLES))
    with MetricsServer(source, targets, interval=0.02) as server:
        source.shown = ApiError(0, "Unreachable", "it does not answer")
        asked = source.asked
        until(lambda: source.asked >= asked + 3)

        assert got(server.address("dcgm.a"))[0] == 200


@pytest.mark.engines
@pytest.mark.skipif(PROMETHEUS is None, reason="missing prometheus. Run `make engines MORE=1`, or put it on PATH")
class TestByPrometheus:
    """The real server scrapes what a cluster on paper shows."""

    @pytest.fixture(scope="class")
    def asked(self, tmp_path_factory):
        folder = tmp_path_factory.mktemp("prometheus")
        paper = Paper("exporter-down=node-monitoring-agent")
        paper.run(pod("training", paper.add(), {"nvidia.com/gpu": 1}))

        class Source:
            def scrape(self):
                return paper.shown()

        with MetricsServer(Source(), folder / "targets.json") as server:
            port = free_port()
            job = {"job_name": "simulated", "honor_labels": True, "file_sd_configs": [{"files": [str(server.targets)]}]}
            configuration = {"global": {"scrape_interval": "1s"}, "scrape_configs": [job]}
            (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
            command = [PROMETHEUS, f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data"]
            process = subprocess.Popen(
                [*command, f"--web.listen-address=127.0.0.1:{port}"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                yield lambda expression: query(port, expression)
            finally:
                process.terminate()
                process.wait(PATIENCE_SECONDS)

    def test_series_have_the_labels_of_the_page_and_of_the_scrape(self, asked):
        (found,) = asked('DCGM_FI_DEV_GPU_TEMP{pod="training"}')

        assert {key: found[key] for key in ("job", "node", "namespace", "gpu")} == {
            "job": "dcgm-exporter",
            "node": "ip-10-20-0-0.ec2.internal",
            "namespace": "team",
            "gpu": "0",
        }

    def test_an_idle_gpu_has_nobody_s_name(self, asked):
        idle = asked('DCGM_FI_DEV_GPU_TEMP{gpu="3"}')

        assert [("pod" in labels, "namespace" in labels) for labels in idle] == [(False, False)]

    def test_nodes_are_those_of_the_objects_and_not_of_the_target(self, asked):
        assert [labels["node"] for labels in asked("kube_node_labels")] == ["ip-10-20-0-0.ec2.internal"]

    def test_one_that_does_not_answer_is_down(self, asked):
        assert [labels["job"] for labels in asked("up == 0")] == ["kube-system/eks-node-monitoring-agent"]


def query(port, expression):
    """The labels of what the server answers, as soon as it answers something."""

    def found():
        try:
            with urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={quote(expression)}", timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return None

    return [each["metric"] for each in until(found)]
