"""Servers on Neuron devices, on a node group of the same name as in the base: one device of a trn2.48xlarge each."""

from typing import Any

from tests.settings.example import Patch
from tests.settings.rules.case import Case

LLAMA = "workloads.neuronVllm.llama"
SHARED = {"sizeGib": 50, "storageClass": "efs"}
OWN_SHAPE = {
    "layers": 32,
    "attentionHeads": 32,
    "kvHeads": 8,
    "headSize": 64,
    "bytesPerParameter": 2,
    "maxModelLen": 8192,
}


def on(kind: str, **server: Any) -> Patch:
    """A server with these settings on nodes of ``kind``."""
    settings = {
        "model": "meta-llama/Llama-3.2-1B-Instruct",
        "nodeGroup": "gpu",
        "replicas": 1,
        "huggingFaceToken": {"configSecret": "token"},
        **server,
    }
    return {"nodeGroups.gpu.instanceType": kind, "workloads": {"neuronVllm": {"llama": settings}}}


def on_trn2(**server: Any) -> Patch:
    return on("trn2.48xlarge", **server)


def ahead(**job: Any) -> dict[str, Any]:
    """A server whose model is compiled ahead."""
    return {"cache": SHARED, "compileAhead": job}


ROOMY: Patch = {"systemNodeGroup.instanceTypes": ["m7i.2xlarge"]}

