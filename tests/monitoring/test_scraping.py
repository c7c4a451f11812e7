"""What is scraped of a stack, by the operator's objects and by a plain configuration: the same, and what rules need."""

import re
import subprocess

import pytest
import yaml

from eks_accelerators.components.charts import values_of
from eks_accelerators.monitoring.metrics import Exporter, exporters, metrics, node_label
from eks_accelerators.monitoring.node_labels import ALLOWED, NODE_LABELS
from eks_accelerators.monitoring.scraping import as_configuration, as_scrape_config, emitted, pod_monitor_spec, targets
from tests.monitoring.promtool import PROMTOOL
from tests.monitoring.stacks import CLAIMED, EVERYTHING, NEURON, NOTHING, POOL, stack_of

STACK, EXISTING, AMP = ({"monitoring.prometheus": kind} for kind in ("stack", "existing", "amp"))
QWEN = {"model": "Qwen/Qwen2.5-0.5B-Instruct"}
QWEN_OF_NIM = {**QWEN, "nodeGroup": "gpu", "ngcKey": {"existingSecret": "ngc", "existingPullSecret": "nvcr"}}
OF_THE_CLUSTER = {Exporter.KUBE_STATE_METRICS, Exporter.NODE_MONITORING_AGENT}


@pytest.mark.parametrize(
    ("patch", "found"),
    [
        pytest.param({}, set(), id="nobody-reads"),
        pytest.param(STACK, {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM}, id="stack"),
        pytest.param(EXISTING, {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM}, id="existing"),
        pytest.param(AMP, {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM}, id="amp"),
        pytest.param({**STACK, **NEURON}, {*OF_THE_CLUSTER, Exporter.NEURON_MONITOR}, id="neuron"),
        pytest.param(
            {**STACK, **NEURON, "monitoring.neuronMonitor.enabled": False}, OF_THE_CLUSTER, id="neuron-without-monitor"
        ),
        pytest.param(
            {**STACK, "monitoring.dcgmExporter.enabled": False},
            {*OF_THE_CLUSTER, Exporter.VLLM},
            id="gpus-that-nobody-measures",
        ),
        pytest.param(
            {**STACK, "nvidia.stack": "operator"}, {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM}, id="operator"
        ),
        pytest.param(
            {**STACK, "workloads": {"triton": {"qwen": {"nodeGroup": "gpu", "vllm": QWEN}}}},
            {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.TRITON},
            id="triton",
        ),
        *(
            pytest.param(
                {**STACK, "workloads": {"nim": {"qwen": {**QWEN_OF_NIM, **image}}}},
                {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.NIM, *more},
                id=name,
            )
            for name, image, more in (
                ("nim", {"image": "nvcr.io/nim/qwen/qwen:1.0.0"}, ()),
                ("nim-2-which-is-vllm", {"modelFree": True}, (Exporter.VLLM,)),
            )
        ),
        pytest.param({**STACK, **NOTHING}, {Exporter.KUBE_STATE_METRICS}, id="no-accelerators"),
        pytest.param(
            {**STACK, "nodeGroups.gpu.autoscaler": "clusterAutoscaler"},
            {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM, Exporter.CLUSTER_AUTOSCALER},
            id="nodes-that-are-scaled",
        ),
        pytest.param(
            {**STACK, **POOL},
            {*OF_THE_CLUSTER, Exporter.DCGM, Exporter.VLLM, Exporter.KARPENTER},
            id="nodes-of-karpenter",
        ),
    ],
)
def test_emitted(patch, found):
    assert emitted(stack_of(patch)) == found


def test_every_target_of_everything_has_a_job_of_its_own():
    names = [target.name for target in targets(stack_of({**AMP, **EVERYTHING, **CLAIMED}))]

    assert sorted(set(names)) == sorted(names)


def added(rules, source_key, target_key):
    """The labels that relabelings add, by what they are copied from."""
    return {rule[target_key]: rule[source_key][0] for rule in rules if target_key in rule}


@pytest.mark.parametrize("target", targets(stack_of({**AMP, **EVERYTHING})), ids=lambda target: target.name)
def test_object_and_configuration_find_the_same_with_the_same_labels(target):
    (endpoint,) = pod_monitor_spec(target)["podMetricsEndpoints"]
    job = as_scrape_config(target)
    dropped = {label for each in endpoint["relabelings"] if "regex" in each for label in each["regex"].split("|")}
    by_object = added(endpoint["relabelings"], "sourceLabels", "targetLabel")
    by_job = added(job["relabel_configs"], "source_labels", "target_label")
    kept = {"namespace", "pod", "container"} - dropped

    # The operator adds the pod's own labels by itself; a configuration has to say so.
    assert {*by_object, *kept} == set(by_job)
    assert {label: by_job[label] for label in by_object} == by_object
    assert set(by_job) - {"__address__"} == set(exporters()[target.exporter].target_labels) - {"job", "instance"}
    (by_monitor,), (by_scrape,) = endpoint.get("metricRelabelings", [{}]), job.get("metric_relabel_configs", [{}])
    assert {"source_labels" if key == "sourceLabels" else key: value for key, value in by_monitor.items()} == by_scrape
    assert endpoint.get("honorLabels", False) == job.get("honor_labels", False)


def test_karpenter_s_own_monitor_drops_what_the_scrape_job_drops():
    (target,) = (each for each in targets(stack_of({**AMP, **POOL})) if each.exporter is Exporter.KARPENTER)
    (endpoint,) = pod_monitor_spec(target)["podMetricsEndpoints"]

    assert values_of("karpenter", {})["serviceMonitor"]["metricRelabelings"] == endpoint["metricRelabelings"]
    assert not {name for name in metrics() if re.fullmatch(target.dropped, name)}


def test_a_port_that_no_container_declares_is_never_asked_for():
    """The Prometheus Operator: the pod must declare the port, or Prometheus drops the target."""
    (agent,) = [each for each in targets(stack_of(STACK)) if each.exporter is Exporter.NODE_MONITORING_AGENT]
    (endpoint,) = pod_monitor_spec(agent)["podMetricsEndpoints"]

    assert "portNumber" not in endpoint
    assert {"__address__", "node"} == set(added(endpoint["relabelings"], "sourceLabels", "targetLabel"))


@pytest.mark.engines
@pytest.mark.skipif(PROMTOOL is None, reason="missing promtool. Run `make engines MORE=1`, or put it on PATH")
def test_promtool_takes_the_configuration(tmp_path):
    path = tmp_path / "prometheus.yaml"
    path.write_text(yaml.safe_dump(as_configuration(targets(stack_of({**AMP, **EVERYTHING})))))

    done = subprocess.run([PROMTOOL, "check", "config", path], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_kube_state_metrics_is_told_of_every_label_that_a_rule_asks_for():
    asked = {label for label in metrics()["kube_node_labels"].labels if label.startswith("label_")}

    assert asked <= {node_label(key) for key in NODE_LABELS}
    assert ALLOWED.startswith("nodes=[")
