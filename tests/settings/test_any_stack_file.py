"""Whatever a stack file says, it is answered with settings or with problems, never with a traceback."""

import copy
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types
from eks_accelerators.settings import Settings, cost, load_stack_file, stack_file
from eks_accelerators.settings.headroom import headroom_of
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.refusals import refused
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.settings.rules import RULES
from eks_accelerators.settings.rules_page import SHAPE_CODES
from tests.conftest import EXHAUSTIVE, NOW
from tests.settings.example import PURCHASED, RESERVED, WITH_EFA
from tests.settings.stack_files import SHIPPED, document

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
MUCH = {
    **WITH_EFA,
    "tags": {"team": "ml"},
    "cluster.endpoint": {"privateAccess": True, "publicAccessCidrs": ["12.34.56.0/24"]},
    "cluster.accessEntries.ml": {
        "principalArn": "arn:aws:iam::123456789012:role/ml",
        "policy": "AmazonEKSViewPolicy",
        "namespaces": ["llm"],
    },
    "cluster.addonVersions": {"vpc-cni": "v1.21.1-eksbuild.1"},
    f"{GROUP}.instanceType": "p5.48xlarge",
    f"{GROUP}.capacityBlock": "block",
    f"{GROUP}.size": {"min": 0, "desired": 0, "max": 2},
    f"{GROUP}.ami": {"type": "AL2023_x86_64_NVIDIA", "releaseVersion": "1.35.1-20261012"},
    f"{GROUP}.disk": {"sizeGib": 200, "type": "gp3", "iops": 6000, "throughputMibps": 600, "kmsKeyArn": "key"},
    f"{GROUP}.efa.interfaces": [
        {"card": 0, "device": 0, "type": "interface"},
        {"card": 1, "device": 0, "type": "efa-only"},
    ],
    f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 2, "renameByDefault": True},
    f"{GROUP}.labels": {"team": "ml"},
    f"{GROUP}.taints": [{"key": "team", "value": "ml", "effect": "NoSchedule"}],
    f"{GROUP}.scheduledScaling": [{"name": "night", "startTime": "2026-12-01T20:00:00Z", "desired": 0}],
    f"{GROUP}.imagePull": {"fast": True},
    "capacityBlocks.block": {
        "reservationId": "cr-0123456789abcdef0",
        "expect": {
            "instanceType": "p5.48xlarge",
            "instanceCount": 2,
            "zone": "us-east-2a",
            "start": "2026-12-01T11:30:00Z",
            "end": "2026-12-03T11:30:00Z",
        },
    },
    f"{QWEN}.modelShape": {
        "parameters": 10**9,
        "layers": 16,
        "attentionHeads": 32,
        "kvHeads": 8,
        "headSize": 64,
        "maxModelLen": 8192,
    },
    f"{QWEN}.replicas": 2,
    f"{QWEN}.maxModelLen": 4096,
    f"{QWEN}.concurrentSequences": 4,
    f"{QWEN}.tensorParallelSize": 2,
    f"{QWEN}.resourceName": "nvidia.com/gpu",
    f"{QWEN}.tolerations": [{"key": "team", "operator": "Exists"}],
    f"{QWEN}.efaInterfaces": 1,
    f"{QWEN}.hugePagesMib": 5120,
    f"{QWEN}.huggingFaceToken.configSecret": "token",
    f"{QWEN}.cache": {"sizeGib": 20, "storageClass": "efs"},
    f"{QWEN}.imageCompressedGib": 10,
    f"{QWEN}.resources": {"cpu": "1", "memoryGib": 6, "memoryLimitGib": 10},
}
"""Most settings at once, so that there is much to change."""

TEXTS = [path.read_text(encoding="utf-8") for path in SHIPPED]
STARTS = [
    *({"config": stack_file.read(path).config} for path in SHIPPED),
    *(document(patch) for patch in (RESERVED, PURCHASED, WITH_EFA, MUCH)),
]


