"""All problems come at once: what is wrong in shape does not hide what is wrong by rule elsewhere."""

import pytest

from eks_accelerators.settings import parse
from tests.conftest import NOW
from tests.settings.example import REMOVED, patched

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"


def codes(patch):
    values = patched(patch)
    region = values.pop("region")
    return [(problem.code, problem.path) for problem in parse(values, region, now=NOW).problems]


@pytest.mark.parametrize(
    ("patch", "both"),
    [
        pytest.param(
            {f"{GROUP}.disk.sizeGib": "500GiB", f"{GROUP}.efa.enabled": True},
            [("wrong-type", f"{GROUP}.disk.sizeGib"), ("efa-not-supported", f"{GROUP}.efa.enabled")],
            id="in-one-group",
        ),
        pytest.param(
            {f"{GROUP}.sise": 1, "cluster.kubernetesVersion": "1.30", "cluster.endpoint.privateAccess": False},
            [("unknown-key", f"{GROUP}.sise"), ("endpoint-unreachable", "cluster.endpoint")],
            id="a-misspelt-key",
        ),
        pytest.param(
            {"nodeGroups.other": {"instanceType": "g6.xlarge"}, f"{GROUP}.instanceType": "g6.2xlrge"},
            [("missing-key", "nodeGroups.other.size"), ("unknown-instance-type", f"{GROUP}.instanceType")],
            id="an-incomplete-group",
        ),
        pytest.param(
            {f"{GROUP}.disk.sizeGib": "500GiB", f"{QWEN}.replicas": 8},
            [("wrong-type", f"{GROUP}.disk.sizeGib"), ("workload-request", f"{QWEN}.replicas")],
            id="a-disk-is-nothing-to-workloads",
        ),
    ],
)
def test_shape_and_rules_are_said_together(patch, both):
    assert [found for found in codes(patch) if found in both] == both


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({f"{GROUP}.size": REMOVED}, id="its-workload"),
        pytest.param({f"{GROUP}.size": 3}, id="its-sizes"),
        pytest.param({"network": REMOVED}, id="nothing-to-judge"),
        pytest.param({f"{QWEN}.replicas": "two"}, id="its-replicas"),
        pytest.param(
            {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": "4"}, f"{QWEN}.replicas": 8},
            id="the-shares-of-its-workload",
        ),
        pytest.param(
            {
                "storage": {"data": {"efs": {}}, "models": {"efs": {}}},
                f"{QWEN}.volumes": {"models": {"mountPath": 5}, "data": {"mountPath": "/data"}},
            },
            id="the-directory-of-another-volume",
        ),
    ],
)
def test_rules_say_nothing_of_what_is_taken_out(patch):
    assert {code for code, _ in codes(patch)} <= {"missing-key", "wrong-type"}
