"""The storage of a stack: what is made for each kind, with which rights, and what pods wait for."""

import json

import pytest

from eks_accelerators.settings.storage_use import ADDON_ACCOUNTS
from tests.test_program import deployed

QWEN, VOLUMES = "workloads.vllm.qwen", "workloads.vllm.qwen.volumes"
BOTH = {"workloads.vllm.other": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu", "replicas": 1}}
LUSTRE = {"fsxLustre": {"zone": "us-east-2a", "deploymentType": "PERSISTENT_2", "throughputMibpsPerTib": 125}}
ALL = {
    "nodeGroups.gpu.zones": ["us-east-2a"],
    "nodeGroups.gpu.localNvme": "raid0",
    "storage.checkpoints": LUSTRE,
    "storage.home.efs": {"onDestroy": "delete"},
    "storage.weights.s3Bucket": {"bucket": "models", "prefix": "qwen/", "cacheGib": 50},
    "storage.results.s3Bucket": {"bucket": "results", "write": True},
    "storage.files.s3Files": {"bucket": "shared", "onDestroy": "keep"},
    "storage.scratch.nodeCache": {},
    VOLUMES: {
        "checkpoints": {"mountPath": "/checkpoints", "subPath": "qwen"},
        "home": {"mountPath": "/home"},
        "weights": {"mountPath": "/weights", "readOnly": True},
        "results": {"mountPath": "/results"},
        "files": {"mountPath": "/files"},
        "scratch": {"mountPath": "/scratch"},
    },
}


@pytest.fixture(scope="module")
def stack():
    deployment = deployed(ALL)
    assert deployment.error is None
    return deployment


def by_name(resources):
    return {resource.name: resource.inputs for resource in resources}


def test_a_volume_for_each_storage(stack, snapshot):
    assert {name: volume["spec"] for name, volume in by_name(stack.of("PersistentVolume")).items()} == snapshot


def test_a_claim_is_of_the_one_volume_that_is_for_it(stack):
    volumes = by_name(stack.of("PersistentVolume"))

    for claim in stack.of("PersistentVolumeClaim"):
        metadata, spec = claim.inputs["metadata"], claim.inputs["spec"]
        assert volumes[spec["volumeName"]]["spec"]["claimRef"] == {
            "namespace": metadata["namespace"],
            "name": metadata["name"],
        }
        # The default class would make an EBS volume.
        assert spec["storageClassName"] == ""
        assert "storageClassName" not in volumes[spec["volumeName"]]["spec"]
    assert len(stack.of("PersistentVolumeClaim")) == len(volumes) == 6


def test_pods_mount_claims_by_name(stack, snapshot):
    pod = stack.one("Deployment").inputs["spec"]["template"]["spec"]

    assert [volume for volume in pod["volumes"] if volume["name"].startswith("storage-")] == snapshot
    mounts = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["name"].startswith("storage-")]
    assert mounts == snapshot


def test_pods_wait_for_their_volumes_and_volumes_for_their_drivers(stack):
    addons = {resource.urn for resource in stack.of("Addon") if "storage" in resource.name}
    claims = {resource.urn for resource in stack.of("PersistentVolumeClaim")}

    assert claims <= stack.one("Deployment").dependencies
    assert all(addons <= resource.dependencies for resource in stack.of("PersistentVolume"))


def test_drivers_have_rights_for_what_the_stack_names(stack, snapshot):
    policies = {
        resource.name: json.loads(resource.inputs["policy"])["Statement"]
        for resource in stack.of("RolePolicy")
        if "policy" in resource.inputs and resource.inputs["policy"].startswith("{")
    }

    assert policies == snapshot


def test_file_systems(stack, snapshot):
    kinds = ("LustreFileSystem", "FileSystem", "FilesFileSystem")

    assert {resource.name: resource.inputs for kind in kinds for resource in stack.of(kind)} == snapshot


def test_file_systems_are_reached_at_their_ports_by_nodes_only(stack, snapshot):
    shown = {
        rule.name: {key: rule.inputs.get(key) for key in ("ipProtocol", "fromPort", "toPort")}
        for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule")
        for rule in stack.of(kind)
    }

    assert shown == snapshot
    assert not [rule for rule in stack.of("SecurityGroupIngressRule") if "cidrIpv4" in rule.inputs]


def test_what_becomes_of_a_file_system_is_chosen(stack):
    fates = {
        resource.name.rpartition("-")[2]: (resource.protect, resource.retain_on_delete)
        for kind in ("LustreFileSystem", "FileSystem", "FilesFileSystem")
        for resource in stack.of(kind)
    }

    assert fates == {"checkpoints": (True, False), "home": (False, False), "files": (False, True)}


