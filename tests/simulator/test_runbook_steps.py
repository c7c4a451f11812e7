"""The steps of the runbooks, tried: those that an API server answers, by the real kubectl; those of AWS by its models; those of
`accel` by the command's own reading of them.
"""

import os
import re
import shlex
import shutil
import subprocess

import boto3
import pytest
from botocore import xform_name
from typer.testing import CliRunner

from eks_accelerators import components
from eks_accelerators.accel.cli import app
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.simulator.alert_causes import causes_of
from eks_accelerators.simulator.load.timed_faults import parse_timed
from tests.docs.pages import RUNBOOKS, blocks, spans
from tests.simulator.kubernetes.deployed import released
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


NOT_HERE = {
    "cluster-autoscaler-status": "Cluster Autoscaler writes it",
    "scaledobject": "KEDA defines it",
}
"""What no cluster has without a program that this one is without."""

LAST = ("delete", "drain")
"""What takes away what others need is tried at the end."""


def kubectl_steps():
    every = steps("kubectl")
    return sorted(every, key=lambda step: any(f" {verb} " in step.values[1] for verb in LAST))


@pytest.mark.slow
class TestByKubectl:
    """On one node with a GPU, a pod that holds it, and a Job."""

    @pytest.fixture(scope="class")
    def cluster(self, engines, tmp_path_factory):
        if shutil.which("kubectl") is None:
            pytest.skip("kubectl is missing")
        with small_cluster(tmp_path_factory.mktemp("runbooks"), engines) as running:
            add_group(running, "gpu", "g6.2xlarge", nodes=1)
            install_nvidia_plugin(running)
            api = running.cluster.api
            for name in ("dcgm-exporter", "llm"):
                api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            for manifest in released(components.DcgmExporter):
                api.apply(manifest)
            api.create(deployment("training", asks={NVIDIA_GPU: "1"}, tolerations=[NVIDIA_TOLERATION]))
            api.create(_server())
            api.create(_job())
            wait(lambda: shown(running, "gpu") == [{NVIDIA_GPU: 1}] and running_on(running, "training"))
            wait(lambda: api.list("v1", "Pod", "default", "batch.kubernetes.io/job-name=train"))
            yield running

    @pytest.mark.parametrize(("page", "command"), kubectl_steps())
    def test_the_api_server_takes_it(self, cluster, page, command):
        for missing, why in NOT_HERE.items():
            if missing in command:
                pytest.skip(why)
        (node,) = nodes(cluster, "gpu")
        names = {
            "node": node["metadata"]["name"],
            "namespace": "default",
            "pod": pods(cluster, "training")[0]["metadata"]["name"],
            "group": "gpu",
            "job": "train",
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
        said = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert said.returncode == 0, said.stderr
        return said


def _server():
    """A vLLM server as it is labelled, which asks for nothing here."""
    made = deployment("llama", labels={"app.kubernetes.io/name": "vllm"})
    return {**made, "metadata": {"name": "llama", "namespace": "llm"}}


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


@pytest.mark.parametrize(("page", "command"), steps("aws"))
def test_aws_knows_the_operation_and_its_options(page, command):
    """By botocore's models; options that the AWS CLI itself adds are its own."""
    _, service, operation, *options = shlex.split(command)
    model = boto3.client(service, region_name="us-east-2").meta.service_model
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    of_cli = {"query", "max-items"}
    given = {option.removeprefix("--").removeprefix("no-") for option in options if option.startswith("--")}

    known = {xform_name(name, "-") for name in model.operation_model(operations[operation]).input_shape.members}

    assert given - of_cli <= known


@pytest.mark.parametrize(("page", "command"), steps("accel"))
def test_accel_reads_it(page, command):
    """With `--help` at its end it is read, and not done."""
    words = shlex.split(re.sub(r"<([\w-]+)>", r"a-\1", command))[1:]

    said = CliRunner().invoke(app, [*words, "--help"])

    assert said.exit_code == 0, said.output


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_fault_that_a_page_tries_makes_its_alerts_fire(page):
    """Without its place and time it is one of their causes."""
    tried = [word for command in commands(page, "accel") for word in re.findall(r"--fault (\S+)", command)]
    causes = {cause.text for alert in ALERTS.values() if alert.runbook == page.stem for cause in causes_of(alert.name)}

    for text in tried:
        fault = parse_timed(text, {"l4-shared", "h100", "trn1", "trn2"})
        what = str(fault.device).partition(":")[0] if fault.device else fault.text.partition(":")[0]
        assert what in causes
