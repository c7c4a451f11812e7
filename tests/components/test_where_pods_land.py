"""Whatever node groups a stack has: every accelerator node gets its plugins, and no other node does.

Kubernetes' node selection is modelled here from its documentation: `nodeSelector`, required node affinity,
and taints against tolerations. Labels and taints are those of the registered node groups, the rest those of
the registered Helm releases and Deployments; nothing is asked of the code that made them.
"""

import json
import runpy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types
from eks_accelerators.settings import parse
from tests.components.harness import PROJECT, REGION, attempt
from tests.conftest import EXHAUSTIVE, NOW

PROGRAM = Path(__file__).parents[2] / "__main__.py"
NVIDIA, NEURON, EFA = "nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"
CLAIMED = "gpu.nvidia.com"
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
CHART_NEURON_FAMILIES = ("inf1", "inf2", "trn1", "trn1n", "trn2", "trn2u", "trn3", "trn3e")
"""The Neuron chart 1.9.0 adds an affinity of its own: these families' types."""


@dataclass(frozen=True)
class Node:
    """One node of a registered group."""

    name: str
    type: instance_types.InstanceType | None
    image: str
    labels: dict[str, str]
    taints: tuple[tuple[str, str, str], ...]

    @property
    def runs_a_plugin_itself(self) -> bool:
        return "BOTTLEROCKET" in self.image and "NVIDIA" in self.image


def tolerated(taint, tolerations):
    key, value, effect = taint
    return any(
        toleration.get("effect", effect) == effect
        and toleration.get("key", key) == key
        and (toleration.get("operator") == "Exists" or toleration.get("value", "") == value)
        for toleration in tolerations
    )


def expression_holds(expression, labels):
    key, operator, values = expression["key"], expression["operator"], expression.get("values", [])
    return {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }[operator]


def lands(pod: dict[str, Any], node: Node) -> bool:
    """Whether the scheduler may place ``pod`` (nodeSelector, terms, tolerations) on ``node``."""
    terms = pod.get("terms")
    return (
        pod.get("nodeSelector", {}).items() <= node.labels.items()
        and (terms is None or any(all(expression_holds(e, node.labels) for e in term) for term in terms))
        and all(tolerated(taint, pod.get("tolerations", [])) for taint in node.taints if taint[2] != "PreferNoSchedule")
    )


