"""The steps of the runbooks, tried: those that an API server answers, by the real kubectl; those of `accel` by the command's own
reading of them. Those of AWS are in `test_runbook_steps_of_aws.py`.
"""

import os
import re
import shlex
import shutil
import subprocess
from itertools import pairwise

import pytest
import yaml
from typer.testing import CliRunner

from eks_accelerators import components
from eks_accelerators.accel.cli import app
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.alert_causes import CauseKind, causes_of
from eks_accelerators.simulator.keda.server import MANAGER
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.definitions import install_definitions
from eks_accelerators.simulator.load.fault_targets import check_autoscaler, check_target
from eks_accelerators.simulator.load.participants import needs_of
from eks_accelerators.simulator.load.timed_faults import parse_timed
from tests.components.examples import deployed
from tests.docs.pages import RUNBOOKS, blocks, spans, text
from tests.simulator.further import further
from tests.simulator.keda.objects import scaled_object
from tests.simulator.kubernetes.paper_cluster import released
from tests.simulator.lives import every, to
from tests.simulator.small_clusters import (
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    install_nvidia_plugin,
    nodes,
    pods,
    running_on,
    shown,
    small_cluster,
    wait,
)
from tests.simulator.worlds import NOW, stack_file


def commands(page, program):
    """Every command of a page that begins with the program, without what its output is piped to."""
    lines = [line.strip() for block in blocks(page, "sh") for line in block.splitlines()]
    found = [line.partition(" | ")[0] for line in (*lines, *spans(page)) if line.startswith(f"{program} ")]
    return list(dict.fromkeys(found))


def steps(program):
    return [
        pytest.param(page.stem, command, id=f"{page.stem}: {command}")
        for page in RUNBOOKS
        for command in commands(page, program)
    ]


OF_ALERTS = {alert.runbook for alert in ALERTS.values()}
AUTOSCALER = "app.kubernetes.io/name=aws-cluster-autoscaler"
KARPENTER = "app.kubernetes.io/name=karpenter"
LAST = (" drain ", " delete pod ", " delete node ")
"""What takes away what others need is tried at the end, in this order."""


def kubectl_steps():
    """Each command once, whichever pages have it: a node can be taken away one time."""

    def turn(step):
        return next((number for number, verb in enumerate(LAST, 1) if verb in step.values[1]), 0)

    return sorted({step.values[1]: step for step in steps("kubectl")}.values(), key=turn)


@pytest.mark.slow
@pytest.mark.thorough
class TestByKubectl:
    """On one node with a GPU, a pod that holds it, and a Job; with the pods of the autoscalers, what KEDA and Karpenter
    define, and what Cluster Autoscaler writes.
    """

    @pytest.fixture(scope="class")
    def cluster(self, engines, tmp_path_factory):
        if shutil.which("kubectl") is None:
            pytest.skip("kubectl is missing")
        with small_cluster(tmp_path_factory.mktemp("runbooks"), engines) as running:
            add_group(running, "gpu", "g6.2xlarge", nodes=1)
            install_nvidia_plugin(running)
            api = running.cluster.api
            for name in ("dcgm-exporter", "keda", "llm"):
                api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            for manifest in released(components.DcgmExporter):
                api.apply(manifest)
            for manifest in (*_programs(components.ClusterAutoscaler, components.Keda), *_karpenter()):
                api.apply(manifest)
            api.create(deployment("training", asks={NVIDIA_GPU: "1"}, tolerations=[NVIDIA_TOLERATION]))
            api.create(_server())
            api.create(_job())
            api.apply(_status_of_cluster_autoscaler())
            wait(lambda: shown(running, "gpu") == [{NVIDIA_GPU: 1}] and running_on(running, "training"))
            wait(lambda: api.list("v1", "Pod", "default", "batch.kubernetes.io/job-name=train"))
            wait(lambda: api.list("v1", "Pod", "keda"))
            wait(lambda: all(api.list("v1", "Pod", "kube-system", each) for each in (AUTOSCALER, KARPENTER)))
            yield running

    @pytest.fixture(scope="class")
    def scaled(self, cluster):
        """A ScaledObject by the definitions of KEDA's own version, which lie beside the operator; its name."""
        api, operator = cluster.cluster.api, further("keda-operator")["keda-operator"]
        install_definitions(api, operator, manager=MANAGER)
        api.apply(scaled_object("default", "training"))
        return "training"

    @pytest.mark.parametrize(("page", "command"), kubectl_steps())
    def test_the_api_server_takes_it(self, request, cluster, page, command):
        scaled = request.getfixturevalue("scaled") if "scaledobject" in command else ""
        (node,) = nodes(cluster, "gpu")
        names = {
            "node": node["metadata"]["name"],
            "namespace": "default",
            "pod": pods(cluster, "training")[0]["metadata"]["name"],
            "group": "gpu",
            "job": "train",
            "name": scaled,
        }
        filled = re.sub(r"<([\w-]+)>", lambda found: names[found[1]], command)

        said = self.run(cluster, self.looked_up(filled))

        assert "No resources found" not in said.stderr or "-l " not in filled, said.stderr

    def looked_up(self, command):
        """Logs are a kubelet's to give: whose they would be is looked up in their place."""
        words = shlex.split(command)
        if "logs" not in words:
            return words
        at = words.index("logs")
        selector = [words[words.index("-l") + 1]] if "-l" in words else []
        named = ["-l", *selector] if selector else [words[at + 1]]
        return [*words[:at], "get", "pods", *named]

    def run(self, cluster, words):
        environment = {**os.environ, "KUBECONFIG": str(cluster.cluster.kubeconfig)}
        said = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
        return said


