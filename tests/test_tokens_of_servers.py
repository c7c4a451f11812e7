"""The token for gated models: every kind of server that downloads one takes it from any of the three sources."""

import json

import pytest

from tests.test_program import deployed

MODEL = "meta-llama/Llama-3.2-1B-Instruct"
WHOLE_L40S = {"nodeGroups.gpu.instanceType": "g6e.xlarge"}
TRAINIUM = {
    "nodeGroups.gpu": {"instanceType": "trn2.48xlarge", "size": {"desired": 1, "max": 1}, "zones": ["us-east-2b"]}
}
KINDS = {
    "vllm": ({}, {"model": MODEL}),
    "neuronVllm": (TRAINIUM, {"model": MODEL}),
    "nim": (
        WHOLE_L40S,
        {
            "model": MODEL,
            "modelFree": True,
            "image": "nvcr.io/nim/nvidia/llm-nim:1",
            "ngcKey": {"existingSecret": "ngc", "existingPullSecret": "nvcr"},
        },
    ),
    "triton": (WHOLE_L40S, {"vllm": {"model": MODEL}}),
}
EXISTING = {"existingSecret": "gated"}
SYNCED = {"secretsManager": {"name": "ml/hugging-face", "key": "token"}}


def server(kind, token):
    patch, workload = KINDS[kind]
    made = {"nodeGroup": "gpu", "replicas": 1, "huggingFaceToken": token, **workload}
    deployment = deployed({**patch, "workloads": {kind: {"llama": made}}})
    assert deployment.error is None, deployment.error
    return deployment


def read_by_the_pod(deployment):
    """Names of the Secrets that the server's container reads."""
    (pod,) = [each.inputs["spec"]["template"]["spec"] for each in deployment.of("Deployment") if each.name == "llama"]
    environment = pod["containers"][0]["env"]
    return {
        each["valueFrom"]["secretKeyRef"]["name"] for each in environment if "secretKeyRef" in each.get("valueFrom", {})
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_that_is_there_is_read(kind):
    assert "gated" in read_by_the_pod(server(kind, EXISTING))


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_of_aws_is_brought_before_the_server_reads_it(kind):
    deployment = server(kind, SYNCED)
    (brought,) = deployment.of("ExternalSecret")

    assert brought.inputs["spec"]["target"]["name"] == "llama-hugging-face"
    assert "llama-hugging-face" in read_by_the_pod(deployment)
    assert "ml/hugging-face" in json.dumps(brought.inputs["spec"])
