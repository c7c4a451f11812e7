"""What a newcomer writes by mistake, and all that is said of it: the snapshots are to be read as a user reads them."""

import re

import pytest

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.pattern_words import PATTERNS
from eks_accelerators.simulator.aws.world import World
from tests.settings.example import PURCHASED, REMOVED, RESERVED, check
from tests.settings.stack_files import check_text

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
TRAIN = "workloads.pytorchJob.train"
JOB = {"nodeGroup": "gpu", "nodes": 1, "acceleratorsPerNode": 1, "program": "train.py"}
TRAINING = {"workloads": {"pytorchJob": {"train": JOB}}}
EFS = {"storage.data.efs": {}, f"{QWEN}.volumes.data": {"mountPath": "/data"}}

VALUES = {
    "word-for-keys": {f"{GROUP}.imagePull": "fast"},
    "number-for-an-id": {**RESERVED, "capacityBlocks.block.reservationId": 12},
    "id-of-something-else": {**RESERVED, "capacityBlocks.block.reservationId": "i-0123456789abcdef0"},
    "relative-path": {**EFS, f"{QWEN}.volumes.data": {"mountPath": "data"}},
    "no-nodes": {**TRAINING, f"{TRAIN}.nodes": 0},
    "number-in-quotes": {f"{QWEN}.replicas": "4"},
    "number-with-a-unit": {f"{GROUP}.disk.sizeGib": "100GiB"},
    "number-with-a-larger-unit": {f"{GROUP}.disk.sizeGib": "1.5 TiB"},
    "word-for-a-number": {f"{QWEN}.replicas": "all"},
    "part-of-a-whole": {f"{QWEN}.replicas": 1.5},
    "too-large": {f"{GROUP}.disk.sizeGib": 100_000},
    "beyond-every-number": {f"{GROUP}.disk.sizeGib": "9" * 400, f"{QWEN}.replicas": -(10**400)},
    "beyond-what-json-writes-in-full": {f"{QWEN}.replicas": 1e21},
    "beyond-what-can-be-read": {f"{QWEN}.autoscaling": {"max": 10**12}},
    "true-in-quotes": {f"{GROUP}.efa.enabled": "true"},
    "yes-for-true": {f"{GROUP}.efa.enabled": "yes"},
    "number-for-true": {f"{GROUP}.efa.enabled": 1},
    "version-without-quotes": {"cluster.kubernetesVersion": 1.35},
    "version-that-lost-a-digit": {"cluster.kubernetesVersion": 1.3},
    "version-of-three-parts": {"cluster.kubernetesVersion": "1.35.1"},
    "missing-name": {f"{QWEN}.nodeGroup": REMOVED},
    "missing-model": {f"{QWEN}.model": REMOVED},
    "list-for-keys": {"nodeGroups": [{"name": "gpu"}]},
    "keys-for-a-list": {f"{GROUP}.zones": {"us-east-2a": True}},
    "text-for-a-list": {"network.create.zones": "us-east-2a, us-east-2b"},
    "number-for-keys": {f"{GROUP}.size": 2},
    "nothing-for-keys": {GROUP: None},
    "nothing-for-text": {f"{QWEN}.model": None},
    "list-for-text": {"owner": ["ml-platform"]},
    "number-in-a-list-of-texts": {f"{QWEN}.autoscaling": {"max": 2, "metrics": [5]}, f"{QWEN}.replicas": REMOVED},
    "list-without-parts": {f"{QWEN}.autoscaling": {"max": 2, "metrics": []}, f"{QWEN}.replicas": REMOVED},
    "capitals-in-a-name": {
        "nodeGroups": {"L4 Shared": {"instanceType": "g6.2xlarge", "size": {"max": 1}}},
        "workloads": {},
    },
    "name-refused-and-used": {
        "nodeGroups": {"GPU": {"instanceType": "g6.2xlarge", "size": {"max": 1}}},
        f"{QWEN}.nodeGroup": "GPU",
    },
    "region-in-words": {"region": "US East (Ohio)"},
    "region-in-capitals": {"region": "US-EAST-2"},
    "region-misspelt": {"region": "us-eats-2"},
    "vllm-on-neuron": {f"{GROUP}.instanceType": "inf2.xlarge"},
    "neuron-vllm-on-gpus": {"workloads": {"neuronVllm": {"qwen": {"model": "Qwen/Qwen3-8B", "nodeGroup": "gpu"}}}},
    "key-of-another-place": {f"{QWEN}.imagePull": {"fast": True}},
    "key-of-kubernetes": {f"{QWEN}.containerPort": 8000},
    "storage-without-a-kind": {"storage.data": {}, f"{QWEN}.volumes.data": {"mountPath": "/data"}},
    "storage-of-two-kinds": {**EFS, "storage.data.nodeCache": {}},
    "storage-by-a-word": {**EFS, "storage.data": "efs"},
    "storage-that-is-not-there": {f"{QWEN}.volumes.date": {"mountPath": "/data"}, "storage.data.efs": {}},
    "bucket-with-a-scheme": {"storage.data.s3Bucket.bucket": "s3://my-models/", f"{QWEN}.volumes.data.mountPath": "/m"},
    "repository-in-a-bucket-of-one-letter": {
        "workloads": {"triton": {"t": {"nodeGroup": "gpu", "repository": "s3://b/models"}}}
    },
    "secret-by-its-arn": {
        f"{QWEN}.huggingFaceToken": {
            "secretsManager": {"name": "arn:aws:secretsmanager:us-east-2:111122223333:secret:hf"}
        }
    },
    "prefix-with-a-slash-first": {
        "storage.data.s3Bucket": {"bucket": "models", "prefix": "/llama"},
        f"{QWEN}.volumes.data.mountPath": "/m",
    },
    "lustre-in-lower-case": {
        "storage.data.fsxLustre": {"zone": "us-east-2a", "deploymentType": "scratch2"},
        f"{QWEN}.volumes.data.mountPath": "/m",
    },
    "throughput-of-efs": {**EFS, "storage.data.efs.throughput": "provisoned"},
    "prometheus-that-is-no-kind": {"monitoring.prometheus": True},
    "prometheus-with-a-password": {
        "monitoring.prometheus": "existing",
        "monitoring.prometheusAddress": "https://admin:hunter2@prometheus.example.com",
    },
    "e-mail-without-a-domain": {**RESERVED, "capacityBlocks.block.notificationEmail": "ml-platform"},
    "alerts-as-a-word": {"monitoring.alerts": "on"},
    "autoscaling-as-a-number": {f"{QWEN}.replicas": REMOVED, f"{QWEN}.autoscaling": 4},
    "autoscaling-without-a-maximum": {f"{QWEN}.replicas": REMOVED, f"{QWEN}.autoscaling.min": 1},
    "autoscaler-misspelt": {f"{GROUP}.autoscaler": "clusterAutoscaller"},
    "sharing-as-a-word": {f"{GROUP}.sharing": "timeSlicing"},
    "sharing-misspelt": {f"{GROUP}.sharing": {"strategy": "time-slicing", "replicas": 4}},
    "engine-misspelt": {**TRAINING, f"{TRAIN}.controller": "TrainJob"},
    "variables-as-a-list": {**TRAINING, f"{TRAIN}.env": [{"name": "A", "value": "b"}]},
    "variable-as-a-number": {**TRAINING, f"{TRAIN}.env": {"EPOCHS": 3}},
    "arguments-as-text": {**TRAINING, f"{TRAIN}.arguments": "--epochs 3"},
    "start-without-a-zone": {**PURCHASED, "capacityBlocks.block.purchase.start": "2026-12-01 11:30"},
    "price-with-a-sign": {**PURCHASED, "capacityBlocks.block.purchase.maxUpfrontFeeUsd": "$9000"},
    "image-as-an-id": {f"{GROUP}.ami": {"id": "ami-0123456789abcdef0"}},
    "image-as-an-id-in-capitals": {f"{GROUP}.ami": {"ID": "ami-0123456789abcdef0"}},
    "image-without-a-key": {f"{GROUP}.ami": "ami-0123456789abcdef0"},
    "image-release-without-a-key": {f"{GROUP}.ami": "1.35.1-20261012"},
    "image-in-one-key": {f"{GROUP}.amiId": "ami-0123456789abcdef0"},
    "image-type-in-one-key": {f"{GROUP}.amiType": "AL2023_x86_64_NVIDIA"},
    "disk-size-in-one-key": {f"{GROUP}.diskSizeGib": 300},
    "disk-size-without-a-unit": {f"{GROUP}.disk": {"size": 300}},
    "replicas-of-a-billion": {f"{QWEN}.replicas": 10**9},
    "replicas-beyond-64-bits": {f"{QWEN}.replicas": 10**30},
    "replicas-far-below": {f"{QWEN}.replicas": -(10**18)},
    "replicas-of-autoscaling": {f"{QWEN}.replicas": REMOVED, f"{QWEN}.autoscaling": {"max": 10**18}},
    "nodes-of-a-trillion": {f"{GROUP}.size": {"desired": 10**12, "max": 10**12}},
    "nodes-of-a-job": {**TRAINING, f"{TRAIN}.nodes": 10**9},
    "range-without-a-size": {"network.create.cidr": "10.0.0.0"},
    "range-of-words": {"cluster.endpoint.publicAccessCidrs": ["office"]},
    "one-zone-as-text-in-a-list": {"network.create.zones": ["us-east-2a"]},
    "nat-gateways-as-a-number": {"network.create.natGateways": 1},
    "role-by-its-name": {"cluster.accessEntries.ml": {"principalArn": "ml", "policy": "AmazonEKSViewPolicy"}},
    "addon-misspelt": {"cluster.addonVersions": {"vpc-cnii": "v1.21.1-eksbuild.1"}},
    "budget-as-a-number": {"budget": 2500},
    "budget-with-a-unit": {"budget.monthlyUsd": "2500 USD"},
    "labels-that-are-none": {f"{GROUP}.labels": {"team": "ml platform"}},
    "cpus-as-a-number": {f"{QWEN}.resources.cpu": 4},
    "cpus-with-a-point": {f"{QWEN}.resources.cpu": "0.5"},
    "token-in-the-file": {f"{QWEN}.huggingFaceToken": "hf_AbCdEfGhIjKlMnOpQrStUvWxYz"},
}


