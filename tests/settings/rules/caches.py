"""Caches of servers: where they lie. A Neuron server is on one device each of a trn2.48xlarge."""

from tests.settings.example import REMOVED, Patch
from tests.settings.rules.case import Case
from tests.settings.rules.neuron_vllm import LLAMA, ROOMY, on, on_trn2
from tests.settings.rules.nim import NIM, SERVED

CACHE, ON_SHARED = f"{LLAMA}.cache", {"storage": "shared"}
EFS: Patch = {"storage.shared.efs": {}}
LUSTRE: Patch = {"storage.shared.fsxLustre": {"zone": "us-east-2a", "deploymentType": "SCRATCH_2"}}
CACHED: Patch = {**EFS, **on_trn2(cache=ON_SHARED)}
AHEAD: Patch = {**ROOMY, **EFS, **on_trn2(cache=ON_SHARED, compileAhead={})}
DISKS: Patch = {"nodeGroups.gpu.localNvme": "raid0"}

CASES = [
    Case(
        "cache-one-place",
        "storage-and-size",
        {**CACHED, f"{CACHE}.sizeGib": 50, f"{CACHE}.storageClass": "efs"},
        CACHE,
        near=CACHED,
    ),
    Case(
        "cache-one-place", "neither", on_trn2(cache={"storageClass": "gp3"}), CACHE, near=on_trn2(cache={"sizeGib": 50})
    ),
    Case(
        "cache-one-place",
        "directory-of-a-volume-of-its-own",
        on_trn2(cache={"sizeGib": 50, "subPath": "llama"}),
        f"{CACHE}.subPath",
        near={**CACHED, f"{CACHE}.subPath": "llama"},
    ),
    Case(
        "cache-one-place",
        "out-of-the-storage",
        {**CACHED, f"{CACHE}.subPath": "../llama"},
        f"{CACHE}.subPath",
        near={**CACHED, f"{CACHE}.subPath": "..llama"},
    ),
    Case(
        "cache-storage",
        "bucket",
        {**CACHED, "storage.shared.efs": REMOVED, "storage.shared.s3Bucket": {"bucket": "models", "write": True}},
        f"{CACHE}.storage",
        near={**CACHED, "storage.shared.efs": REMOVED, "storage.shared.s3Files": {"bucket": "models"}},
    ),
    Case(
        "cache-storage",
        "disks-of-each-node",
        {**CACHED, **DISKS, "storage.shared.efs": REMOVED, "storage.shared.nodeCache": {}},
        f"{CACHE}.storage",
        near={**CACHED, **DISKS},
    ),
    Case(
        "cache-storage",
        "nim-where-root-owns-directories",
        {**SERVED, **LUSTRE, f"{NIM}.cache": ON_SHARED},
        f"{NIM}.cache.storage",
        near={**SERVED, **EFS, f"{NIM}.cache": ON_SHARED},
    ),
    Case("volume-unknown", "of-a-cache", {**CACHED, f"{CACHE}.storage": "share"}, f"{CACHE}.storage", near=CACHED),
    Case(
        "volume-path",
        "where-the-cache-is",
        {**EFS, **on_trn2(volumes={"shared": {"mountPath": "/cache"}})},
        f"{LLAMA}.volumes.shared.mountPath",
        near={**EFS, **on_trn2(volumes={"shared": {"mountPath": "/data"}}, cache=ON_SHARED)},
    ),
    Case(
        "volume-zone",
        "of-a-cache",
        {**LUSTRE, **on_trn2(cache=ON_SHARED)},
        f"{CACHE}.storage",
        near={**LUSTRE, **on_trn2(cache=ON_SHARED), "nodeGroups.gpu.zones": ["us-east-2a"]},
    ),
    Case(
        "storage-unused",
        "nor-a-cache",
        {**EFS, **on_trn2(cache={"sizeGib": 50})},
        "storage.shared",
        near=CACHED,
        severity="warning",
    ),
    Case(
        "volume-outlives-stack",
        "where-a-storage-would-do",
        on_trn2(cache={"sizeGib": 50, "storageClass": "efs"}),
        f"{CACHE}.storageClass",
        near=CACHED,
        severity="warning",
    ),
    Case(
        "workload-cache",
        "where-a-storage-would-do",
        on_trn2(replicas=2, cache={"sizeGib": 50}),
        f"{CACHE}.storageClass",
        near={**EFS, **on_trn2(replicas=2, cache=ON_SHARED)},
    ),
    Case(
        "neuron-compile-ahead",
        "without-a-cache",
        {**ROOMY, **on_trn2(compileAhead={})},
        CACHE,
        near=AHEAD,
    ),
    Case(
        "neuron-compile-ahead-unawaited",
        "secret-by-hand",
        {**AHEAD, f"{LLAMA}.huggingFaceToken": {"existingSecret": "hugging-face"}},
        f"{LLAMA}.huggingFaceToken",
        near=AHEAD,
        severity="warning",
    ),
    Case(
        "neuron-cache-filled-by-several",
        "two-servers",
        {**EFS, **on_trn2(replicas=2, cache=ON_SHARED)},
        CACHE,
        near={**EFS, **ROOMY, **on_trn2(replicas=2, cache=ON_SHARED, compileAhead={})},
        severity="warning",
    ),
    Case(
        "neuron-cache-filled-by-several",
        "two-of-the-old-plugin",
        {**EFS, **on("trn1.2xlarge", replicas=2, cache=ON_SHARED)},
        CACHE,
        near={**EFS, **on("trn1.2xlarge", cache=ON_SHARED)},
        severity="warning",
    ),
]
