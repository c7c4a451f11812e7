"""Releases of the charts that make pods of training jobs, and what of their programs two renderings are held by."""

from typing import Any

from eks_accelerators import components
from eks_accelerators.components.charts import catalogue
from tests.components.examples import deployed

COMPONENTS = {
    "jobset": components.JobSetController,
    "kubeflow-trainer": components.KubeflowTrainer,
    "kuberay-operator": components.KubeRayOperator,
}
_OF_THE_POD = ("serviceAccountName", "securityContext", "nodeSelector", "tolerations", "affinity")
_OF_THE_PROGRAM = ("command", "image", "env", "resources", "securityContext")


def release(chart: str) -> Any:
    """The release as the component makes it."""
    return deployed(COMPONENTS[chart]).one("Release").inputs


def told(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The kinds that a chart brings, and its program: under which name, with which rights, and where it may run."""
    (program,) = (each for each in objects if each["kind"] == "Deployment")
    pod = program["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    definitions = [each for each in objects if each["kind"] == "CustomResourceDefinition"]
    return {
        "kinds": sorted(
            f"{each['spec']['group']}/{version['name']} {each['spec']['names']['kind']} {each['spec']['scope']}"
            for each in definitions
            for version in each["spec"]["versions"]
            if version["served"] and version["storage"]
        ),
        "name": program["metadata"]["name"],
        "selector": program["spec"]["selector"]["matchLabels"],
        "pod": {key: pod[key] for key in _OF_THE_POD if pod.get(key)},
        "program": {key: container[key] for key in _OF_THE_PROGRAM if container.get(key)},
    }


def version(chart: str) -> str:
    """The version that is pinned."""
    return catalogue()[chart]["version"]