def keys_of(node: Any) -> Iterator[str]:
    """Every key of a JSON schema's properties: the words that settings are made of."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for child in node.values():
            yield from keys_of(child)


KEYS = sorted(set(keys_of(Settings.model_json_schema(by_alias=True))))
WORDS = [
    *instance_types.names(),
    *("us-east-2a", "use2-az1", "us-gov-west-1", "m7i.large", "gpu", "block", "1.35", "1.99", "0", "00m", "yes", "~"),
    *("2026-12-01T11:30:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-13-45T99:99:99Z", "2026-12-01"),
    *("AL2_x86_64_GPU", "BOTTLEROCKET_x86_64_NVIDIA", "CUSTOM", "timeSlicing", "mig", "spot", "raid0", "cluster"),
    *("arn:aws:iam::123456789012:role/ml", "cr-0123456789abcdef0", "0.0.0.0/0", "300.1.2.3/99", "::/0", "10.0.0.0/8"),
    *("nvidia.com/gpu", "meta-llama/Llama-3.2-1B", "Exists", "hf_AbCdEfGhIjKlMnOp", "", "\n", '"', "]"),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 70),
    st.integers(),
    st.sampled_from([10**18, 10**400, -(10**400)]),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=20),
)
NAMES = st.one_of(st.sampled_from(KEYS), st.sampled_from(["gpu", "block", "qwen", "secure", ""]), st.text(max_size=8))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=8
)
CONFIG_KEYS = st.one_of(
    st.sampled_from([f"{PROJECT}:{field.alias}" for field in Settings.model_fields.values()]),
    st.sampled_from(["aws:region", "aws:profile", "eks-acelerators:owner", "owner", f"{PROJECT}:"]),
    st.text(max_size=12),
)


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in ``node``: the container, and its key or index."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in list(items):
        yield node, key
        yield from places(child)


def delete(container, key, value):
    del container[key]


def replace(container, key, value):
    container[key] = value


def repeat(container, key, value):
    container[key] = [container[key], container[key]]


def turn_into_text(container, key, value):
    container[key] = str(container[key])


def replace_alike(container, key, value):
    """Keep the type where there is a value of it, so that the shape stays right and the rules are asked."""
    old = container[key]
    if isinstance(old, bool):
        container[key] = not old
    elif isinstance(old, int):
        container[key] = value if isinstance(value, int) else len(str(value))
    elif isinstance(old, str):
        container[key] = value if isinstance(value, str) else WORDS[len(str(value)) % len(WORDS)]


def add(container, key, value):
    if isinstance(container, dict):
        container[str(value)[:12]] = value
    else:
        container.append(value)


def misspell(container, key, value):
    if isinstance(container, dict) and key:
        container[key[1:] + key[0]] = container.pop(key)


def drop_a_letter(container, key, value):
    if isinstance(container, dict):
        container[key[:-1]] = container.pop(key)


MUTATIONS = st.tuples(
    st.integers(0, 10_000),
    st.sampled_from([delete, replace, replace, replace, repeat, turn_into_text, add, misspell, drop_a_letter]),
    VALUES,
)


def mutated(start: dict[str, Any], mutations: list[tuple[int, Any, Any]]) -> dict[str, Any]:
    stack = copy.deepcopy(start)
    for number, mutate, value in mutations:
        if found := list(places(stack)):
            mutate(*found[number % len(found)], copy.deepcopy(value))
    return stack


def dumped(stack: Any) -> str:
    return yaml.dump(stack, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)


def spliced(text: str, start: int, length: int, inserted: str) -> str:
    start %= len(text)
    return text[:start] + inserted + text[start + length :]


LIKELY = st.sampled_from([*WORDS, *WORDS, *range(130), 10**6, 10**15, 10**400])
ALIKE = st.tuples(st.integers(0, 10_000), st.just(replace_alike), LIKELY)

STACK_FILES = st.one_of(
    st.builds(mutated, st.sampled_from(STARTS), st.lists(ALIKE, min_size=1, max_size=4)).map(dumped),
    st.builds(mutated, st.sampled_from(STARTS), st.lists(MUTATIONS, min_size=1, max_size=6)).map(dumped),
    st.dictionaries(CONFIG_KEYS, VALUES, max_size=6).map(lambda config: dumped({"config": config})),
    st.builds(spliced, st.sampled_from(TEXTS), st.integers(0, 10_000), st.integers(0, 40), st.text(max_size=10)),
    VALUES.map(dumped),
    st.text(),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("stacks") / "Pulumi.any.yaml"


@pytest.mark.slow
@settings(max_examples=10_000 if EXHAUSTIVE else 200)
@given(text=STACK_FILES)
def test_any_stack_file(path, text):
    path.write_text(text, encoding="utf-8", newline="")

    checked = load_stack_file(path, now=NOW)

    assert checked.settings or checked.problems
    if checked.settings:
        cost.estimate(checked.settings, NOW.date())
        resolved = resolve_stack(checked.settings)
        for name in resolved.groups:
            room = headroom_of(resolved, name)
            assert all(share.taken + share.left == share.offered and share.left >= 0 for share in room.shares)
            assert all(map(str, refused(room, resolved.workloads_on(name))))
    for problem in checked.problems:
        assert problem.code in RULES or problem.code in SHAPE_CODES
        filled = {**asdict(problem), "line": None}
        assert all(filled[key] for key in filled if key != "line"), problem
        assert problem.line is None or problem.line >= 1
        assert str(problem)
