"""A vLLM server that spans nodes: a LeaderWorkerSet, whose pods are one server."""

import json
from pathlib import Path

import kubernetes_validate
import pytest

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.components import PytorchJob, VllmServer
from eks_accelerators.components.charts import catalogue
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import SERVED, deployed, run
from tests.settings.rules.servers_across_nodes import TWO_P5
from tests.settings.rules.servers_across_nodes import server as in_stack_file
from tests.test_program import deployed as stack_deployed

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "leader_worker_set.json").read_text())
FLAGS = json.loads((HERE / "vllm_flags.json").read_text())

P5 = {**SERVED, "name": "p5", "instance_type": "p5.48xlarge", "size": {"desired": 2, "max": 4}, "zones": ["us-east-2a"]}
WITH_EFA = {**P5, "efa": {"enabled": True}}
BIG = {
    "model": "Qwen/Qwen2.5-72B-Instruct",
    "serves_on": WITH_EFA,
    "nodes_per_replica": 2,
    "tensor_parallel_size": 8,
    "efa_interfaces": 32,
    "resources": {"cpu": "96", "memory_gib": 1024, "memory_limit_gib": 1536},
}


def server(changes=None):
    return deployed(VllmServer, {**BIG, **(changes or {})}, name="big")


def templates(changes=None):
    template = server(changes).one("LeaderWorkerSet").inputs["spec"]["leaderWorkerTemplate"]
    return template["leaderTemplate"], template["workerTemplate"]


def containers(changes=None):
    return [each["spec"]["containers"][0] for each in templates(changes)]


def argument(args, name):
    return args[args.index(name) + 1]


def leaves(value, path):
    """Every value of the set by its path, as far as the kind is its own."""
    if path.endswith("leaderWorkerTemplate") or (isinstance(value, dict) and not path.endswith("Template")):
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}")
    else:
        yield path, value


def flags(args):
    return {each for each in args if each.startswith("--")}


def test_the_whole_set(snapshot):
    assert server().one("LeaderWorkerSet").inputs == snapshot


def test_its_keys_are_those_of_the_kind():
    made = server().one("LeaderWorkerSet").inputs
    kinds = {"integer": int, "template": dict, "integer or string": int}

    assert (made["apiVersion"], made["kind"]) == (RECORDED["apiVersion"], RECORDED["kind"])
    for path, value in leaves(made["spec"], "spec"):
        allowed = RECORDED["keys"][path]
        assert value in allowed if isinstance(allowed, list) else isinstance(value, kinds[allowed]), path


def test_the_schema_is_of_the_version_that_is_installed():
    assert catalogue()["lws"]["version"] == RECORDED["version"]


def test_its_pods_are_valid():
    for template in templates():
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": template["spec"]}
        kubernetes_validate.validate(pod, kubernetes_versions.default(), strict=True)


@pytest.mark.parametrize("nodes", [pytest.param(1, id="one-node"), pytest.param(2, id="two-nodes")])
def test_every_argument_is_one_of_the_vllm_in_the_image(nodes):
    deployment = server({"nodes_per_replica": nodes})
    if nodes > 1:
        (_, worker) = containers()
    else:
        (worker,) = deployment.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
    version = FLAGS["images"][worker["image"]]
    known = set(FLAGS["flags"]) - set(FLAGS["not_in"].get(version, ()))

    assert flags(worker["args"]) <= known


def test_tensor_parallel_in_a_node_and_pipeline_parallel_between_them():
    leader, worker = (each["args"] for each in containers())

    assert worker == [*leader, "--headless"]
    assert argument(leader, "--tensor-parallel-size") == "8"
    assert argument(leader, "--pipeline-parallel-size") == argument(leader, "--nnodes") == "2"
    assert argument(leader, "--node-rank") == "$(LWS_WORKER_INDEX)"
    assert argument(leader, "--master-addr") == "$(LWS_LEADER_ADDRESS)"


def test_nobody_gives_up_while_another_node_downloads():
    leader, worker = containers()
    probe = leader["startupProbe"]

    patience = probe["periodSeconds"] * probe["failureThreshold"]
    assert patience >= 3600
    assert patience - 10 < int(argument(worker["args"], "--distributed-timeout-seconds")) <= patience


