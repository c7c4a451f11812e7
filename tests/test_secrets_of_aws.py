"""Secrets of AWS Secrets Manager: as what they come into the cluster, and whose pods are replaced when they change."""

import base64
import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from eks_accelerators.components import SyncedSecret
from eks_accelerators.components.charts import values_of
from eks_accelerators.components.model_server import RELOAD
from eks_accelerators.components.synced_secret import docker_configuration_template
from eks_accelerators.settings.release_names import RELOADER
from eks_accelerators.simulator.kubernetes.secret_sync import rendered
from tests.components.examples import run
from tests.settings.rules.training import ONE_L4, job
from tests.simulator.further import further
from tests.test_program import deployed
from tests.test_tokens_of_servers import KINDS, SYNCED, WHOLE_L40S, server

PUBLISHED = json.loads((Path(__file__).parent / "external_secrets_schema.json").read_text())
NGC = {"model": "meta-llama/Llama-3.2-1B-Instruct", "ngcKey": {"secretsManager": {"name": "ml/ngc", "key": "key"}}}
VALUES = [
    pytest.param("nvapi-0123456789abcdef", id="plain"),
    pytest.param('quote" backslash\\ brace{{ newline\n', id="nasty"),
]


def nim(**more):
    workload = {"nodeGroup": "gpu", "replicas": 1, **NGC, **more}
    deployment = deployed({**WHOLE_L40S, "workloads": {"nim": {"llama": workload}}})
    assert deployment.error is None, deployment.error
    return deployment


def reload_names(deployment):
    """The Secrets by which the pods of the server are replaced."""
    return deployment.one("Deployment", "llama").inputs["metadata"].get("annotations", {}).get(RELOAD)


def reloaders(deployment):
    return [each for each in deployment.of("Release") if each.name == RELOADER]


def test_one_key_of_ngc_becomes_both_secrets(snapshot):
    deployment = nim()

    assert {each.name: each.inputs["spec"] for each in deployment.of("ExternalSecret")} == snapshot
    assert deployment.of("Secret") == []
    pod = deployment.one("Deployment", "llama").inputs["spec"]["template"]["spec"]
    (key,) = [each for each in pod["containers"][0]["env"] if each["name"] == "NGC_API_KEY"]
    assert key["valueFrom"]["secretKeyRef"] == {"name": "llama-ngc", "key": "NGC_API_KEY"}
    assert pod["imagePullSecrets"] == [{"name": "llama-nvcr"}]


def test_both_are_brought_before_the_server_and_aws_is_asked_for_one():
    deployment = nim()
    (rights,) = [each for each in deployment.of("RolePolicy") if each.name.endswith("external-secrets-secrets")]

    assert {each.urn for each in deployment.of("ExternalSecret")} <= deployment.one("Deployment", "llama").dependencies
    (statement,) = json.loads(rights.inputs["policy"])["Statement"]
    assert statement["Resource"] == ["arn:aws:secretsmanager:us-east-2:*:secret:ml/ngc-??????"]


@pytest.mark.parametrize("kind", ["ExternalSecret", "SecretStore"])
def test_what_is_written_is_what_external_secrets_publishes(kind):
    """A key that its schema does not have is dropped without a word."""
    made = nim(modelFree=True, image="nvcr.io/nim/nvidia/llm-nim:1", huggingFaceToken=SYNCED).of(kind)

    assert len(made) == 3
    for each in made:
        jsonschema.validate(each.inputs["spec"], PUBLISHED[kind])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**made[0].inputs["spec"], "refreshEvery": "1h"}, PUBLISHED[kind])


def configuration(password):
    auth = base64.b64encode(f"$oauthtoken:{password}".encode()).decode()
    return {"auths": {"nvcr.io": {"username": "$oauthtoken", "password": password, "auth": auth}}}


@pytest.mark.parametrize("value", VALUES)
def test_the_pull_secret_of_a_simulation(value):
    template = docker_configuration_template("nvcr.io", "$oauthtoken")

    assert json.loads(rendered(template, {"value": value})) == configuration(value)


