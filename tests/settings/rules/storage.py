from tests.settings.example import REMOVED, Patch
from tests.settings.rules.case import Case
from tests.settings.rules.nim import NIM, SERVED

QWEN, GPU = "workloads.vllm.qwen", "nodeGroups.gpu"
VOLUME = f"{QWEN}.volumes.data"
CACHE, STREAMED = f"{QWEN}.cache", f"{QWEN}.weightsFromS3"

MOUNTED: Patch = {f"{VOLUME}.mountPath": "/data"}
LUSTRE, EFS, BUCKET, FILES = (f"storage.data.{kind}" for kind in ("fsxLustre", "efs", "s3Bucket", "s3Files"))
SCRATCH: Patch = {
    **MOUNTED,
    f"{LUSTRE}.zone": "us-east-2a",
    f"{LUSTRE}.deploymentType": "SCRATCH_2",
    f"{GPU}.zones": ["us-east-2a"],
}
KEPT: Patch = {**SCRATCH, f"{LUSTRE}.deploymentType": "PERSISTENT_2", f"{LUSTRE}.throughputMibpsPerTib": 125}
SHARED: Patch = {**MOUNTED, EFS: {}}
READ: Patch = {**MOUNTED, f"{BUCKET}.bucket": "models", f"{VOLUME}.readOnly": True}
ON_NODES: Patch = {**MOUNTED, "storage.data.nodeCache": {}, f"{GPU}.localNvme": "raid0"}
ON_BLOCK: Patch = {
    **SCRATCH,
    f"{GPU}.instanceType": "p5.48xlarge",
    f"{GPU}.size": {"max": 2},
    f"{GPU}.capacityBlock": "block",
    f"{GPU}.zones": REMOVED,
    "capacityBlocks.block": {"reservationId": "cr-0123456789abcdef0", "expect": {"zone": "us-east-2a"}},
}

METRICS = "monitoring.storage.storageClass"
STACK, AMP = ({"monitoring.prometheus": kind} for kind in ("stack", "amp"))
OWN = {"sizeGib": 10, "storageClass": "efs-sc"}
SHARED_CACHE: Patch = {"storage.data.efs": {}, CACHE: {"storage": "data"}}
THERE: Patch = {
    "network": {
        "existing": {
            "vpcId": "vpc-0123456789abcdef0",
            "privateSubnets": [
                {"id": f"subnet-0123456789abcdef{letter}", "zone": f"us-east-2{letter}"} for letter in "ab"
            ],
        }
    }
}

