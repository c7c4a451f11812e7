from tests.settings.rules.case import Case
from tests.settings.rules.neuron_vllm import SHARED as ON_SHARED
from tests.settings.rules.neuron_vllm import on_trn2
from tests.settings.rules.nim import NIM, SERVED

DISK, PULL, NVME = "nodeGroups.gpu.disk", "nodeGroups.gpu.imagePull.fast", "nodeGroups.gpu.localNvme"
KIND, TYPE = "nodeGroups.gpu.instanceType", "nodeGroups.gpu.ami.type"
RELEASE = "nodeGroups.gpu.ami.releaseVersion"
IMAGE_SIZE = "workloads.vllm.qwen.imageCompressedGib"
MODEL, PARALLEL = "workloads.vllm.qwen.model", "workloads.vllm.qwen.tensorParallelSize"
LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
BY_NIM = {
    **SERVED,
    f"{NIM}.model": "Qwen/Qwen2.5-72B-Instruct",
    f"{NIM}.tensorParallelSize": 8,
    KIND: "p5.48xlarge",
    f"{DISK}.sizeGib": 150,
}
FAST_DISK = {f"{DISK}.throughputMibps": 600}

CASES = [
    Case(
        "root-volume-too-small",
        "below-100",
        {f"{DISK}.sizeGib": 99},
        f"{DISK}.sizeGib",
        near={f"{DISK}.sizeGib": 100},
    ),
    Case(
        "root-volume-too-small",
        "for-the-image",
        {IMAGE_SIZE: 60, f"{DISK}.sizeGib": 200},
        f"{DISK}.sizeGib",
        near={IMAGE_SIZE: 60, f"{DISK}.sizeGib": 20, NVME: "raid0"},
    ),
    Case(
        "root-volume-of-weights",
        "a-large-model",
        {KIND: "p5.48xlarge", MODEL: "Qwen/Qwen2.5-72B-Instruct", PARALLEL: 8, f"{DISK}.sizeGib": 190},
        f"{DISK}.sizeGib",
        near={KIND: "p5.48xlarge", MODEL: "Qwen/Qwen2.5-72B-Instruct", PARALLEL: 8, f"{DISK}.sizeGib": 200},
        severity="warning",
    ),
    Case(
        "root-volume-of-weights",
        "servers-on-neuron-devices",
        {**on_trn2(model=LLAMA), f"{DISK}.sizeGib": 200},
        f"{DISK}.sizeGib",
        near={**on_trn2(model=LLAMA, cache=ON_SHARED), f"{DISK}.sizeGib": 200},
        severity="warning",
    ),
    Case(
        "root-volume-of-weights",
        "nim-without-a-model-in-its-image",
        {**BY_NIM, f"{NIM}.modelFree": True},
        f"{DISK}.sizeGib",
        near=BY_NIM,
        severity="warning",
    ),
    Case("fast-image-pull", "slow-disk", {PULL: True}, PULL, near={PULL: True, **FAST_DISK}),
    Case(
        "fast-image-pull",
        "small-type",
        {PULL: True, KIND: "g6.xlarge", **FAST_DISK},
        PULL,
        near={PULL: True, NVME: "raid0"},
    ),
    Case(
        "fast-image-pull",
        "old-bottlerocket",
        {PULL: True, TYPE: "BOTTLEROCKET_x86_64_NVIDIA", RELEASE: "1.43.0-0123abcd", **FAST_DISK},
        PULL,
        near={PULL: True, TYPE: "BOTTLEROCKET_x86_64_NVIDIA", RELEASE: "1.44.0-0123abcd", **FAST_DISK},
    ),
    Case(
        "fast-image-pull",
        "slow-disk-of-bottlerocket",
        {PULL: True, TYPE: "BOTTLEROCKET_x86_64_NVIDIA"},
        PULL,
        near={PULL: True, TYPE: "BOTTLEROCKET_x86_64_NVIDIA", **FAST_DISK},
    ),
    Case(
        "fast-image-pull-ebs",
        "type-with-local-disks",
        {PULL: True, KIND: "g5.2xlarge", **FAST_DISK},
        PULL,
        near={PULL: True, KIND: "g5.8xlarge", **FAST_DISK},
        severity="warning",
    ),
    Case(
        "no-local-nvme",
        "type-without",
        {KIND: "inf2.xlarge", NVME: "raid0", "workloads": {}},
        NVME,
        near={KIND: "trn1.2xlarge", NVME: "raid0", "workloads": {}},
    ),
    Case(
        "no-local-nvme",
        "bottlerocket",
        {NVME: "raid0", TYPE: "BOTTLEROCKET_x86_64_NVIDIA"},
        NVME,
        near={NVME: "raid0", TYPE: "AL2023_x86_64_NVIDIA"},
    ),
    Case(
        "disk-performance",
        "iops-for-the-size",
        {f"{DISK}.sizeGib": 100, f"{DISK}.iops": 60000},
        f"{DISK}.iops",
        near={f"{DISK}.sizeGib": 120, f"{DISK}.iops": 60000},
    ),
    Case(
        "disk-performance",
        "throughput-for-the-iops",
        {f"{DISK}.throughputMibps": 1000},
        f"{DISK}.throughputMibps",
        near={f"{DISK}.throughputMibps": 1000, f"{DISK}.iops": 4000},
    ),
    Case(
        "disk-performance",
        "io2-without-iops",
        {f"{DISK}.type": "io2"},
        f"{DISK}.iops",
        near={f"{DISK}.type": "io2", f"{DISK}.iops": 5000},
    ),
    Case(
        "disk-performance",
        "io2-with-throughput",
        {f"{DISK}.type": "io2", f"{DISK}.iops": 5000, f"{DISK}.throughputMibps": 500},
        f"{DISK}.throughputMibps",
        near={f"{DISK}.throughputMibps": 500},
    ),
    Case(
        "disk-key-without-encryption",
        "key-unused",
        {f"{DISK}.kmsKeyArn": "arn:aws:kms:us-east-2:123456789012:key/1", f"{DISK}.encrypted": False},
        f"{DISK}.kmsKeyArn",
        near={f"{DISK}.kmsKeyArn": "arn:aws:kms:us-east-2:123456789012:key/1"},
    ),
]