def test_the_leader_alone_answers():
    leader, worker = containers()
    made = server({"network_policy": {"namespaces": ["web"]}})
    labels = {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "big"}

    assert leader["ports"]
    assert not {"ports", "startupProbe", "readinessProbe", "livenessProbe"} & worker.keys()
    assert made.one("Service").inputs["spec"]["selector"] == {
        **labels,
        "leaderworkerset.sigs.k8s.io/worker-index": "0",
    }
    assert {"from": [{"podSelector": {"matchLabels": labels}}]} in made.one("NetworkPolicy").inputs["spec"]["ingress"]


def test_the_others_stay_while_the_leader_finishes():
    (leader, worker) = templates()

    assert leader["spec"]["terminationGracePeriodSeconds"] == worker["spec"]["terminationGracePeriodSeconds"] > 30
    assert "sleep" in leader["spec"]["containers"][0]["lifecycle"]["preStop"]
    assert "LWS_LEADER_ADDRESS" in str(worker["spec"]["containers"][0]["lifecycle"]["preStop"]["exec"])


def test_sigterm_reaches_vllm():
    """The entrypoint of the image is a shell that waits for vLLM, and hands nothing on."""
    assert [each["command"] for each in containers()] == [["vllm", "serve"]] * 2


def test_every_pod_has_all_of_its_node():
    for container in containers():
        assert container["image"] == catalogue()["vllm-efa"]["image"]
        assert container["resources"]["limits"] == {
            "memory": "1536Gi",
            "nvidia.com/gpu": "8",
            "vpc.amazonaws.com/efa": "32",
            "hugepages-2Mi": "5120Mi",
        }


def test_no_variable_of_nccl_is_set():
    names = {each["name"] for container in containers() for each in container["env"]}

    assert names == {"HF_HOME", "VLLM_CACHE_ROOT"}


def test_the_pods_of_one_server_are_near_each_other_as_those_of_a_job_are():
    (leader, _) = templates({"serves_on": {**P5, "zones": ["us-east-2a", "us-east-2b"]}, "efa_interfaces": 0})
    affinity = leader["spec"]["affinity"]
    job = deployed(PytorchJob, name="big").one("Job").inputs["spec"]["template"]["spec"]["affinity"]
    group = ["leaderworkerset.sigs.k8s.io/group-index"]
    preferred = affinity["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]

    assert [each["podAffinityTerm"]["matchLabelKeys"] for each in preferred] == [group, group]
    assert [each["podAffinityTerm"]["topologyKey"] for each in preferred] == [
        each["podAffinityTerm"]["topologyKey"]
        for each in job["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    ]
    (zone,) = affinity["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert (zone["topologyKey"], zone["matchLabelKeys"]) == ("topology.kubernetes.io/zone", group)
    assert affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]


@pytest.mark.parametrize(
    ("nodes", "size", "servers"),
    [
        pytest.param(2, {"desired": 4, "max": 4}, 2, id="two-of-two"),
        pytest.param(2, {"desired": 3, "max": 4}, 1, id="a-node-too-few-for-another"),
        pytest.param(4, {"desired": 0, "max": 4}, 1, id="no-node-yet"),
    ],
)
def test_as_many_servers_as_fit_whole(nodes, size, servers):
    made = server({"nodes_per_replica": nodes, "serves_on": {**WITH_EFA, "size": size}})
    spec = made.one("LeaderWorkerSet").inputs["spec"]

    assert (spec["replicas"], spec["leaderWorkerTemplate"]["size"]) == (servers, nodes)


def test_one_node_is_a_deployment_as_before():
    made = server({"nodes_per_replica": 1})

    assert made.of("LeaderWorkerSet") == []
    assert made.one("Deployment").inputs["spec"]["template"]["spec"]["containers"][0]["image"].startswith("vllm/")


def test_rules_hold_in_other_programs_too():
    error = run(VllmServer, {**BIG, "nodes_per_replica": 5}).error

    assert isinstance(error, SettingsError)
    assert {problem.code for problem in error.problems} == {"server-nodes-size"}


@pytest.mark.parametrize(
    ("nodes", "releases"), [pytest.param(1, set(), id="one-node"), pytest.param(2, {"lws"}, id="two-nodes")]
)
def test_the_controller_comes_where_a_server_asks_for_it(nodes, releases):
    deployment = stack_deployed({**TWO_P5, **in_stack_file(nodes, 8, efa=32)})

    assert deployment.error is None
    assert {r.name for r in deployment.resources if r.kind == "Release"} & {"lws"} == releases
    assert bool(deployment.of("LeaderWorkerSet")) is bool(releases)