CASES = [
    *(
        Case("storage-class-unknown", name, patch, at, near=near, severity="warning")
        for name, patch, at, near in (
            ("of-prometheus", {**STACK, METRICS: "gp4"}, METRICS, {**STACK, METRICS: "gp2"}),
            ("of-no-prometheus-here", {**STACK, METRICS: "fast"}, METRICS, {**AMP, METRICS: "fast"}),
            ("of-a-cache", {CACHE: OWN}, f"{CACHE}.storageClass", {CACHE: {"sizeGib": 10}}),
            ("beside-an-existing-network", {**THERE, CACHE: OWN}, f"{CACHE}.storageClass", {**THERE, **SHARED_CACHE}),
        )
    ),
    Case("storage-one-kind", "two", {**SHARED, f"{BUCKET}.bucket": "models"}, "storage.data", near=SHARED),
    Case("storage-one-kind", "none", {**MOUNTED, "storage.data": {}}, "storage.data", near=SHARED),
    Case(
        "storage-zone",
        "of-no-subnet",
        {**SHARED, f"{EFS}.zone": "us-east-2c"},
        f"{EFS}.zone",
        near={**SHARED, f"{EFS}.zone": "us-east-2a", f"{GPU}.zones": ["us-east-2a"]},
    ),
    Case("storage-unused", "no-volume", {EFS: {}}, "storage.data", near=SHARED, severity="warning"),
    Case(
        "storage-outlives-stack",
        "kept",
        {**SHARED, f"{EFS}.onDestroy": "keep"},
        f"{EFS}.onDestroy",
        near={**SHARED, f"{EFS}.onDestroy": "delete"},
        severity="warning",
    ),
    Case(
        "storage-keeps-network",
        "lustre-that-stays",
        {**KEPT, f"{LUSTRE}.onDestroy": "keep"},
        f"{LUSTRE}.onDestroy",
        near={**SHARED, f"{EFS}.onDestroy": "keep"},  # its network interfaces go with its mount targets
        severity="warning",
    ),
    Case(
        "lustre-capacity",
        "between-steps",
        {**SCRATCH, f"{LUSTRE}.capacityGib": 3600},
        f"{LUSTRE}.capacityGib",
        near={**SCRATCH, f"{LUSTRE}.capacityGib": 2400},
    ),
    Case(
        "lustre-capacity",
        "below-the-smallest",
        {**SCRATCH, f"{LUSTRE}.capacityGib": 1000},
        f"{LUSTRE}.capacityGib",
        near=SCRATCH,
    ),
    Case(
        "lustre-capacity",
        "for-efa",
        {**KEPT, f"{LUSTRE}.efa": True, f"{LUSTRE}.throughputMibpsPerTib": 1000, f"{LUSTRE}.capacityGib": 2400},
        f"{LUSTRE}.capacityGib",
        near={**KEPT, f"{LUSTRE}.efa": True, f"{LUSTRE}.throughputMibpsPerTib": 1000, f"{LUSTRE}.capacityGib": 4800},
    ),
    Case(
        "lustre-deployment",
        "throughput-left-out",
        {**KEPT, f"{LUSTRE}.throughputMibpsPerTib": REMOVED},
        f"{LUSTRE}.throughputMibpsPerTib",
        near=KEPT,
    ),
    Case(
        "lustre-deployment",
        "throughput-that-is-not-sold",
        {**KEPT, f"{LUSTRE}.throughputMibpsPerTib": 200},
        f"{LUSTRE}.throughputMibpsPerTib",
        near={**KEPT, f"{LUSTRE}.throughputMibpsPerTib": 250},
    ),
    Case("lustre-deployment", "scratch-with-efa", {**SCRATCH, f"{LUSTRE}.efa": True}, f"{LUSTRE}.efa", near=SCRATCH),
    Case(
        "efs-throughput",
        "without-a-number",
        {**SHARED, f"{EFS}.throughput": "provisioned"},
        f"{EFS}.provisionedMibps",
        near={**SHARED, f"{EFS}.throughput": "provisioned", f"{EFS}.provisionedMibps": 100},
    ),
    Case(
        "efs-throughput",
        "number-of-elastic",
        {**SHARED, f"{EFS}.provisionedMibps": 100},
        f"{EFS}.provisionedMibps",
        near=SHARED,
    ),
    Case(
        "s3-files-region",
        "unknown",
        {**MOUNTED, f"{FILES}.bucket": "models"},
        FILES,
        near=READ,
        severity="warning",
    ),
    Case(
        "volume-unknown",
        "misspelt",
        {**SHARED, f"{QWEN}.volumes.date.mountPath": "/d"},
        f"{QWEN}.volumes.date",
        near=SHARED,
    ),
    Case(
        "volume-path",
        "twice",
        {**SHARED, "storage.more.efs": {}, f"{QWEN}.volumes.more.mountPath": "/data/"},
        f"{QWEN}.volumes.more.mountPath",
        near={**SHARED, "storage.more.efs": {}, f"{QWEN}.volumes.more.mountPath": "/data/more"},
    ),
    *(
        Case("volume-path", name, {**SHARED, f"{VOLUME}.mountPath": path}, f"{VOLUME}.mountPath", near=SHARED)
        for name, path in (("shared-memory", "/dev/shm"), ("processes", "/proc/"))
    ),
    Case(
        "volume-path",
        "out-of-the-volume",
        {**SHARED, f"{VOLUME}.subPath": "a/../.."},
        f"{VOLUME}.subPath",
        near={**SHARED, f"{VOLUME}.subPath": "a/..b"},
    ),
    Case(
        "volume-read-only",
        "bucket",
        {**READ, f"{VOLUME}.readOnly": False},
        f"{VOLUME}.readOnly",
        near={**READ, f"{VOLUME}.readOnly": False, f"{BUCKET}.write": True},
    ),
    Case(
        "volume-zone",
        "of-a-block",  # whose zone cannot be chosen
        {**ON_BLOCK, f"{LUSTRE}.zone": "us-east-2b"},
        VOLUME,
        near=ON_BLOCK,
    ),
    Case(
        "volume-zone",
        "of-a-block-whose-group-names-it",
        {**ON_BLOCK, f"{LUSTRE}.zone": "us-east-2b", f"{GPU}.zones": ["us-east-2a"]},
        VOLUME,
        near={**ON_BLOCK, "capacityBlocks.block.expect.zone": "use2-az3"},  # names and IDs cannot be compared here
    ),
    Case("volume-zone", "two-zones", {**SCRATCH, f"{GPU}.zones": REMOVED}, VOLUME, near=SCRATCH),
    Case(
        "volume-zone",
        "of-a-block-outside-the-network",
        {**ON_BLOCK, "capacityBlocks.block.expect.zone": "us-east-2c"},
        VOLUME,
        near={**SCRATCH, f"{LUSTRE}.zone": "us-east-2c"},  # the network lacks it: storage-zone speaks of it
    ),
    Case(
        "volume-zone-crossed",
        "zones-of-the-network",
        {**SHARED, f"{EFS}.zone": "us-east-2a"},
        VOLUME,
        near={**SHARED, f"{EFS}.zone": "us-east-2c"},
        severity="warning",
    ),
    Case(
        "volume-zone-crossed",
        "two-zones",
        {**SHARED, f"{EFS}.zone": "us-east-2a"},
        VOLUME,
        near={**SHARED, f"{EFS}.zone": "us-east-2a", f"{GPU}.zones": ["us-east-2a"]},
        severity="warning",
    ),
    Case("node-cache-disks", "unused", {**ON_NODES, f"{GPU}.localNvme": "unused"}, VOLUME, near=ON_NODES),
    Case(
        "node-cache-disks",
        "type-without",
        {**ON_NODES, f"{GPU}.instanceType": "inf2.xlarge", f"{GPU}.localNvme": "unused"},
        VOLUME,
        near=ON_NODES,
    ),
    Case(
        "volume-outlives-stack",
        "class-of-your-own",
        {CACHE: {"sizeGib": 10, "storageClass": "efs"}},
        f"{CACHE}.storageClass",
        near={CACHE: {"sizeGib": 10, "storageClass": "gp3"}},
        severity="warning",
    ),
    Case(
        "volume-outlives-stack",
        "of-another-kind-of-server",
        {**SERVED, f"{NIM}.cache": {"sizeGib": 10, "storageClass": "efs"}},
        f"{NIM}.cache.storageClass",
        near={**SERVED, f"{NIM}.cache": {"sizeGib": 10, "storageClass": "gp3"}},
        severity="warning",
    ),
    Case(
        "weights-memory",
        "all-of-the-pod",
        {f"{STREAMED}.bucket": "models", f"{STREAMED}.memoryGib": 10},
        f"{STREAMED}.memoryGib",
        near={f"{STREAMED}.bucket": "models", f"{STREAMED}.memoryGib": 9},
    ),
    Case(
        "weights-cached-twice",
        "cache",
        {f"{STREAMED}.bucket": "models", CACHE: {"sizeGib": 10}, "workloads.vllm.qwen.cudaGraphs": False},
        CACHE,
        near={f"{STREAMED}.bucket": "models", CACHE: {"sizeGib": 10}},  # it keeps what is compiled
        severity="warning",
    ),
]