def required_terms(values) -> list[list[dict[str, Any]]]:
    required = values["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [term["matchExpressions"] for term in required["nodeSelectorTerms"]]


def daemons(deployment) -> dict[str, list[dict[str, Any]]]:
    """The pods of each release's DaemonSets by what they do, from its values and what its chart adds."""
    pods: dict[str, list[dict[str, Any]]] = {
        NVIDIA: [],
        "discovery": [],
        "metrics": [],
        EFA: [],
        NEURON: [],
        CLAIMED: [],
    }
    for release in deployment.of("Release"):
        values, chart = release.inputs["values"], release.inputs["chart"]
        if chart == "nvidia-device-plugin":
            terms = required_terms(values)
            pods[NVIDIA].append({"terms": terms, "tolerations": values["tolerations"]})
            pods["discovery"].append({"terms": terms, "tolerations": values["nfd"]["worker"]["tolerations"]})
        elif chart == "gpu-operator":
            tolerations = values["daemonsets"]["tolerations"]
            for role, label in ((NVIDIA, "device-plugin"), ("metrics", "dcgm-exporter")):
                selector = {f"nvidia.com/gpu.deploy.{label}": "true"}
                pods[role].append({"nodeSelector": selector, "tolerations": tolerations})
            pods["discovery"].append(values["node-feature-discovery"]["worker"])
        elif chart == "dcgm-exporter":
            pods["metrics"].append({**values, "terms": required_terms(values)})
        elif chart == "aws-efa-k8s-device-plugin":
            listed = values["supportedInstanceLabels"]
            terms = [[{"key": key, "operator": "In", "values": listed["values"]}] for key in listed["keys"]]
            pods[EFA].append({**values, "terms": terms})
        elif chart.endswith("/dra-driver-nvidia-gpu"):
            driver = values["kubeletPlugin"]
            pods[CLAIMED].append({"terms": required_terms(driver), "tolerations": driver["tolerations"]})
        else:
            pods[NEURON].append(values["devicePlugin"])
    return pods


def labelled_by_the_operator(node: Node, pods: dict[str, list[dict[str, Any]]]) -> Node:
    """With what the GPU Operator writes on a node: nothing where it is to stay off, or discovery finds no GPU."""
    found = node.type is not None and node.type.has_nvidia_gpu and any(lands(pod, node) for pod in pods["discovery"])
    if not found:
        return replace(node, labels={**node.labels, "nvidia.com/gpu.present": "false"})
    if node.labels.get("nvidia.com/gpu.deploy.operands") == "false":
        return node
    wanted = {f"nvidia.com/gpu.deploy.{part}": "true" for part in ("device-plugin", "dcgm-exporter")}
    return replace(node, labels={**node.labels, **wanted})


def nodes_of(deployment) -> list[Node]:
    """One node of every registered node group, system nodes among them."""
    return [
        Node(
            name=group.name,
            type=instance_types.find(type_of(deployment, group)),
            image=group.inputs.get("amiType", "CUSTOM"),
            labels={
                **group.inputs.get("labels", {}),
                "node.kubernetes.io/instance-type": type_of(deployment, group),
            },
            taints=tuple(
                (taint["key"], taint.get("value", ""), _EFFECTS[taint["effect"]])
                for taint in group.inputs.get("taints", [])
            ),
        )
        for group in deployment.of("NodeGroup")
    ]


def type_of(deployment, group) -> str:
    """The instance type of a node group; on a Capacity Block it is its launch template's."""
    types = group.inputs.get("instanceTypes") or [deployment.one("LaunchTemplate", group.name).inputs["instanceType"]]
    return str(types[0])


def attached_efa(deployment, node: Node) -> bool:
    template = deployment.one("LaunchTemplate", node.name).inputs
    return any(interface["interfaceType"] != "interface" for interface in template.get("networkInterfaces", []))


# What stacks are made of.

TYPES = [kind for kind in instance_types.every() if kind.architecture == "x86_64"]
TAINTS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["team", "example.com/pool"])},
        optional={
            "value": st.sampled_from(["", "ml", "b"]),
            "effect": st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"]),
        },
    ),
    max_size=2,
    unique_by=lambda taint: (taint["key"], taint.get("effect", "NoSchedule")),
)
SHARING = st.fixed_dictionaries(
    {"strategy": st.just("timeSlicing"), "replicas": st.integers(2, 6)}, optional={"renameByDefault": st.booleans()}
)


@st.composite
def groups(draw):
    kind = draw(st.sampled_from(TYPES))
    group: dict[str, Any] = {"instanceType": kind.name, "size": {"desired": 1, "max": 2}, "taints": draw(TAINTS)}
    if kind.ami_types == ("CUSTOM",):
        group["ami"] = {"imageId": "ami-0123456789abcdef0"}
    else:
        group["ami"] = {"type": draw(st.sampled_from(kind.ami_types))}
    if kind.network.efa_cards and draw(st.booleans()):
        group |= {"efa": {"enabled": True}, "zones": ["us-east-2a"]}
    if kind.has_nvidia_gpu and draw(st.booleans()):
        group["sharing"] = draw(SHARING)
    elif "BOTTLEROCKET" not in group["ami"].get("type", "") and kind.has_nvidia_gpu:
        group["dynamicResourceAllocation"] = draw(st.booleans())
    return group


