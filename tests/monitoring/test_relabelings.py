"""Whose name a GPU carries in Prometheus: a real one scrapes, with the relabelings of our charts' values."""

import json
import re
import subprocess
from urllib.parse import quote
from urllib.request import urlopen

import pytest
import yaml

from eks_accelerators.components.charts import values_of
from eks_accelerators.simulator.engines import optional
from eks_accelerators.simulator.local_server import LocalServer
from eks_accelerators.simulator.processes import free_port
from tests.polls import until
from tests.replies import reply

PROMETHEUS = optional("prometheus")
IDLE, TAKEN = 'gpu="0",UUID="GPU-0"', 'gpu="1",UUID="GPU-1",namespace="team",pod="trainer",container="main"'
METRIC = "DCGM_FI_DEV_GPU_TEMP"
EXPOSED = f"# TYPE {METRIC} gauge\n{METRIC}{{{IDLE}}} 40\n{METRIC}{{{TAKEN}}} 70\n"

FOUND = {
    "namespace": "dcgm-exporter",
    "pod": "dcgm-exporter-x7k2p",
    "container": "exporter",
    "__meta_kubernetes_pod_node_name": "node-a",
}
"""What the Prometheus Operator's own relabelings, which come before those of a ServiceMonitor, have made of the target."""


def service_monitors():
    exporter, operator = values_of("dcgm-exporter", {}), values_of("gpu-operator", {})
    return {"its own chart": exporter["serviceMonitor"], "the operator": operator["dcgmExporter"]["serviceMonitor"]}


def as_configured(relabelings):
    """As the Prometheus Operator writes them into the configuration of Prometheus."""
    snake = re.compile(r"(?<=[a-z])(?=[A-Z])")
    return [{snake.sub("_", key).lower(): value for key, value in each.items()} for each in relabelings]


@pytest.fixture
def exporter():
    """An idle GPU, and one with a pod."""
    with LocalServer(lambda *_: reply(EXPOSED, **{"Content-Type": "text/plain; version=0.0.4"}), "exporter") as server:
        yield server.address


def scraped(folder, exporter, jobs):
    """The labels of every series, by job and GPU, once all have come; a job is how its target is scraped."""
    configured = [
        {"job_name": name, "static_configs": [{"targets": [exporter], "labels": FOUND}], **how}
        for name, how in jobs.items()
    ]
    config = folder / "prometheus.yaml"
    config.write_text(yaml.safe_dump({"global": {"scrape_interval": "1s"}, "scrape_configs": configured}))
    address = f"127.0.0.1:{free_port()}"
    options = {"config.file": config, "storage.tsdb.path": folder / "data", "web.listen-address": address}
    command = [PROMETHEUS, *(f"--{name}={value}" for name, value in options.items())]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            return awaited(f"http://{address}/api/v1/query?query={quote(METRIC)}", 2 * len(jobs))
        finally:
            server.terminate()


def awaited(address, count):
    def scraped():
        try:
            with urlopen(address, timeout=10) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return result if len(result) == count else None

    return {(each["metric"]["job"], each["metric"]["gpu"]): each["metric"] for each in until(scraped)}


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.skipif(PROMETHEUS is None, reason="missing prometheus. Run `make engines MORE=1`, or put it on PATH")
def test_an_idle_gpu_names_its_node_and_no_pod(exporter, tmp_path):
    monitors = service_monitors()
    jobs = {
        name: {"honor_labels": monitor["honorLabels"], "relabel_configs": as_configured(monitor["relabelings"])}
        for name, monitor in monitors.items()
    }

    series = scraped(tmp_path, exporter, {**jobs, "without": {"honor_labels": True}})

    for name in monitors:
        idle, taken = series[name, "0"], series[name, "1"]
        assert (idle["node"], idle.keys() & {"namespace", "pod", "container"}) == ("node-a", set())
        assert (taken["node"], taken["namespace"], taken["pod"]) == ("node-a", "team", "trainer")
    assert series["without", "0"]["pod"] == FOUND["pod"]  # an idle GPU that looks taken
