"""Kubernetes objects against Kubernetes' own schemas, and JSON policies against what we allow ourselves."""

import json

import kubernetes_validate
import pulumi
import pytest

from eks_accelerators import components
from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.components import NvidiaDevicePlugin, VllmServer
from tests.components.examples import EXAMPLES, deployed
from tests.components.harness import SECRET, leaves
from tests.components.node_groups.example import P5_WITH_EFA, group
from tests.components.test_vllm_server import CLAIMED, P5, llama

VERSION = kubernetes_versions.default()
OURS = (
    "kubernetes:helm.sh/",
    "kubernetes:external-secrets.io/",
    "kubernetes:index:",
    "kubernetes:keda.sh/",
    "kubernetes:karpenter.",
    "kubernetes:leaderworkerset.x-k8s.io/",
    "kubernetes:monitoring.coreos.com/",
)
"""Kinds that Kubernetes itself has no schema of."""


def deployments():
    yield from (pytest.param(component, {}, id=component.__name__) for component in EXAMPLES)
    yield pytest.param(VllmServer, {**llama(4), "cache": {"size_gib": 9, "storage_class": "efs"}}, id="four-servers")
    yield pytest.param(
        VllmServer,
        {"serves_on": {**P5, "efa": {"enabled": True}}, "replicas": 1, "cache": {"size_gib": 9}, "huge_pages_mib": 64},
        id="huge-pages",
    )
    yield pytest.param(
        VllmServer, {"model": "meta-llama/Llama-3.2-1B", "hugging_face_token": "hf"}, id="server-with-token"
    )
    yield pytest.param(VllmServer, CLAIMED, id="claimed-gpus")
    yield pytest.param(NvidiaDevicePlugin, {"sharings": []}, id="no-sharing")


@pytest.mark.parametrize(("component", "changes"), deployments())
def test_every_object_is_valid(component, changes):
    deployment = deployed(component, changes)

    for resource in deployment.resources:
        if resource.type.startswith("kubernetes:") and not resource.type.startswith(OURS):
            sent = dict(resource.inputs)
            if sent.get("stringData") == SECRET:
                sent["stringData"] = {"token": SECRET}
            kubernetes_validate.validate(sent, VERSION, strict=True)


def test_the_schemas_are_of_the_cluster_s_version():
    assert (
        kubernetes_validate.validate({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}, VERSION)
        == VERSION
    )


def test_the_schemas_refuse_a_misspelt_field():
    """Otherwise the test above would pass whatever is sent."""
    deployment = deployed(VllmServer).one("Deployment").inputs
    deployment["spec"]["template"]["spec"]["nodeSelecter"] = {}

    with pytest.raises(kubernetes_validate.ValidationError, match="nodeSelecter"):
        kubernetes_validate.validate(deployment, VERSION, strict=True)


def documents(deployment):
    """Every JSON document with statements, in any input of any resource."""
    for resource in deployment.resources:
        for text in leaves(resource.inputs):
            if isinstance(text, str) and '"Statement"' in text:
                yield resource, json.loads(text)


def every_document():
    for component in EXAMPLES:
        yield from documents(deployed(component))
    yield from documents(group(P5_WITH_EFA))


def test_policies_allow_single_actions_to_single_principals():
    found = list(every_document())

    assert {resource.kind for resource, _ in found} == {"Role", "RolePolicy", "TopicPolicy", "QueuePolicy"}
    allowing = [document for resource, document in found if resource.kind in ("Role", "TopicPolicy")]
    for document in allowing:
        assert document["Version"] == "2012-10-17"
        for statement in document["Statement"]:
            assert set(statement) <= {"Effect", "Principal", "Action", "Resource", "Condition"}
            assert statement["Effect"] == "Allow"
            assert "*" not in json.dumps(statement)
            assert set(statement["Principal"]) == {"Service"}


def test_policies_of_our_own_look_at_everything_and_change_what_is_tagged_or_named():
    own = [document for resource, document in every_document() if resource.kind == "RolePolicy"]

    assert own
    for statement in [statement for document in own for statement in document["Statement"]]:
        actions = {action.partition(":")[2] for action in statement["Action"]}
        assert not any("*" in action for action in actions)
        if statement["Resource"] == "*":
            assert all(action.startswith(("Describe", "Get", "List")) for action in actions) or statement["Condition"]


def test_roles_have_few_policies():
    attached, own = set(), set()
    for component in EXAMPLES:
        deployment = deployed(component)
        assert deployment.of("Policy") == []
        own |= {component} if deployment.of("RolePolicy") else set()
        attached |= {r.inputs["policyArn"].partition("policy/")[2] for r in deployment.of("RolePolicyAttachment")}

    assert attached == {
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "CloudWatchAgentServerPolicy",  # EKS user guide, add-on amazon-cloudwatch-observability: its agents send by it
        "service-role/AmazonEBSCSIDriverPolicy",
    }
    assert own == {
        components.AlertTopicAccess,
        components.BucketAccess,
        components.ClusterAutoscaler,
        components.ExternalSecrets,
        components.Karpenter,
        components.ManagedPrometheusAccess,
        components.S3FilesStorage,
        components.StorageDrivers,
    }


@pytest.mark.parametrize("component", components.ALL)
def test_components_are_component_resources(component):
    assert issubclass(component, pulumi.ComponentResource)
