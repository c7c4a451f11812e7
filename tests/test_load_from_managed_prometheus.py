"""Servers that follow their load by Amazon Managed Service for Prometheus: who is asked, with whose rights, and in which order."""

import json
import runpy

import pytest

from eks_accelerators.settings.load import PROJECT
from tests.components.harness import attempt
from tests.settings.example import patched
from tests.test_program import PROGRAM

SCALED = {"monitoring.prometheus": "amp", "workloads.vllm.qwen.autoscaling": {"max": 1}}
ADDRESS = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/eks-accelerators-test-metrics-1a2b3c4"


def deployed(patch):
    """The whole program with the patched example, as AWS would answer it."""
    values = patched(patch)
    config = {"aws:region": values.pop("region")}
    config |= {f"{PROJECT}:{key}": each if isinstance(each, str) else json.dumps(each) for key, each in values.items()}
    return attempt(lambda: runpy.run_path(str(PROGRAM), run_name="__main__"), config=config)


@pytest.fixture(scope="module")
def deployment():
    made = deployed(SCALED)
    assert made.error is None
    return made


def test_questions_are_signed_for_the_region_of_the_workspace(deployment):
    authentication = deployment.one("TriggerAuthentication").inputs

    assert authentication["spec"] == {"podIdentity": {"provider": "aws"}}
    for trigger in deployment.one("ScaledObject").inputs["spec"]["triggers"]:
        assert trigger["metadata"]["serverAddress"] == ADDRESS
        assert trigger["metadata"]["awsRegion"] == "us-east-2"
        assert trigger["authenticationRef"] == {"name": authentication["metadata"]["name"]}


def test_keda_may_query_the_one_workspace_and_nothing_else(deployment):
    access, workspace = deployment.one("ManagedPrometheusAccess"), deployment.one("Workspace")
    (role,) = (each for each in deployment.children(access.urn) if each.kind == "RolePolicy")
    (identity,) = (each for each in deployment.children(access.urn) if each.kind == "PodIdentityAssociation")
    (statement,) = json.loads(role.inputs["policy"])["Statement"]

    assert statement["Action"] == ["aps:QueryMetrics"]
    (resource,) = statement["Resource"]
    assert resource.startswith("arn:aws:")
    assert workspace.name in resource
    assert (identity.inputs["namespace"], identity.inputs["serviceAccount"]) == ("keda", "keda-operator")


def test_keda_starts_once_it_has_the_right(deployment):
    """EKS gives a pod its credentials when it is made."""
    by_urn = {each.urn: each for each in deployment.resources}
    (keda,) = (each for each in deployment.of("Release") if each.name == "keda")
    waited_for = {by_urn[urn].kind for urn in keda.dependencies | by_urn[keda.parent].dependencies if urn in by_urn}

    assert "PodIdentityAssociation" in waited_for


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"monitoring.prometheus": "amp"}, id="no-server-follows-its-load"),
        pytest.param({**SCALED, "monitoring.prometheus": "stack"}, id="a-prometheus-of-its-own"),
    ],
)
def test_otherwise_nobody_gets_the_right(patch):
    made = deployed(patch)

    assert made.error is None
    assert made.of("ManagedPrometheusAccess") == []
    assert made.of("TriggerAuthentication") == []
