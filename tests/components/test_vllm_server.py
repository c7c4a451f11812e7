"""A vLLM server: what it is started with, where it runs, and what is refused before it would fail."""

import pulumi
import pytest

from eks_accelerators.components import VllmServer
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import SERVED, deployed, run
from tests.components.harness import SECRET, leaves

LLAMA = "meta-llama/Llama-3.2-1B"
QWEN_7B = "Qwen/Qwen2.5-7B-Instruct"
P5 = {**SERVED, "instance_type": "p5.48xlarge"}

CLAIMED = {
    "serves_on": {**SERVED, "instance_type": "g6.12xlarge", "dynamic_resource_allocation": True},
    "tensor_parallel_size": 2,
    "namespace": "llm",
}


def shared(replicas):
    return {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": replicas}}


def llama(replicas):
    return {"model": LLAMA, "serves_on": shared(replicas), "replicas": replicas, "existing_token_secret": "token"}


def server(changes=None, **options):
    return deployed(VllmServer, changes, name="llm-server", **options).one("Deployment").inputs


def pod(changes=None):
    return server(changes)["spec"]["template"]["spec"]


def container(changes=None):
    (only,) = pod(changes)["containers"]
    return only


def argument(args, name):
    return args[args.index(name) + 1]


def test_everything_at_once(snapshot):
    assert server(llama(4)) == snapshot


@pytest.mark.parametrize(
    ("changes", "eager"),
    [
        pytest.param(llama(4), True, id="share"),
        pytest.param({}, False, id="whole-gpu"),
        pytest.param({"cuda_graphs": False}, True, id="turned-off"),
        pytest.param({**llama(2), "cuda_graphs": True}, False, id="demanded-on-a-share"),
    ],
)
def test_servers_with_their_own_gpu_use_cuda_graphs(changes, eager):
    assert ("--enforce-eager" in container(changes)["args"]) is eager


def test_compiled_programs_are_kept_where_the_weights_are():
    """The directory is that of the cache volume where there is one."""
    made = container({"cache": {"size_gib": 10}})
    variables, (mount, _) = {each["name"]: each.get("value") for each in made["env"]}, made["volumeMounts"]

    assert variables["VLLM_CACHE_ROOT"].startswith(f"{mount['mountPath']}/")


def test_arguments_keep_each_server_to_its_share():
    args = container(llama(4))["args"]

    assert argument(args, "--model") == LLAMA
    assert argument(args, "--max-model-len") == "4096"
    assert argument(args, "--dtype") == "bfloat16"
    assert 0.15 < float(argument(args, "--gpu-memory-utilization")) <= 0.92 / 4
    assert int(argument(args, "--kv-cache-memory-bytes")) >= 4 * 4096 * 32 * 1024
    assert "--tensor-parallel-size" not in args


def test_half_precision_where_the_gpu_has_no_bfloat16():
    assert argument(container({"serves_on": {**SERVED, "instance_type": "g4dn.xlarge"}})["args"], "--dtype") == "half"


def test_four_fit_one_l4():
    made = server(llama(4))

    assert made["spec"]["replicas"] == 4


def test_ten_do_not_and_the_arithmetic_says_why():
    deployment = run(VllmServer, llama(10))

    assert isinstance(deployment.error, SettingsError)
    assert "exceed the" in str(deployment.error)
    assert "weights" in str(deployment.error)
    assert "GiB" in str(deployment.error)
    assert deployment.of("VllmServer") == deployment.of("Deployment") == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"model": LLAMA}, "workload-token", id="gated-without-token"),
        pytest.param({"serves_on": {**SERVED, "instance_type": "trn1.2xlarge"}}, "workload-not-on-gpu", id="trainium"),
        pytest.param({"tensor_parallel_size": 2}, "workload-tensor-parallel", id="more-gpus-than-there-are"),
        pytest.param({"resource_name": "nvidia.com/gpu.shared"}, "workload-resource-name", id="nobody-advertises-it"),
        pytest.param({"tolerations": []}, "workload-toleration", id="kept-away-by-the-taint"),
        pytest.param({"efa_interfaces": 1}, "workload-efa", id="no-efa"),
        pytest.param({"model": "unknown/model"}, "workload-model-unknown", id="unknown-model"),
    ],
)
def test_refused(changes, code):
    deployment = run(VllmServer, changes)

    assert code in {problem.code for problem in deployment.error.problems}
    assert deployment.of("VllmServer") == []


