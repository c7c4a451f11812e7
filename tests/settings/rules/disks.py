from tests.settings.rules.case import Case

DISK, PULL, NVME = "nodeGroups.gpu.disk", "nodeGroups.gpu.imagePull.fast", "nodeGroups.gpu.localNvme"
KIND, TYPE = "nodeGroups.gpu.instanceType", "nodeGroups.gpu.ami.type"
IMAGE_SIZE = "workloads.vllm.qwen.imageCompressedGib"
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
        "bottlerocket",
        {PULL: True, TYPE: "BOTTLEROCKET_x86_64_NVIDIA", **FAST_DISK},
        PULL,
        near={PULL: False, TYPE: "BOTTLEROCKET_x86_64_NVIDIA"},
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