CASES = [
    Case(
        "neuron-logical-cores",
        "trainium1",
        {**on("trn1.2xlarge"), "nodeGroups.gpu.logicalCoreSize": 2},
        "nodeGroups.gpu.logicalCoreSize",
        near={**on_trn2(), "nodeGroups.gpu.logicalCoreSize": 2},
    ),
    Case(
        "neuron-logical-cores",
        "of-a-gpu",
        {"nodeGroups.gpu.logicalCoreSize": 1},
        "nodeGroups.gpu.logicalCoreSize",
        near={},
    ),
    Case(
        "neuron-logical-cores",
        "bottlerocket",
        {**on_trn2(), "nodeGroups.gpu.logicalCoreSize": 1, "nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64"},
        "nodeGroups.gpu.logicalCoreSize",
        near={**on_trn2(), "nodeGroups.gpu.logicalCoreSize": 1},
    ),
    Case(
        "neuron-tensor-parallel",
        "cores-of-two",
        on_trn2(tensorParallelSize=8),
        f"{LLAMA}.tensorParallelSize",
        near={**on_trn2(tensorParallelSize=8), "nodeGroups.gpu.logicalCoreSize": 1},
    ),
    Case(
        "neuron-old-plugin",
        "inferentia",
        on("inf2.xlarge"),
        f"{LLAMA}.nodeGroup",
        near=on_trn2(),
        severity="warning",
    ),
    Case(
        "neuron-family-unknown",
        "described",
        {
            **on("trn9.48xlarge"),
            "instanceTypes": {
                "trn9.48xlarge": {
                    "vcpus": 192,
                    "memoryMib": 2097152,
                    "accelerator": {
                        "manufacturer": "AWS",
                        "name": "Trainium9",
                        "count": 16,
                        "memoryMib": 524288,
                        "coresPerDevice": 8,
                    },
                    "source": "made up for this test",
                }
            },
        },
        f"{LLAMA}.nodeGroup",
        near=on_trn2(),
    ),
    Case(
        "neuron-model-not-listed",
        "llama-3.2-on-inferentia",
        on("inf2.xlarge"),
        f"{LLAMA}.model",
        near=on("inf2.xlarge", model="meta-llama/Llama-3.1-8B-Instruct"),
        severity="warning",
    ),
    Case(
        "neuron-model-not-listed",
        "base-model",
        on_trn2(model="meta-llama/Llama-3.2-1B"),
        f"{LLAMA}.model",
        near=on_trn2(),
        severity="warning",
    ),
    Case("neuron-devices", "two", on_trn2(devices=2), f"{LLAMA}.devices", near=on_trn2(devices=1)),
    Case("neuron-devices", "all-but-one", on_trn2(devices=15), f"{LLAMA}.devices", near=on_trn2(devices=16)),
    Case(
        "neuron-tensor-parallel",
        "more-than-the-device-has",
        on_trn2(tensorParallelSize=8),
        f"{LLAMA}.tensorParallelSize",
        near=on_trn2(tensorParallelSize=4),
    ),
    Case(
        "neuron-tensor-parallel",
        "three-of-eight-heads",
        on_trn2(tensorParallelSize=3),
        f"{LLAMA}.tensorParallelSize",
        near=on_trn2(tensorParallelSize=2),
    ),
    Case(
        "neuron-memory",
        "contexts",
        on_trn2(maxModelLen=131072),
        f"{LLAMA}.maxModelLen",
        near=on_trn2(maxModelLen=65536),
    ),
    Case(
        "neuron-memory",
        "too-many-sequences-for-any-context",
        on_trn2(concurrentSequences=2000),
        f"{LLAMA}.concurrentSequences",
        near=on_trn2(concurrentSequences=207),
    ),
    Case(
        "neuron-memory",
        "more-sequences-than-tokens",
        on_trn2(concurrentSequences=10_000_000),
        f"{LLAMA}.concurrentSequences",
        near=on_trn2(concurrentSequences=100),
    ),
    Case(
        "neuron-memory",
        "sequences-and-context",
        on_trn2(concurrentSequences=10_000, maxModelLen=10_000_000),
        f"{LLAMA}.concurrentSequences",
        near=on_trn2(concurrentSequences=1, maxModelLen=131072),
    ),
    Case(
        "neuron-memory",
        "one-context",
        on_trn2(concurrentSequences=1, maxModelLen=10_000_000),
        f"{LLAMA}.maxModelLen",
        near=on_trn2(concurrentSequences=1, maxModelLen=131072),
    ),
    Case(
        "neuron-memory",
        "weights",
        on_trn2(model="meta-llama/Llama-3.3-70B-Instruct"),
        f"{LLAMA}.model",
        near=on_trn2(model="meta-llama/Llama-3.3-70B-Instruct", devices=16),
    ),
    Case(
        "neuron-memory",
        "cache-too-small-to-start",
        on_trn2(model="own/model", modelShape={**OWN_SHAPE, "parameters": 44_500_000_000}),
        f"{LLAMA}.model",
        near=on_trn2(model="own/model", modelShape={**OWN_SHAPE, "parameters": 44_000_000_000}),
    ),
    Case(
        "neuron-memory",
        "weights-by-the-old-plugin",
        on("inf2.xlarge", model="meta-llama/Llama-3.3-70B-Instruct"),
        f"{LLAMA}.model",
        near=on("inf2.48xlarge", model="meta-llama/Llama-3.3-70B-Instruct", devices=12),
    ),
    Case(
        "neuron-memory",
        "old-plugin",
        on("inf2.xlarge", model="meta-llama/Llama-3.1-8B-Instruct", maxModelLen=16384),
        f"{LLAMA}.maxModelLen",
        near=on("inf2.xlarge", model="meta-llama/Llama-3.1-8B-Instruct"),
    ),
    Case(
        "neuron-buckets",
        "sequences-end-early",
        on_trn2(buckets={"sequences": [1, 4]}),
        f"{LLAMA}.buckets.sequences",
        near=on_trn2(buckets={"sequences": [1, 4]}, concurrentSequences=4),
    ),
    Case(
        "neuron-buckets",
        "several-prompts-end-early",
        on_trn2(buckets={"promptTokens": [512, 2048]}),
        f"{LLAMA}.buckets.promptTokens",
        near=on_trn2(buckets={"promptTokens": [512, 2048, 4096]}),
    ),
    Case(
        "neuron-buckets",
        "context-is-no-tile",
        on_trn2(buckets={"contextTokens": [1000]}),
        f"{LLAMA}.buckets.contextTokens",
        near=on_trn2(buckets={"contextTokens": [1024]}),
    ),
    Case(
        "neuron-buckets",
        "old-plugin-takes-whole-prompts",
        on("trn1.2xlarge", buckets={"promptTokens": [2048]}),
        f"{LLAMA}.buckets.promptTokens",
        near=on("trn1.2xlarge", buckets={"promptTokens": [4096]}),
    ),
    Case("neuron-greedy", "old-plugin", on("inf2.xlarge", greedy=True), f"{LLAMA}.greedy", near=on_trn2(greedy=True)),
    Case(
        "neuron-compile-ahead",
        "old-plugin",
        {**ROOMY, **on("inf2.xlarge", **ahead())},
        f"{LLAMA}.compileAhead",
        near={**ROOMY, **on("inf2.xlarge", cache=SHARED)},
    ),
    Case(
        "neuron-compile-ahead",
        "volume-of-one-node",
        {**ROOMY, **on_trn2(cache={"sizeGib": 50}, compileAhead={})},
        f"{LLAMA}.cache",
        near={**ROOMY, **on_trn2(**ahead())},
    ),
    Case(
        "neuron-compile-ahead",
        "small-system-nodes",
        on_trn2(**ahead()),
        "systemNodeGroup.instanceTypes",
        near=on_trn2(**ahead(cpu="1", memoryGib=5)),
    ),
    Case(
        "workload-not-on-neuron",
        "on-gpus",
        on("g6.2xlarge"),
        f"{LLAMA}.nodeGroup",
        near=on_trn2(),
    ),
    Case(
        "workload-request",
        "more-devices-than-a-node-has",
        on_trn2(devices=17),
        f"{LLAMA}.devices",
        near=on_trn2(devices=16),
    ),
    Case(
        "workload-token",
        "of-a-neuron-server",
        on_trn2(huggingFaceToken=None),
        f"{LLAMA}.huggingFaceToken",
        near=on_trn2(),
    ),
    Case(
        "workload-cache",
        "two-neuron-servers-on-a-disk",
        on_trn2(replicas=2, cache={"sizeGib": 50}),
        f"{LLAMA}.cache.storageClass",
        near=on_trn2(replicas=2, cache=SHARED),
    ),
    Case(
        "workload-context",
        "of-a-neuron-server",
        on_trn2(maxModelLen=200_000, concurrentSequences=1),
        f"{LLAMA}.maxModelLen",
        near=on_trn2(maxModelLen=100_000, concurrentSequences=1),
    ),
    Case(
        "workload-model-unknown",
        "of-a-neuron-server",
        on_trn2(model="meta-llama/Llama-3.2-1B-Instrct"),
        f"{LLAMA}.modelShape",
        near=on_trn2(),
    ),
]