def _programs(*charts):
    """What a chart runs, and the accounts that it runs as; not what it defines."""
    return [one for chart in charts for one in released(chart) if one["kind"] in ("ServiceAccount", "Deployment")]


def _karpenter():
    """The same of Karpenter, and what it defines."""
    kinds = ("CustomResourceDefinition", "ServiceAccount", "Deployment")
    releases = [each.inputs for each in deployed(components.Karpenter).of("Release")]
    made = [
        charts.manifests(
            each["chart"],
            version=each["version"],
            release="karpenter",
            namespace=each["namespace"],
            values=each["values"],
        )
        for each in releases
    ]
    return [one for each in made for one in each if one["kind"] in kinds]


def _server():
    """A vLLM server as it is labelled, which asks for nothing here."""
    made = deployment("llama", labels={"app.kubernetes.io/name": "vllm"})
    return {**made, "metadata": {"name": "llama", "namespace": "llm"}}


def _status_of_cluster_autoscaler():
    """Under the name that it writes its status to by default."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cluster-autoscaler-status", "namespace": "kube-system"},
        "data": {"status": "autoscalerStatus: Running"},
    }


def _job():
    annotations = {"eks-accelerators/work": "600s"}
    template = {
        "metadata": {"annotations": annotations},
        "spec": {"containers": [{"name": "main", "image": "image"}], "restartPolicy": "Never"},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"template": template},
    }


@pytest.mark.parametrize(("page", "command"), steps("accel"))
def test_accel_reads_it(page, command):
    """With `--help` at its end it is read, and not done."""
    words = shlex.split(re.sub(r"<([\w-]+)>", r"a-\1", command))[1:]

    said = CliRunner().invoke(app, [*words, "--help"])

    assert said.exit_code == 0, said.output


def faults_of(words):
    return [after for word, after in pairwise(words) if word == "--fault"]


def loads_with_faults(page):
    """Every load that a page tries: its stack, the lines that the page changes in it just before, and its faults."""
    found, lines = [], {}
    for language, block in re.findall(r"```(\w+)\n(.*?)```", text(page), re.DOTALL):
        tried = [
            shlex.split(line) for line in block.splitlines() if language == "sh" and line.startswith("accel simulate ")
        ]
        found += [(words[2], lines, faults_of(words)) for words in tried if "load" in words]
        lines = yaml.safe_load(block) if language == "yaml" else {}
    return found


def changed(path, value):
    """Settings are changed, and those beside them stay."""
    return (
        every(*(changed(f"{path}.{key}", each) for key, each in value.items()))
        if isinstance(value, dict)
        else to(path, value)
    )


def stack_with(folder, stack, lines):
    """The stack with these lines; what is wrong with it is raised."""
    change = every(*(changed(path, value) for path, value in lines.items()))
    return load_stack_file(stack_file(folder, stack, change), NOW).require()


def causes(page, kind):
    found = [cause for alert in ALERTS.values() if alert.runbook == page.stem for cause in causes_of(alert.name)]
    return {cause.text for cause in found if cause.kind is kind}


of_alerts = pytest.mark.parametrize(
    "page", [page for page in RUNBOOKS if page.stem in OF_ALERTS], ids=lambda page: page.stem
)


@of_alerts
def test_a_fault_that_a_page_tries_makes_its_alerts_fire(page, tmp_path):
    """Without its place and time it is one of their causes, and the stack, with the lines that are before, has what it can strike."""
    for number, (stack, lines, texts) in enumerate(loads_with_faults(page)):
        resolved = stack_with(tmp_path / str(number), stack, lines)
        groups, autoscalers = resolved.groups, needs_of(resolved).autoscalers
        for written in texts:
            fault = parse_timed(written, groups)
            check_target(fault, groups)
            check_autoscaler(fault, autoscalers)
            what = str(fault.device).partition(":")[0] if fault.device else fault.text.partition(":")[0]
            assert what in causes(page, CauseKind.FAULT)


@of_alerts
def test_what_makes_alerts_fire_is_tried(page):
    """A page of alerts that a fault makes fire tries one; that of alerts of a load tries a load."""
    tried = loads_with_faults(page)

    assert not causes(page, CauseKind.FAULT) or any(faults for *_, faults in tried)
    assert not causes(page, CauseKind.LOAD) or any(not faults for *_, faults in tried)
