"""The remote component `eks.Cluster`: the children that it registers, with an engine of which only the monitor is there."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, resource_pb2, resource_pb2_grpc

from eks_accelerators.simulator.providers import wire
from eks_accelerators.simulator.providers.eks_provider import EksProvider
from eks_accelerators.simulator.providers.values import UNKNOWN, to_python, to_struct
from tests.simulator.providers.calls import AbortedError, Context

CLUSTER = "eks:index:Cluster"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
INPUTS = {
    "name": "ml",
    "version": "1.35",
    "vpcId": "vpc-1",
    "subnetIds": ["subnet-1", "subnet-2"],
    "skipDefaultNodeGroup": True,
    "useDefaultVpcCni": True,
    "authenticationMode": "API",
    "endpointPrivateAccess": True,
    "endpointPublicAccess": True,
    "publicAccessCidrs": ["203.0.113.0/24"],
    "accessEntries": {
        "admins": {
            "principalArn": "arn:aws:iam::111122223333:role/admins",
            "accessPolicies": {"admin": {"policyArn": ADMIN, "accessScope": {"type": "cluster"}}},
        }
    },
    "tags": {"owner": "ml-platform"},
}


class Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Registers everything, and remembers it. What a provider would add to a resource is in ``outputs``."""

    def __init__(self, outputs: dict[str, dict[str, Any]]) -> None:
        self.outputs, self.asked, self.finished = outputs, {}, {}
        self.partition = "aws"

    def RegisterResource(self, request: Any, context: Any) -> Any:  # noqa: N802
        urn = f"urn:pulumi:test::project::{request.type}::{request.name}"
        self.asked[request.name] = request
        added = self.outputs.get(request.type)
        known = request.custom and added is not None
        return resource_pb2.RegisterResourceResponse(
            urn=urn,
            id=f"id-of-{request.name}" if known else "",
            object=to_struct({**to_python(request.object), **(added or {})}),
        )

    def Invoke(self, request: Any, context: Any) -> Any:  # noqa: N802
        assert (request.tok, request.version) == ("aws:index/getPartition:getPartition", "7.25.0")
        return provider_pb2.InvokeResponse(**{"return": to_struct({"partition": self.partition})})

    def RegisterResourceOutputs(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.finished[request.urn] = to_python(request.outputs)
        return empty_pb2.Empty()


DEPLOYED = {
    "aws:iam/role:Role": {"arn": "arn:aws:iam::111122223333:role/control-plane"},
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {},
    "aws:eks/cluster:Cluster": {
        "arn": "arn:aws:eks:us-east-2:111122223333:cluster/ml",
        "endpoint": "https://ml.example.com",
        "certificateAuthority": {"data": "Y2E="},
    },
    "aws:eks/accessEntry:AccessEntry": {},
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {},
    "pulumi:providers:kubernetes": {},
}


@pytest.fixture
def engine(request) -> Iterator[tuple[Monitor, str]]:
    monitor = Monitor(getattr(request, "param", DEPLOYED))
    server = grpc.server(ThreadPoolExecutor(2))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(monitor, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield monitor, f"127.0.0.1:{port}"
    server.stop(None).wait()


def construct(endpoint: str, inputs: dict[str, Any], kind: str = CLUSTER) -> dict[str, Any]:
    """The component's outputs."""
    request = provider_pb2.ConstructRequest(
        type=kind,
        name="ml",
        inputs=to_struct(inputs),
        monitorEndpoint=endpoint,
        providers={"aws": "urn:aws::id"},
        inputDependencies={"subnetIds": provider_pb2.ConstructRequest.PropertyDependencies(urns=["urn:subnet"])},
    )
    return to_python(EksProvider().Construct(request, Context()).state)


def test_its_children(engine):
    monitor, endpoint = engine

    construct(endpoint, INPUTS)

    parents = {name: asked.parent.rpartition("::")[2] for name, asked in monitor.asked.items()}
    assert [(asked.type, name, parents[name]) for name, asked in monitor.asked.items()] == [
        (CLUSTER, "ml", ""),
        ("eks:index:ServiceRole", "ml-eksRole", "ml"),
        ("aws:iam/role:Role", "ml-eksRole-role", "ml-eksRole"),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "ml-eksRole-4b490823", "ml-eksRole"),
        ("aws:eks/cluster:Cluster", "ml-eksCluster", "ml"),
        ("aws:eks/accessEntry:AccessEntry", "ml-admins", "ml"),
        ("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "ml-admins-admin", "ml-admins"),
        ("pulumi:providers:kubernetes", "ml-eks-k8s", "ml"),
    ]
    assert all(asked.provider == "urn:aws::id" for asked in monitor.asked.values() if asked.type.startswith("aws:"))
    assert {urn.rpartition("::")[2] for urn in monitor.finished} == {"ml", "ml-eksRole"}


def test_the_control_plane(engine):
    monitor, endpoint = engine

    construct(endpoint, INPUTS)

    asked = monitor.asked["ml-eksCluster"]
    assert to_python(asked.object) == {
        "name": "ml",
        "version": "1.35",
        "roleArn": "arn:aws:iam::111122223333:role/control-plane",
        "bootstrapSelfManagedAddons": True,
        "vpcConfig": {
            "subnetIds": ["subnet-1", "subnet-2"],
            "endpointPrivateAccess": True,
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["203.0.113.0/24"],
        },
        "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
        "tags": {"Name": "ml-eksCluster", "owner": "ml-platform"},
    }
    assert list(asked.propertyDependencies["vpcConfig"].urns) == ["urn:subnet"]
    assert "urn:subnet" in asked.dependencies
    assert list(asked.ignoreChanges) == [
        "accessConfig.bootstrapClusterCreatorAdminPermissions",
        "bootstrapSelfManagedAddons",
    ]


def test_its_role_and_the_policy_of_the_partition(engine):
    """The role itself is handed to the attachment, as a reference; the name of the attachment is the same everywhere."""
    monitor, endpoint = engine
    monitor.partition = "aws-cn"

    construct(endpoint, INPUTS)

    role, attachment = monitor.asked["ml-eksRole-role"].object, monitor.asked["ml-eksRole-4b490823"].object
    assert to_python(role)["assumeRolePolicy"] == (
        '{"Version":"2012-10-17","Statement":[{"Action":["sts:AssumeRole","sts:TagSession"],"Effect":"Allow",'
        '"Principal":{"Service":["eks.amazonaws.com"]}}]}'
    )
    assert attachment["policyArn"] == "arn:aws-cn:iam::aws:policy/AmazonEKSClusterPolicy"
    assert dict(attachment["role"]) == {
        wire.SIGNATURE: wire.RESOURCE,
        "urn": "urn:pulumi:test::project::aws:iam/role:Role::ml-eksRole-role",
        "id": "id-of-ml-eksRole-role",
    }
    assert to_python(attachment)["role"] == "id-of-ml-eksRole-role"


def test_an_access_entry_has_all_that_the_program_says(engine):
    monitor, endpoint = engine
    entry = {
        "principalArn": "arn:aws:iam::111122223333:role/viewers",
        "kubernetesGroups": ["viewers"],
        "type": "STANDARD",
        "username": "viewer",
        "tags": {"owner": "ml-platform"},
    }

    construct(endpoint, {**INPUTS, "accessEntries": {"viewers": entry}})

    username = entry.pop("username")
    assert to_python(monitor.asked["ml-viewers"].object) == {**entry, "clusterName": "ml", "userName": username}


def test_an_association_depends_on_its_entry(engine):
    monitor, endpoint = engine

    construct(endpoint, INPUTS)

    asked = monitor.asked["ml-admins-admin"]
    assert to_python(asked.object) == {
        "clusterName": "ml",
        "principalArn": "arn:aws:iam::111122223333:role/admins",
        "policyArn": ADMIN,
        "accessScope": {"type": "cluster"},
    }
    assert {urn.rpartition("::")[2] for urn in asked.dependencies} == {"ml-eksCluster", "ml-admins"}


def test_secrets_are_encrypted_with_a_key_of_ones_own(engine):
    monitor, endpoint = engine
    key = "arn:aws:kms:us-east-2:111122223333:key/k"

    construct(endpoint, {**INPUTS, "encryptionConfigKeyArn": key})

    encryption = to_python(monitor.asked["ml-eksCluster"].object)["encryptionConfig"]
    assert encryption == {"provider": {"keyArn": key}, "resources": ["secrets"]}


def test_its_kubeconfigs(engine):
    """The provider logs in with the profile of the deployment; who is shown the kubeconfig brings one's own."""
    monitor, endpoint = engine

    outputs = construct(endpoint, {**INPUTS, "providerCredentialOpts": {"profileName": "deployer"}})

    own = json.loads(to_python(monitor.asked["ml-eks-k8s"].object)["kubeconfig"])
    shown = json.loads(outputs["kubeconfigJson"])
    arguments = ["--region", "us-east-2", "eks", "get-token", "--cluster-name", "ml", "--output", "json"]
    assert shown["users"][0]["user"]["exec"]["args"] == arguments
    assert own["users"][0]["user"]["exec"]["args"] == [*arguments, "--profile", "deployer"]
    assert shown["clusters"][0]["cluster"] == {"server": "https://ml.example.com", "certificate-authority-data": "Y2E="}
    assert outputs["kubeconfig"] == shown
    assert outputs["eksCluster"] == "id-of-ml-eksCluster"


@pytest.mark.parametrize("engine", [{}], indirect=True, ids=["preview"])
def test_what_a_preview_does_not_know(engine):
    monitor, endpoint = engine

    outputs = construct(endpoint, INPUTS)

    assert outputs["kubeconfig"] == outputs["kubeconfigJson"] == UNKNOWN
    assert to_python(monitor.asked["ml-eksCluster"].object)["roleArn"] == UNKNOWN
    assert to_python(monitor.asked["ml-eksRole-4b490823"].object)["role"] == UNKNOWN


REFUSED = [
    ({"instanceType": "g6.2xlarge", "fargate": True}, "does not know fargate, instanceType of eks:index:Cluster"),
    ({"skipDefaultNodeGroup": False}, "with skipDefaultNodeGroup=True only"),
    ({"useDefaultVpcCni": None}, "with useDefaultVpcCni=True only"),
    ({"authenticationMode": "CONFIG_MAP"}, "with authenticationMode=API only"),
    ({"endpointPublicAccess": False}, "`publicAccessCidrs` can only be set when `endpointPublicAccess` is true"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_is_refused_registers_nothing(engine, changes, words):
    monitor, endpoint = engine

    with pytest.raises(AbortedError, match=words):
        construct(endpoint, {**INPUTS, **changes})
    assert monitor.asked == {}


def test_another_component_is_refused_by_its_name(engine):
    with pytest.raises(AbortedError, match="does not know the component eks:index:ManagedNodeGroup"):
        construct(engine[1], {}, "eks:index:ManagedNodeGroup")
