"""What every model server has in common: where its pods are, who reaches them, and what a client asks."""

import pytest

from eks_accelerators.components import Cluster, VllmServer
from tests.components.examples import SERVED, deployed, run

TWO_NODES = {
    **SERVED,
    "size": {"desired": 2, "max": 4},
    "sharing": {"strategy": "timeSlicing", "replicas": 4},
}


def one(kind, changes=None):
    return deployed(VllmServer, changes, name="llm-server").one(kind).inputs


def pod(changes=None):
    return one("Deployment", changes)["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("replicas", "nodes", "expected"),
    [
        pytest.param(8, 2, (4, 2), id="half-on-each"),
        pytest.param(5, 2, (3, 2), id="one-more-on-one"),
        pytest.param(2, 4, (1, 2), id="fewer-servers-than-nodes"),
        pytest.param(1, 2, None, id="one-server"),
        pytest.param(4, 1, None, id="one-node"),
        pytest.param(4, 0, None, id="no-node-yet"),
    ],
)
def test_servers_are_kept_on_as_many_nodes_as_there_are(replicas, nodes, expected):
    size = {"desired": nodes, "max": 4}
    constraints = pod({"serves_on": {**TWO_NODES, "size": size}, "replicas": replicas})["topologySpreadConstraints"]

    demanded = [each for each in constraints if each["whenUnsatisfiable"] == "DoNotSchedule"]
    assert [(each["maxSkew"], each["minDomains"]) for each in demanded] == ([expected] if expected else [])
    assert constraints[0]["whenUnsatisfiable"] == "ScheduleAnyway"
    assert {each["topologyKey"] for each in constraints} == {"kubernetes.io/hostname"}


def test_those_that_follow_the_load_are_kept_apart_from_the_fewest_on():
    """Whatever the load adds later: of two servers each node gets one."""
    changes = {
        "serves_on": TWO_NODES,
        "autoscaling": {"min": 2, "max": 8},
        "prometheus_address": "http://prometheus.monitoring.svc:9090",
    }

    assert pod(changes)["topologySpreadConstraints"][1]["maxSkew"] == 1


def test_packed_servers_look_for_each_other():
    made = pod({"serves_on": TWO_NODES, "replicas": 4, "placement": "pack"})

    (preferred,) = made["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert preferred["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"
    assert preferred["podAffinityTerm"]["labelSelector"] == made["topologySpreadConstraints"][0]["labelSelector"]
    assert [each["topologyKey"] for each in made["topologySpreadConstraints"]] == ["kubernetes.io/os"]


def test_a_service_is_for_the_cluster_by_default():
    made = one("Service")

    assert made["spec"]["type"] == "ClusterIP"
    assert deployed(VllmServer).of("NetworkPolicy") == deployed(VllmServer).of("HTTPRoute") == []


def test_a_load_balancer_is_internal_and_keeps_the_address_of_clients():
    made = one("Service", {"exposure": {"kind": "internalLoadBalancer"}})

    assert made["spec"]["type"] == "LoadBalancer"
    assert made["spec"]["externalTrafficPolicy"] == "Local"
    assert made["metadata"]["annotations"] == {
        "pulumi.com/skipAwait": "true",
        "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
        "service.beta.kubernetes.io/aws-load-balancer-type": "nlb",
    }


def test_a_gateway_gets_a_route():
    exposure = {
        "kind": "gateway",
        "gateway": {"name": "inner", "namespace": "edge"},
        "host_names": ["llm.example.com"],
    }
    made = one("HTTPRoute", {"exposure": exposure})

    assert made["spec"] == {
        "parentRefs": [{"name": "inner", "namespace": "edge"}],
        "hostnames": ["llm.example.com"],
        "rules": [{"backendRefs": [{"name": "llm-server", "port": 80}], "timeouts": {"request": "0s"}}],
    }


def test_callers_are_named():
    made = one("NetworkPolicy", {"network_policy": {"namespaces": ["web"], "cidrs": ["10.20.0.0/16"]}})

    assert made["spec"] == {
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "llm-server"}},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [
                    {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "web"}}},
                    {"ipBlock": {"cidr": "10.20.0.0/16"}},
                ],
                "ports": [{"port": 8000, "protocol": "TCP"}],
            }
        ],
    }


def test_a_policy_without_callers_is_refused():
    assert {problem.code for problem in run(VllmServer, {"network_policy": {}}).error.problems} == {"server-callers"}


def test_policies_are_enforced_where_the_cluster_says_so():
    """Otherwise Kubernetes keeps them, and nobody looks at them."""

    def configured(changes):
        addons = deployed(Cluster, changes).of("Addon")
        return {each.inputs["addonName"]: each.inputs.get("configurationValues") for each in addons}

    assert configured({})["vpc-cni"] is None
    assert configured({"network_policies": True}) == {
        "eks-pod-identity-agent": None,
        "vpc-cni": '{"enableNetworkPolicy": "true"}',
        "kube-proxy": None,
    }


def test_the_outputs_say_what_a_client_asks():
    outputs = deployed(VllmServer, {"namespace": "llm"}, name="llm-server").component_outputs("VllmServer")

    assert outputs["example_request"] == (
        "kubectl -n llm port-forward service/llm-server 8000:80 & curl http://127.0.0.1:8000/v1/completions"
        " -H 'Content-Type: application/json'"
        ' -d \'{"model": "Qwen/Qwen2.5-0.5B-Instruct", "prompt": "Amazon EKS is", "max_tokens": 32}\''
    )
