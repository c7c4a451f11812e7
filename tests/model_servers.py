"""Each kind of model server as a stack file asks for it, for tests that ask all kinds the same."""

GPUS = {"instanceType": "g6e.xlarge", "size": {"desired": 2, "max": 2}}
NEURON = {"instanceType": "trn2.48xlarge", "size": {"desired": 2, "max": 2}, "zones": ["us-east-2b"]}
LLAMA = {"model": "meta-llama/Llama-3.2-1B-Instruct"}
MODELS = {"volumes": {"models": {"mountPath": "/models", "readOnly": True}}}
ASKED = {
    "vllm": (GPUS, {"model": "Qwen/Qwen2.5-0.5B-Instruct"}),
    "neuronVllm": (NEURON, {**LLAMA, "huggingFaceToken": {"existingSecret": "gated"}}),
    "nim": (GPUS, {**LLAMA, "ngcKey": {"existingSecret": "ngc", "existingPullSecret": "nvcr"}}),
    "triton": (GPUS, {"repository": "/models/vision", **MODELS}),
    "tfServing": (GPUS, {"modelName": "resnet", "modelPath": "/models/resnet", **MODELS}),
}
"""For each kind the node group that it is meant for, and what it has to be told."""


def patch(*kinds, **settings):
    """A stack with servers of these kinds, each on a node group of its own; both are called as the kind."""
    groups, workloads = {}, {}
    for kind in kinds:
        group, wanted = ASKED[kind]
        server = {"nodeGroup": kind.lower(), "replicas": 2, **wanted, **settings}
        groups[kind.lower()] = group
        workloads[kind] = {kind.lower(): {key: value for key, value in server.items() if value is not None}}
    return {
        "nodeGroups": groups,
        "storage.models": {"s3Bucket": {"bucket": "ours"}},
        "monitoring.prometheus": "stack",
        "workloads": workloads,
    }
