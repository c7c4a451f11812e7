"""The example of Neuron serving, deployed once: the real API server admits its Job and its servers, the real scheduler places them, and
the real controller binds the claim on which they keep what is compiled.
"""

import pytest

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.stack import simulated_stack
from tests.polls import until
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

FILE = PROJECT / "examples" / "neuron-serving" / "Pulumi.neuron.yaml"
SERVERS = {"llama-trn2": ("trn2", 4), "llama-inf2": ("inf2", 1)}


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """The deployed example."""
    settings = load_stack_file(FILE, NOW).require().settings
    stack = simulated_stack("neuron", FILE, PROJECT / "__main__.py", settings, NOW, None)
    with simulation(tmp_path_factory.mktemp("neuron"), engines, stack) as opened:
        assert opened.run("up", stack.program).errors == []
        yield opened


def pods(sim, program, name):
    found = sim.cluster.api.list("v1", "Pod", "llm", f"app.kubernetes.io/instance={name}")
    return [pod for pod in found if pod["metadata"]["labels"]["app.kubernetes.io/name"] == program]


def group_of(sim, pod):
    """The accelerator node group of the pod's node; None of a system node."""
    (node,) = [
        node for node in sim.cluster.api.list("v1", "Node") if node["metadata"]["name"] == pod["spec"]["nodeName"]
    ]
    return node["metadata"]["labels"].get(NODE_GROUP_LABEL)


def test_the_model_is_compiled_before_a_server_starts(sim):
    (compiler,) = pods(sim, "vllm-neuron-compiler", "llama-trn2")
    job = sim.cluster.api.get("batch/v1", "Job", "llama-trn2-compile", "llm")
    servers = pods(sim, "vllm", "llama-trn2")

    assert compiler["status"]["phase"] == "Succeeded"
    assert group_of(sim, compiler) is None
    assert servers
    assert all(job["status"]["completionTime"] <= each["metadata"]["creationTimestamp"] for each in servers)


@pytest.mark.parametrize("name", SERVERS)
def test_servers_become_ready_on_their_devices(sim, name):
    group, count = SERVERS[name]

    def ready():
        return [
            pod
            for pod in pods(sim, "vllm", name)
            if ("Ready", "True") in {(each["type"], each["status"]) for each in pod["status"].get("conditions", [])}
        ]

    until(lambda: len(ready()) == count)
    assert {group_of(sim, pod) for pod in ready()} == {group}


def test_all_of_them_mount_the_one_volume_that_is_bound(sim):
    (claim,) = sim.cluster.api.list("v1", "PersistentVolumeClaim", "llm")
    (volume,) = sim.cluster.api.list("v1", "PersistentVolume")
    everybody = [
        pod for name in SERVERS for program in ("vllm", "vllm-neuron-compiler") for pod in pods(sim, program, name)
    ]
    mounted = {
        each["persistentVolumeClaim"]["claimName"]
        for pod in everybody
        for each in pod["spec"]["volumes"]
        if "persistentVolumeClaim" in each
    }

    assert (claim["metadata"]["name"], claim["status"]["phase"], claim["status"]["accessModes"]) == (
        "compiled",
        "Bound",
        ["ReadWriteMany"],
    )
    assert volume["spec"]["csi"]["driver"] == "efs.csi.aws.com"
    assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
    assert mounted == {"compiled"}
    assert len(everybody) == 6