def secret_token():
    return {"model": LLAMA, "hugging_face_token": pulumi.Output.secret("hf_plain")}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(secret_token, id="given-as-a-secret"),
        pytest.param({"model": LLAMA, "hugging_face_token": "hf_plain"}, id="given-as-text"),
    ],
)
@pytest.mark.parametrize("preview", [True, False], ids=["preview", "up"])
def test_the_token_is_never_sent_in_plain(changes, preview):
    deployment = deployed(VllmServer, changes, name="llm-server", preview=preview)

    assert deployment.one("Secret").inputs["stringData"] == SECRET
    sent = [leaf for resource in deployment.resources for leaf in leaves(resource.inputs)]
    assert not [leaf for leaf in sent if "hf_plain" in str(leaf)]
    assert "hf_plain" not in "".join(deployment.log)


def test_the_server_reads_the_token_from_the_secret():
    (only,) = (
        deployed(VllmServer, secret_token, name="llm-server")
        .one("Deployment")
        .inputs["spec"]["template"]["spec"]["containers"]
    )

    reference = {"secretKeyRef": {"name": "llm-server-hugging-face", "key": "token"}}
    assert {"name": "HF_TOKEN", "valueFrom": reference} in only["env"]


def test_a_secret_that_is_there_is_used():
    deployment = deployed(VllmServer, llama(4))

    assert deployment.of("Secret") == []
    (only,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    assert only["env"][-1]["valueFrom"]["secretKeyRef"]["name"] == "token"


def test_no_pod_is_added_before_one_has_gone():
    """A surge pod would wait for a share that is not there."""
    assert server()["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
    }


def test_one_server_at_a_time_may_be_drained():
    deployment = deployed(VllmServer)

    budget, template = deployment.one("PodDisruptionBudget").inputs, server()["spec"]["template"]
    assert budget["spec"]["maxUnavailable"] == 1
    selectors = [
        budget["spec"]["selector"]["matchLabels"],
        deployment.one("Service").inputs["spec"]["selector"],
        deployment.one("Deployment").inputs["spec"]["selector"]["matchLabels"],
    ]
    assert selectors == [deployment.one("Deployment").inputs["spec"]["template"]["metadata"]["labels"]] * 3
    assert template["metadata"]["labels"]["app.kubernetes.io/name"] == "vllm"


def test_probes_give_the_download_time():
    made = container()

    assert {made[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")} == {
        "/health"
    }
    assert made["startupProbe"]["periodSeconds"] * made["startupProbe"]["failureThreshold"] >= 600


def test_weights_are_kept_on_a_volume_where_asked():
    deployment = deployed(VllmServer, {"cache": {"size_gib": 20}}, name="llm-server")

    claim = deployment.one("PersistentVolumeClaim").inputs
    assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert claim["spec"]["resources"] == {"requests": {"storage": "20Gi"}}
    volume = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["volumes"][0]
    assert volume == {"name": "models", "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}


def test_a_volume_for_several_servers_can_be_shared():
    cache = {"size_gib": 20, "storage_class": "efs"}
    claim = deployed(VllmServer, {**llama(4), "cache": cache}).one("PersistentVolumeClaim").inputs["spec"]

    assert (claim["accessModes"], claim["storageClassName"]) == (["ReadWriteMany"], "efs")


def test_without_one_each_pod_downloads_them():
    assert pod()["volumes"][0] == {"name": "models", "emptyDir": {}}


def test_it_runs_on_its_group_and_nowhere_else():
    made = pod({"serves_on": {**SERVED, "taints": [{"key": "team", "value": "ml"}]}})

    assert made["nodeSelector"] == {"eks-accelerators/node-group": "gpu"}
    assert [(t["key"], t["value"], t["effect"]) for t in made["tolerations"]] == [
        ("nvidia.com/gpu", "true", "NoSchedule"),
        ("team", "ml", "NoSchedule"),
    ]


def test_a_selector_of_one_s_own():
    assert pod({"serves_on": {**SERVED, "node_selector": {"pool": "a"}}})["nodeSelector"] == {"pool": "a"}


def test_shares_that_have_another_name_are_asked_for_by_it():
    sharing = {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True}
    resources = container({"serves_on": {**SERVED, "sharing": sharing}})["resources"]

    assert resources["requests"]["nvidia.com/gpu.shared"] == resources["limits"]["nvidia.com/gpu.shared"] == "1"
    assert "nvidia.com/gpu" not in resources["requests"]


def test_tensor_parallel_on_a_p5():
    changes = {"model": QWEN_7B, "serves_on": P5, "tensor_parallel_size": 4}
    made = container(changes)

    assert argument(made["args"], "--tensor-parallel-size") == "4"
    assert made["resources"]["limits"]["nvidia.com/gpu"] == "4"


def test_efa_brings_huge_pages():
    serves = {**P5, "efa": {"enabled": True}, "zones": ["us-east-2a"]}
    deployment = run(VllmServer, {"serves_on": serves, "efa_interfaces": 8})

    assert deployment.error is None, deployment.error
    (only,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    for kind in ("requests", "limits"):
        assert only["resources"][kind]["vpc.amazonaws.com/efa"] == "8"
        assert only["resources"][kind]["hugepages-2Mi"] == "5120Mi"


@pytest.mark.parametrize(("desired", "waits"), [pytest.param(1, True, id="nodes"), pytest.param(0, False, id="none")])
def test_a_deployment_waits_only_for_nodes_that_will_be_there(desired, waits):
    made = server({"serves_on": {**SERVED, "size": {"desired": desired, "max": 2}}})

    assert ("pulumi.com/skipAwait" in made["metadata"].get("annotations", {})) is not waits


def test_the_service_leaves_the_waiting_to_the_deployment():
    """Pulumi waits ten minutes for the pods of a Service, and the first start may take longer."""
    made = deployed(VllmServer, name="llm-server").one("Service").inputs

    assert made["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


def test_pods_have_no_more_rights_than_they_need():
    made = pod()

    assert made["automountServiceAccountToken"] is False
    assert made["enableServiceLinks"] is False
    assert made["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert made["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


def test_gpus_are_claimed_where_the_group_says_so():
    """Two GPUs in one claim: the scheduler finds both on one node, or none."""
    deployment = deployed(VllmServer, CLAIMED, name="llm-server")

    template = deployment.one("ResourceClaimTemplate")
    exactly = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 2}
    assert template.inputs["spec"] == {"spec": {"devices": {"requests": [{"name": "gpus", "exactly": exactly}]}}}
    assert template.inputs["metadata"]["namespace"] == "llm"
    made = deployment.one("Deployment").inputs["spec"]["template"]["spec"]
    (only,) = made["containers"]
    assert made["resourceClaims"] == [{"name": "gpus", "resourceClaimTemplateName": "llm-server-gpus-1a2b3c4d"}]
    assert only["resources"] == {
        "requests": {"cpu": "1", "memory": "6Gi"},
        "limits": {"memory": "10Gi"},
        "claims": [{"name": "gpus"}],
    }
    assert [toleration["key"] for toleration in made["tolerations"]] == ["nvidia.com/gpu"]


def test_a_changed_claim_is_a_new_template():
    """Kubernetes refuses a changed spec; a name of its own lets the new one be there before the old one goes."""
    template = deployed(VllmServer, CLAIMED).one("ResourceClaimTemplate")

    assert "name" not in template.inputs["metadata"]
    assert list(template.raw.replaceOnChanges) == ["spec"]


def test_nothing_is_claimed_where_the_device_plugin_serves():
    deployment = deployed(VllmServer)

    assert deployment.of("ResourceClaimTemplate") == []
    assert "resourceClaims" not in deployment.one("Deployment").inputs["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"sharing": {"strategy": "timeSlicing", "replicas": 2}}, "claimed-shared", id="shared"),
        pytest.param({"instance_type": "trn1.2xlarge"}, "claimed-not-nvidia", id="trainium"),
    ],
)
def test_what_cannot_be_claimed(changes, code):
    deployment = run(VllmServer, {"serves_on": {**SERVED, "dynamic_resource_allocation": True, **changes}})

    assert code in {problem.code for problem in deployment.error.problems}
