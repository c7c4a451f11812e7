"""NIM, Triton and TensorFlow Serving: what each is started with, and that keys are never sent in plain."""

import base64
import json

import pulumi
import pytest

from eks_accelerators.components import NimServer, TfServing, TritonServer
from eks_accelerators.components.nim_server import docker_configuration
from tests.components.examples import SERVED, deployed, run
from tests.components.harness import SECRET, leaves

FOUR = {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": 4}}
QWEN = {"model": "Qwen/Qwen2.5-0.5B-Instruct"}
LANGUAGE_MODEL = {"repository": None, "volumes": {}, "vllm": QWEN, "serves_on": FOUR, "replicas": 4}


def pod(component, changes=None, **options):
    return deployed(component, changes, name="server", **options).one("Deployment").inputs["spec"]["template"]["spec"]


def container(component, changes=None, **options):
    (only,) = pod(component, changes, **options)["containers"]
    return only


def language_model(**changes):
    given = {key: value for key, value in {**LANGUAGE_MODEL, **changes}.items() if value is not None}
    return deployed(TritonServer, given, name="server", without=("repository",))


@pytest.mark.parametrize("component", [NimServer, TritonServer, TfServing], ids=lambda component: component.__name__)
def test_everything_at_once(component, snapshot):
    assert deployed(component, name="server", preview=False).one("Deployment").inputs == snapshot


def test_one_key_becomes_two_secrets_of_the_right_shape():
    found = {made.inputs["metadata"]["name"]: made for made in deployed(NimServer, name="server").of("Secret")}

    assert {name: made.inputs.get("type") for name, made in found.items()} == {
        "server-ngc": None,
        "server-nvcr": "kubernetes.io/dockerconfigjson",
    }
    made = pod(NimServer)
    assert made["imagePullSecrets"] == [{"name": "server-nvcr"}]
    reference = {"secretKeyRef": {"name": "server-ngc", "key": "NGC_API_KEY"}}
    assert made["containers"][0]["env"][0] == {"name": "NGC_API_KEY", "valueFrom": reference}


def test_the_registry_s_user_is_literally_oauthtoken():
    (given,) = json.loads(docker_configuration("nvapi-1"))["auths"].items()

    assert given[0] == "nvcr.io"
    assert (given[1]["username"], given[1]["password"]) == ("$oauthtoken", "nvapi-1")
    assert base64.b64decode(given[1]["auth"]) == b"$oauthtoken:nvapi-1"


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "up"])
@pytest.mark.parametrize(
    "key",
    [
        pytest.param(lambda: {"ngc_api_key": pulumi.Output.secret("nvapi-plain")}, id="given-as-a-secret"),
        pytest.param({"ngc_api_key": "nvapi-plain"}, id="given-as-text"),
    ],
)
def test_the_key_is_never_sent_in_plain(key, preview):
    deployment = deployed(NimServer, key, name="server", preview=preview)

    assert {secret.inputs["stringData"] for secret in deployment.of("Secret")} == {SECRET}
    hidden = ("nvapi-plain", base64.b64encode(b"$oauthtoken:nvapi-plain").decode())
    sent = [str(leaf) for resource in deployment.resources for leaf in leaves(resource.inputs)]
    assert not [leaf for leaf in sent if any(text in leaf for text in hidden)]
    assert not any(text in "".join(deployment.log) for text in hidden)


def test_secrets_that_are_there_are_used():
    there = {"existing_key_secret": "ngc", "existing_pull_secret": "nvcr"}
    deployment = deployed(NimServer, there, name="server", without=("ngc_api_key",))

    assert deployment.of("Secret") == []
    made = deployment.one("Deployment").inputs["spec"]["template"]["spec"]
    assert made["imagePullSecrets"] == [{"name": "nvcr"}]
    assert made["containers"][0]["env"][0]["valueFrom"]["secretKeyRef"]["name"] == "ngc"


def test_an_image_without_a_model_is_told_which():
    made = container(NimServer, {"model_free": True, "hugging_face_token": "hf"})

    assert made["image"].startswith("nvcr.io/nim/nvidia/model-free-nim:")
    environment = {each["name"]: each.get("value") for each in made["env"]}
    assert environment["NIM_MODEL_PATH"] == "hf://meta-llama/Llama-3.2-1B-Instruct"
    assert "HF_TOKEN" in environment
    assert "NIM_MODEL_PATH" not in {each["name"] for each in container(NimServer)["env"]}


def test_each_server_of_tensorflow_takes_its_part_of_the_gpu():
    """Four of one GPU take nine tenths of it together."""
    assert "--per_process_gpu_memory_fraction=0.22" in container(TfServing)["args"]
    alone = {"serves_on": SERVED, "replicas": 1}
    assert "--per_process_gpu_memory_fraction=0.90" in container(TfServing, alone)["args"]


def test_the_engine_of_triton_s_language_model_is_kept_to_its_share():
    deployment = language_model()

    repository = deployment.one("ConfigMap").inputs
    engine = json.loads(repository["data"]["model.json"])
    assert 0.15 < engine["gpu_memory_utilization"] <= 0.92 / 4
    assert engine["kv_cache_memory_bytes"] >= 4 * 4096 * 12 * 1024
    assert repository["immutable"] is True
    (only,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    assert "--model-repository=/repository" in only["args"]
    assert only["image"].endswith("-vllm-python-py3")


def test_named_models_of_a_repository_are_loaded_and_no_others():
    args = container(TritonServer, {"models": ["resnet", "bert"]})["args"]

    restricted = "model-repository:pod-uid=$(POD_UID)"  # who may load models may run code
    assert {f"--http-restricted-api={restricted}", f"--grpc-restricted-protocol={restricted}"} <= set(args)
    assert args[:4] == [
        "--model-repository=/models/vision",
        "--model-control-mode=explicit",
        "--load-model=resnet",
        "--load-model=bert",
    ]


def test_a_triton_whose_engine_dies_is_started_again():
    """The backend unloads the model, which it can where models are controlled explicitly, and the probes ask for that very model."""
    made = language_model()
    (container,) = made.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]

    assert "ENABLE_VLLM_HEALTH_CHECK" in made.one("ConfigMap").inputs["data"]["config.pbtxt"]
    assert {"--model-control-mode=explicit", "--load-model=llm"} <= set(container["args"])
    probes = [container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "readiness", "liveness")]
    assert probes == ["/v2/models/llm/ready"] * 3


def test_triton_follows_what_is_pending():
    scaled = {"autoscaling": {"max": 2}, "prometheus_address": "http://prometheus.monitoring.svc:9090"}
    (trigger,) = deployed(TritonServer, scaled, name="server").one("ScaledObject").inputs["spec"]["triggers"]

    assert trigger["name"] == "pending-requests"
    assert trigger["metadata"]["query"].startswith("sum(nv_inference_pending_request_count{")
    assert trigger["metadata"]["threshold"] == "3"


@pytest.mark.parametrize("component", [NimServer, TritonServer], ids=lambda component: component.__name__)
def test_pods_pass_the_restricted_profile_where_the_image_allows(component):
    space = deployed(component, name="server").one("Namespace").inputs["metadata"]["labels"]

    assert space["pod-security.kubernetes.io/enforce"] == "restricted"
    assert pod(component)["securityContext"]["runAsNonRoot"] is True


def test_models_of_a_bucket_that_triton_could_not_read_are_refused():
    refused = run(TritonServer, {"repository": "s3://models-of-ours/vision"})

    assert {problem.code for problem in refused.error.problems} == {"triton-s3"}
