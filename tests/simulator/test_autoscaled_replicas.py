"""What an autoscaler has set stays: the number of replicas of a Deployment, through deployments of the program."""

import pytest

from eks_accelerators.simulator.providers.ignored_changes import left_to_others
from tests.simulator.lives import every, to, words

IGNORED = ("spec.replicas",)
SCALING = "workloads.vllm.llama.autoscaling"
L4 = "nodeGroups.l4-shared"


def scaled_by_load(**settings):
    """The server of the development stack by its load, between two and eight."""
    return every(to("monitoring", {"prometheus": "stack"}), to(SCALING, {"min": 2, "max": 8, **settings}))


def deployment(namespace, image="a", replicas=None):
    pod = {"metadata": {"labels": {"app": "llama"}}, "spec": {"containers": [{"name": "vllm", "image": image}]}}
    counted = {} if replicas is None else {"replicas": replicas}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llama", "namespace": namespace},
        "spec": {"selector": {"matchLabels": {"app": "llama"}}, "template": pod, **counted},
    }


def live(api, namespace):
    return api.get("apps/v1", "Deployment", "llama", namespace)


def set_replicas(api, namespace, count):
    """As a HorizontalPodAutoscaler does it."""
    api.patch("apps/v1", "Deployment", "llama", namespace, {"spec": {"replicas": count}}, subresource="scale")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(None, id="never-written"),
        pytest.param(3, id="written-before-autoscaling"),
    ],
)
def test_the_autoscaler_s_number_stays(cluster, namespace, before):
    """``before`` is what the engine puts in place of a field whose changes are ignored: the inputs of the last deployment."""
    api = cluster.api
    api.apply(deployment(namespace, replicas=before))
    for number, image in ((5, "b"), (2, "c")):
        set_replicas(api, namespace, number)
        inputs = deployment(namespace, image, replicas=before)

        api.apply(left_to_others(inputs, live(api, namespace), IGNORED))

        spec = live(api, namespace)["spec"]
        assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (number, image)


def test_switching_autoscaling_on_leaves_the_servers_that_are_there(cluster, namespace):
    """Left out alone, a number that we own would go back to Kubernetes' default, 1."""
    api = cluster.api
    api.apply(deployment(namespace, replicas=3))

    api.apply(left_to_others(deployment(namespace, replicas=3), live(api, namespace), IGNORED))
    assert live(api, namespace)["spec"]["replicas"] == 3
    api.apply(deployment(namespace))
    assert live(api, namespace)["spec"]["replicas"] == 1


def test_without_it_a_deployment_would_set_the_number_back(cluster, namespace):
    api = cluster.api
    api.apply(deployment(namespace, replicas=3))
    set_replicas(api, namespace, 5)

    api.apply(left_to_others(deployment(namespace, replicas=3), live(api, namespace), ()))

    assert live(api, namespace)["spec"]["replicas"] == 3


@pytest.mark.slow
def test_a_stack_is_deployed_again_after_its_server_was_scaled(deployments, tmp_path):
    """Switched on for a stack that runs; an edit of the pods, and one of the autoscaling, leave what the load asked for."""
    with deployments.copied("dev", tmp_path) as deployed:
        api = deployed.simulation.cluster.api
        assert replicas(api) == 4
        switched = deployed.run("up", scaled_by_load())
        assert switched.errors == []
        assert {"create ScaledObject llama", "create Release keda"} <= words(switched)
        assert "update Deployment llama" not in words(switched)
        scaled = api.get("keda.sh/v1alpha1", "ScaledObject", "llama", "llm")
        assert (scaled["spec"]["minReplicaCount"], scaled["spec"]["maxReplicaCount"]) == (2, 8)
        assert replicas(api) == 4

        set_scale(api, 3)
        edited = every(scaled_by_load(), to("workloads.vllm.llama.maxModelLen", 2048))
        assert words(deployed.run("preview", edited)) == words(deployed.run("up", edited))
        assert (replicas(api), deployed.running("llama")) == (3, 3)

        set_scale(api, 2)
        assert (
            deployed.run("up", every(scaled_by_load(max=6), to("workloads.vllm.llama.maxModelLen", 2048))).errors == []
        )
        assert replicas(api) == 2
        back = every(to("monitoring", {"prometheus": "stack"}), to("workloads.vllm.llama.maxModelLen", 2048))
        off = deployed.run("up", back)
        assert {"delete ScaledObject llama", "delete Release keda"} <= words(off)
        assert (off.errors, replicas(api)) == ([], 2)  # the engine sees 4 before and after: docs/autoscaling.md
        assert deployed.run("up", back, "--refresh").errors == []
        assert replicas(api) == 4


def replicas(api):
    return api.get("apps/v1", "Deployment", "llama", "llm")["spec"]["replicas"]


def set_scale(api, count):
    api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": count}}, subresource="scale")
