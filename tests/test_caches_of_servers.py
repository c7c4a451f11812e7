"""A cache on a storage of the stack: one volume for every server and for the Job that compiles ahead, and no storage class by hand."""

import pytest

from eks_accelerators.components import NeuronVllmServer
from eks_accelerators.settings.storage_cost import storage_costs
from tests.components.examples import deployed as component_alone
from tests.settings.example import check
from tests.test_every_server import ASKED, container, patch, pod
from tests.test_program import deployed

WITH_CACHE = [kind for kind, (_, wanted) in ASKED.items() if "model" in wanted]
ON_SHARED = {"storage": "shared"}
EFS = {"storage.shared.efs": {"expectedGib": 50}}
AHEAD = {"systemNodeGroup.instanceTypes": ["m7i.2xlarge"], "workloads.neuronVllm.neuronvllm.compileAhead": {}}
EVERYBODY = {**patch(*WITH_CACHE, cache=ON_SHARED), **EFS, **AHEAD, "storage.models": {"s3Bucket": {"bucket": "ours"}}}


@pytest.fixture(scope="module")
def made():
    """A server of every kind that keeps a cache, all on one file system."""
    stack = deployed(EVERYBODY)
    assert stack.error is None, stack.error
    return stack


def mounted(spec):
    """Volume and mount of the one storage, in a pod of one container."""
    (volume,) = [each for each in spec["volumes"] if each["name"] == "storage-shared"]
    (mount,) = [each for each in spec["containers"][0]["volumeMounts"] if each["name"] == "storage-shared"]
    return volume["persistentVolumeClaim"], mount


def test_nothing_is_claimed_of_a_storage_class(made):
    claims = [each.inputs for each in made.of("PersistentVolumeClaim")]

    assert len(made.of("FileSystem")) == 1
    assert {each["metadata"]["namespace"] for each in claims} == {"llm", "nim"}
    assert {(each["metadata"]["name"], each["spec"]["storageClassName"]) for each in claims} == {("shared", "")}
    assert [each.inputs["metadata"]["name"] for each in made.of("StorageClass")] == ["gp3"]


@pytest.mark.parametrize("kind", WITH_CACHE)
def test_a_server_keeps_its_cache_in_a_directory_of_its_own(made, kind):
    claim, mount = mounted(pod(kind, made))
    without = {each["mountPath"] for each in container(kind)["volumeMounts"]}

    assert claim == {"claimName": "shared"}
    assert mount["subPath"] == kind.lower()
    assert mount["mountPath"] in without
    assert {each["mountPath"] for each in container(kind, made)["volumeMounts"]} <= without


@pytest.mark.parametrize("kind", WITH_CACHE)
def test_a_server_waits_for_the_volume(made, kind):
    (server,) = [each for each in made.of("Deployment") if each.name == kind.lower()]
    namespace = server.inputs["metadata"]["namespace"]
    (claim,) = [each for each in made.of("PersistentVolumeClaim") if each.inputs["metadata"]["namespace"] == namespace]

    assert claim.urn in server.dependencies


def test_the_job_fills_what_the_servers_read(made):
    (job,) = made.of("Job")
    compiler, server = job.inputs["spec"]["template"]["spec"], pod("neuronVllm", made)
    (claim,) = [each for each in made.of("PersistentVolumeClaim") if each.inputs["metadata"]["namespace"] == "llm"]

    assert mounted(compiler) == mounted(server)
    assert claim.urn in job.dependencies
    assert "fsGroup" not in compiler["securityContext"]  # everybody is the access point's user
    assert [each.inputs["posixUser"] for each in made.of("AccessPoint")] == [{"uid": 1000, "gid": 1000}]


@pytest.mark.parametrize(
    ("changes", "waits"),
    [
        pytest.param({}, True, id="no-node-is-there-yet"),
        pytest.param({"huggingFaceToken": {"existingSecret": "later"}}, False, id="nor-a-token"),
    ],
)
def test_servers_wait_for_the_job_wherever_it_can_end(changes, waits):
    token = {"huggingFaceToken": {"configSecret": "token"}, **changes}
    asleep = {"nodeGroups.neuronvllm.size": {"desired": 0, "max": 2}}
    server = patch("neuronVllm", cache=ON_SHARED, compileAhead={}, **token)
    made = deployed(
        {**server, **EFS, **asleep, "systemNodeGroup.instanceTypes": ["m7i.2xlarge"]}, {"token": "hf_secret"}
    )
    (job,) = made.of("Job")

    assert "pulumi.com/skipAwait" in made.one("Deployment").inputs["metadata"]["annotations"]
    assert ("pulumi.com/skipAwait" not in job.inputs["metadata"]["annotations"]) is waits


def test_a_storage_that_is_mounted_and_cached_on_is_one_volume():
    """Before Kubernetes 1.35 a kubelet starts no pod with two volumes of one claim; read-only is the mount then, not the volume."""
    reads = {"volumes": {"shared": {"mountPath": "/data", "readOnly": True}}}
    spec = pod("vllm", deployed({**patch("vllm", cache=ON_SHARED, **reads), **EFS}))
    mounts = [each for each in spec["containers"][0]["volumeMounts"] if each["name"] == "storage-shared"]

    assert [each for each in spec["volumes"] if each["name"] == "storage-shared"] == [
        {"name": "storage-shared", "persistentVolumeClaim": {"claimName": "shared"}}
    ]
    assert mounts == [
        {"name": "storage-shared", "mountPath": "/models", "subPath": "vllm"},
        {"name": "storage-shared", "mountPath": "/data", "readOnly": True},
    ]


def test_two_servers_may_share_a_directory():
    shared = {**ON_SHARED, "subPath": "models/llama"}
    made = deployed({**patch("vllm", "nim", cache=shared), **EFS})

    assert {mounted(pod(kind, made))[1]["subPath"] for kind in ("vllm", "nim")} == {"models/llama"}


def test_price_and_fate_are_those_of_the_storage():
    settings = check({**EVERYBODY, "storage.shared.efs.onDestroy": "delete"}).require().settings
    (shared,) = [each for each in storage_costs(settings) if each.name == "storage shared: EFS, 50 GiB"]

    assert shared.note == "destroy deletes it and its data; cache of vllm, neuronvllm, nim"


def test_by_itself_a_component_names_a_claim_that_is_there():
    made = component_alone(NeuronVllmServer, {"cache": {"storage": "compiled", "sub_path": "a"}}, name="llama")
    spec = made.one("Deployment").inputs["spec"]["template"]["spec"]

    assert made.of("PersistentVolumeClaim") == []
    assert {"name": "storage-compiled", "mountPath": "/cache", "subPath": "a"} in spec["containers"][0]["volumeMounts"]