@st.composite
def stacks(draw):
    """Settings without errors: node groups, and a workload on each group that can hold it."""
    made = draw(st.lists(groups(), min_size=1, max_size=4))
    values: dict[str, Any] = {
        "owner": "ml",
        "budget": {"monthlyUsd": 10**9},
        "network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
        "nodeGroups": {f"group-{number}": group for number, group in enumerate(made)},
        "workloads": {"vllm": {}},
        "nvidia": {"stack": draw(st.sampled_from(["charts", "operator"]))},
    }
    for name in values["nodeGroups"]:
        wanted = {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": name, "maxModelLen": 1024}
        resources = {"cpu": "100m", "memoryGib": 1, "memoryLimitGib": 2}
        tried = {**values["workloads"]["vllm"], f"on-{name}": {**wanted, "resources": resources}}
        if usable({**values, "workloads": {"vllm": tried}}):
            values["workloads"]["vllm"] = tried
    return values


def usable(values):
    return not [problem for problem in parse(values, REGION, now=NOW).problems if problem.severity.value == "error"]


def deployed(values):
    config = {f"{PROJECT}:{key}": json.dumps(value) if key != "owner" else value for key, value in values.items()}
    deployment = attempt(lambda: runpy.run_path(str(PROGRAM)), config={**config, "aws:region": REGION}, preview=True)
    if deployment.error:
        raise deployment.error
    return deployment


@pytest.mark.slow
@settings(max_examples=200 if EXHAUSTIVE else 30)
@given(values=stacks().filter(usable))
def test_pods_land_where_they_belong(values):
    deployment = deployed(values)
    nodes = nodes_of(deployment)
    event(f"{len(nodes) - 1} groups, {len(deployment.of('Deployment'))} workloads")

    plugins_run_where_they_serve(deployment, nodes)
    workloads_fit_their_group_and_no_other(deployment, nodes)


def plugins_run_where_they_serve(deployment, nodes):
    pods = daemons(deployment)
    with_operator = any(release.inputs["chart"] == "gpu-operator" for release in deployment.of("Release"))
    configurations = [c.inputs["data"] for c in deployment.of("ConfigMap") if c.name.endswith("-configs")]
    if with_operator:
        nodes = [labelled_by_the_operator(node, pods) for node in nodes]
        pods["discovery"] = []  # looks at every node
    for node in nodes:
        gpu = node.type is not None and node.type.has_nvidia_gpu
        claimed = node.labels.get("eks-accelerators/dynamic-resource-allocation") == "true"
        neuron = node.type is not None and node.type.neuron is not None
        expected = {
            NVIDIA: gpu and not node.runs_a_plugin_itself and not claimed,
            "discovery": gpu and not node.runs_a_plugin_itself and not claimed and not with_operator,
            CLAIMED: claimed,
            NEURON: neuron,
            EFA: attached_efa(deployment, node),
            "metrics": gpu,
        }
        for plugin, wanted in expected.items():
            assert sum(lands(pod, node) for pod in pods[plugin]) == wanted, (plugin, node)
        if neuron:
            assert node.type.family in CHART_NEURON_FAMILIES
        if expected[NVIDIA]:  # a label that names no configuration makes the plugin crash
            assert configurations
            assert all(node.labels["nvidia.com/device-plugin.config"] in data for data in configurations)

    system = next(node for node in nodes if node.name.endswith("-system"))
    assert [name for name, made in pods.items() if any(lands(pod, system) for pod in made)] == []


def workloads_fit_their_group_and_no_other(deployment, nodes):
    for server in deployment.of("Deployment"):
        group = server.name.removeprefix("on-")
        pod = server.inputs["spec"]["template"]["spec"]
        assert [node.name for node in nodes if lands(pod, node)] == [group]
        advertised = {
            tag.name.removeprefix(f"{group}-resources/"): int(tag.inputs["tag"]["value"])
            for tag in deployment.of("Tag")
            if tag.name.startswith(f"{group}-resources/")
        }
        (container,) = pod["containers"]
        claims = any(
            "dynamic-resource-allocation" in key for node in nodes if node.name == group for key in node.labels
        )
        assert ("claims" in container["resources"], "resourceClaims" in pod) == (claims, claims)
        for name, amount in container["resources"]["limits"].items():
            assert name == "memory" or advertised[name] >= int(amount)


def test_the_model_of_kubernetes_says_no_as_well():
    """A model that lets every pod land everywhere would make the tests above pass."""
    node = Node("gpu", None, "", {"a": "1"}, (("t", "v", "NoSchedule"),))
    toleration = {"key": "t", "operator": "Equal", "value": "v", "effect": "NoSchedule"}

    assert lands({"nodeSelector": {"a": "1"}, "tolerations": [toleration]}, node)
    assert not lands({"nodeSelector": {"a": "2"}, "tolerations": [toleration]}, node)
    assert not lands({"tolerations": []}, node)
    assert not lands({"tolerations": [{**toleration, "value": "w"}]}, node)
    assert not lands({"tolerations": [{**toleration, "effect": "NoExecute"}]}, node)
    assert not lands({"terms": [], "tolerations": [toleration]}, node)
    assert not lands({"terms": [[{"key": "b", "operator": "Exists"}]], "tolerations": [toleration]}, node)
    assert lands({"terms": [[{"key": "b", "operator": "DoesNotExist"}]], "tolerations": [{"operator": "Exists"}]}, node)