@pytest.mark.parametrize("patch", VALUES.values(), ids=VALUES)
def test_wrong_values(patch, snapshot):
    problems = check(patch).problems

    assert problems
    assert "\n".join(map(str, problems)) == snapshot


BEGIN = "config:\n  aws:region: us-east-2\n  eks-accelerators:owner: ml\n"
TEXTS = {
    "empty": "",
    "only-a-comment": "# to be written\n",
    "only-text": "hello\n",
    "no-config": "aws:region: us-east-2\n",
    "config-of-nothing": "config:\n",
    "config-of-a-list": "config: [a]\n",
    "tab": BEGIN + "  eks-accelerators:tags:\n\tteam: ml\n",
    "key-twice": BEGIN + "  eks-accelerators:owner: me\n",
    "less-indented": BEGIN + "  eks-accelerators:network:\n    create:\n      zones: []\n     natGateways: none\n",
    "two-colons": BEGIN + "  eks-accelerators:tags: a: b\n",
    "open-quote": BEGIN + '  eks-accelerators:tags: "ml\n',
    "open-bracket": BEGIN + "  eks-accelerators:tags: [ml\n",
    "open-brace": BEGIN + "  eks-accelerators:tags: {a: b\n",
    "no-blank-after-the-colon": BEGIN + "  eks-accelerators:tags:{}\n  eks-accelerators:cluster: {}\n",
    "at-sign": BEGIN + "  eks-accelerators:tags: {who: @me}\n",
    "star": BEGIN + "  eks-accelerators:tags: {what: *all}\n",
    "backslash": BEGIN + '  eks-accelerators:tags: {where: "C:\\path"}\n',
    "two-documents": BEGIN + "---\na: b\n",
    "setting-beside-config": BEGIN + "eks-accelerators:network: {create: {zones: [us-east-2a, us-east-2b]}}\n",
    "other-namespace": BEGIN + "  accelerators:network: {create: {zones: [us-east-2a, us-east-2b]}}\n",
    "number-as-key": BEGIN + "  7: x\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_wrong_texts(tmp_path, text, snapshot):
    problems = check_text(tmp_path, text).problems

    assert problems
    assert "\n".join(map(str, problems)).replace(str(tmp_path), "FOLDER") == snapshot


def patterns_of(node):
    """Every pattern in a JSON schema."""
    if isinstance(node, list):
        return {found for child in node for found in patterns_of(child)}
    if not isinstance(node, dict):
        return set()
    own = {node["pattern"]} if isinstance(node.get("pattern"), str) else set()
    return own | set(node.get("patternProperties", {})) | {p for child in node.values() for p in patterns_of(child)}


def test_every_pattern_has_words_and_an_example_that_it_takes():
    models = (Settings, World)
    assert {pattern for model in models for pattern in patterns_of(model.model_json_schema())} == set(PATTERNS)
    assert [pattern for pattern, words in PATTERNS.items() if not re.fullmatch(pattern, words.example)] == []