@pytest.mark.parametrize(("fate", "kept"), [("keep", True), ("delete", False)])
def test_a_file_system_that_stays_keeps_its_security_group_without_its_rules(fate, kept):
    """AWS deletes no group that is in use, and no group that a rule of another names."""
    deployment = deployed({"storage.runs": {"fsxLustre": {**LUSTRE["fsxLustre"], "onDestroy": fate}}})
    assert deployment.error is None

    (group,) = [each for each in deployment.of("SecurityGroup") if each.name.endswith("runs-storage")]
    rules = [*deployment.of("SecurityGroupIngressRule"), *deployment.of("SecurityGroupEgressRule")]
    assert group.retain_on_delete is kept
    assert {each.retain_on_delete for each in rules if "runs" in each.name} == {False}


def test_a_volume_for_each_namespace():
    """A claim is of one namespace, and a volume of one claim; the file system is one."""
    deployment = deployed(
        {
            **BOTH,
            "workloads.vllm.other.namespace": "others",
            "storage.home.efs": {},
            f"{VOLUMES}.home.mountPath": "/home",
            "workloads.vllm.other.volumes.home.mountPath": "/home",
            "workloads.vllm.qwen.replicas": 1,
        }
    )

    assert deployment.error is None
    assert sorted(volume.name for volume in deployment.of("PersistentVolume")) == ["home.llm", "home.others"]
    assert len(deployment.of("FileSystem")) == 1


def test_only_drivers_that_are_needed():
    drivers = set(ADDON_ACCOUNTS)

    def addons(patch):
        return {r.inputs["addonName"] for r in deployed(patch).of("Addon")} & drivers

    assert addons({}) == set()
    assert addons({"storage.home.efs": {}}) == set()  # nobody mounts it
    assert addons({"storage.home.efs": {}, f"{VOLUMES}.home.mountPath": "/home"}) == {"aws-efs-csi-driver"}


STREAMED = {f"{QWEN}.weightsFromS3": {"bucket": "models", "prefix": "qwen/"}}


def test_a_server_that_streams_its_weights(snapshot):
    deployment = deployed(STREAMED)

    (container,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    assert container["args"][: container["args"].index("--dtype")] == snapshot
    assert [each for each in container["env"] if each["name"].startswith("RUNAI")] == snapshot


def test_a_server_may_read_its_weights_before_it_starts():
    deployment = deployed(STREAMED)

    (association,) = deployment.of("PodIdentityAssociation")
    assert (association.inputs["namespace"], association.inputs["serviceAccount"]) == ("llm", "qwen")
    assert association.urn in deployment.one("Deployment").dependencies
    (policy,) = [resource for resource in deployment.of("RolePolicy") if "weights" in resource.name]
    assert json.loads(policy.inputs["policy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["s3:ListBucket"],
            "Resource": "arn:aws:s3:::models",
            "Condition": {"StringLike": {"s3:prefix": ["qwen/", "qwen/*"]}},
        },
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::models/qwen/*"},
    ]


SYNCED = {f"{QWEN}.huggingFaceToken.secretsManager": {"name": "ml/hugging-face", "key": "token"}}


def test_a_token_of_secrets_manager(snapshot):
    """The pod reads the Secret that External Secrets makes, which may read that one secret of AWS and no other."""
    deployment = deployed(SYNCED)

    assert deployment.error is None
    assert [each.inputs["spec"] for each in deployment.of("ExternalSecret")] == snapshot
    assert [each.inputs["spec"] for each in deployment.of("SecretStore")] == snapshot
    (policy,) = [each for each in deployment.of("RolePolicy") if each.name.endswith("external-secrets-secrets")]
    assert json.loads(policy.inputs["policy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
            "Resource": ["arn:aws:secretsmanager:us-east-2:*:secret:ml/hugging-face-??????"],
        }
    ]


def test_a_pod_reads_the_secret_that_is_made_of_it():
    deployment = deployed(SYNCED)

    (container,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    (token,) = [each for each in container["env"] if each["name"] == "HF_TOKEN"]
    made = deployment.one("ExternalSecret").inputs
    assert token["valueFrom"]["secretKeyRef"] == {
        "name": made["spec"]["target"]["name"],
        "key": made["spec"]["data"][0]["secretKey"],
    }
    assert made["metadata"]["namespace"] == "llm"
    assert deployment.one("ExternalSecret").urn in deployment.one("Deployment").dependencies
    assert deployment.of("Secret") == []


def test_without_such_a_secret_external_secrets_is_not_there():
    assert "external-secrets" not in {each.name for each in deployed({}).of("Release")}
