"""The samples that circulate: each has a workload in an example, whose pods land on the node group that it is meant for and nowhere else."""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.components.test_where_pods_land import deployed, lands, nodes_of
from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "samples.md"
ROW = re.compile(
    r"^\| (?P<sample>[^|]+) \| (?P<wrong>[^|]+) \| \[[\w-]+\]\(\.\./(?P<file>[^)]+)\): `(?P<workload>[^`]+)` \| `(?P<group>[^`]+)` \|$",
    re.M,
)
SAMPLES = {row["sample"]: row for row in ROW.finditer(text(PAGE))}
SEVEN = {
    "`cuda-vectoradd`",
    "`gpu-demo-pod`",
    "Five Llamas on one node",
    "DDP, four nodes of eight GPUs",
    "TensorFlow Serving on a shared GPU",
    "Triton, three servers",
    "Mixed precision",
}
LIVES = {
    "examples/model-servers/Pulumi.servers.yaml": "tests/simulator/test_model_servers.py",
    "examples/training/Pulumi.training.yaml": "tests/simulator/test_training_example.py",
}
"""Where each example is deployed, and the real scheduler says where its pods are."""


@cache
def registered(file: str):
    """What the program registers with a stack file."""
    config = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["config"]
    values = {key.partition(":")[2]: value for key, value in config.items() if key.startswith("eks-accelerators:")}
    return deployed(values)


def pods(deployment, name: str):
    """Specs of the pods of a workload."""
    found = [each for kind in ("Deployment", "Job") for each in deployment.of(kind) if each.name == name]
    return [each.inputs["spec"]["template"]["spec"] for each in found]


def test_every_sample_is_on_the_page():
    assert set(SAMPLES) == SEVEN


@pytest.mark.parametrize("sample", sorted(SEVEN))
def test_its_pods_land_on_their_node_group_and_nowhere_else(sample):
    row = SAMPLES[sample]
    deployment = registered(row["file"])
    (pod,) = pods(deployment, row["workload"])

    assert [node.name for node in nodes_of(deployment) if lands(pod, node)] == [row["group"]]


@pytest.mark.parametrize("sample", sorted(SEVEN))
def test_it_is_deployed_by_a_test(sample):
    row = SAMPLES[sample]

    assert f'"{row["workload"]}"' in text(ROOT / Path(LIVES[row["file"]]))