@pytest.mark.parametrize("value", VALUES)
def test_the_pull_secret_as_go_renders_it(value, tmp_path):
    """Helm has the templates of Go and the functions of sprig, as External Secrets has."""
    template = docker_configuration_template("nvcr.io", "$oauthtoken")
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: pull\nversion: 1.0.0\n")
    (tmp_path / "templates" / "made.yaml").write_text("made: {{ tpl .Values.template .Values | quote }}\n")
    (tmp_path / "values.yaml").write_text(yaml.safe_dump({"template": template, "value": value}))
    helm = further("helm")["helm"]
    made = subprocess.run([helm, "template", "made", tmp_path], capture_output=True, text=True, check=True)

    assert json.loads(yaml.safe_load(made.stdout)["made"]) == configuration(value)


def test_a_registry_is_whole_and_has_no_key():
    alone = run(SyncedSecret, {"registry": "nvcr.io"}, without=("key",)).error
    beside = run(SyncedSecret, {"registry": "nvcr.io", "registry_user": "$oauthtoken"}).error

    assert "registry_user" in str(alone)
    assert "not both" in str(beside)


@pytest.mark.parametrize("kind", KINDS)
def test_servers_are_rolled_when_their_token_changes(kind):
    deployment = server(kind, SYNCED)
    (release,) = reloaders(deployment)

    assert reload_names(deployment) == "llama-hugging-face"
    namespace = deployment.one("Deployment", "llama").inputs["metadata"]["namespace"]
    assert release.inputs["values"]["reloader"]["namespaces"] == [namespace]
    assert deployment.one("Namespace", namespace).urn in release.dependencies


def test_pods_are_rolled_by_what_they_read_and_not_by_what_pulls_their_image():
    free = {"modelFree": True, "image": "nvcr.io/nim/nvidia/llm-nim:1", "huggingFaceToken": SYNCED}

    assert reload_names(nim()) == "llama-ngc"
    assert reload_names(nim(**free)) == "llama-hugging-face,llama-ngc"


def test_reloader_is_a_choice():
    workload = {"nodeGroup": "gpu", "replicas": 1, "model": "meta-llama/Llama-3.2-1B", "huggingFaceToken": SYNCED}
    deployment = deployed({"secrets": {"rollServers": False}, "workloads": {"vllm": {"llama": workload}}})

    assert (deployment.error, reload_names(deployment), reloaders(deployment)) == (None, None, [])


@pytest.mark.parametrize("token", [{"existingSecret": "gated"}, {"configSecret": "huggingFaceToken"}], ids=str)
def test_a_secret_that_nobody_changes_behind_the_stack_s_back_rolls_nothing(token):
    workload = {"nodeGroup": "gpu", "replicas": 1, "model": "meta-llama/Llama-3.2-1B", "huggingFaceToken": token}
    deployment = deployed({"workloads": {"vllm": {"llama": workload}}}, {"huggingFaceToken": "hf_none"})

    assert (deployment.error, reload_names(deployment), reloaders(deployment)) == (None, None, [])


def test_gangs_are_never_rolled_in_the_middle_of_a_run():
    """No Job names a Secret to Reloader, which is told to leave Jobs alone whatever they name."""
    beside = {"nodeGroup": "gpu", "replicas": 1, "model": "Qwen/Qwen2.5-0.5B-Instruct", "huggingFaceToken": SYNCED}
    two = {"nodeGroups.gpu.size": {"desired": 2, "max": 2}}
    deployment = deployed({**ONE_L4, **two, **job(), "workloads.vllm.llama": beside})
    assert deployment.error is None, deployment.error

    assert reloaders(deployment)
    assert deployment.of("Job")
    assert [each for each in deployment.of("Job") if "reloader" in json.dumps(each.inputs)] == []
    values = values_of("reloader", {})["reloader"]
    assert (values["ignoreJobs"], values["ignoreCronJobs"]) == (True, True)
