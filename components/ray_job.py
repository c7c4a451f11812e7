"""A training job in a Ray cluster of its own: a RayJob of KubeRay.

Each node has a pod of Ray with all that a training pod has. The head, which runs no rank, and the pod that submits the program
are beside them on the same nodes: they have the same image, of 10 GB, which system nodes have no room for. The API of the head runs
what anybody sends it, so that it asks for a token, which KubeRay makes.

What runs there is `ray_launch.py`: `torchrun` in an actor on each node, so that a program is the same for all engines, or a
program of Ray's own. Ray Train is not put around a program for `torchrun`: it has made the process group before the program does.

Source: ray-project/kuberay v1.7.0, `ray-operator/apis/ray/v1`, `controllers/ray/utils/validation.go` (what it refuses),
`controllers/ray/common/pod.go` (what it adds to pods), `controllers/ray/rayjob_controller.go` (what follows a fault), read 2026-11-22.
"""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.gang import GangInputs
from eks_accelerators.components.gang_pod import PROGRAMS, labels
from eks_accelerators.components.training_gang import LAUNCHER, DeployedEngine, TrainingGang
from eks_accelerators.settings.model.training import PytorchJobSettings
from eks_accelerators.settings.model.training_engines import HEAD, SUBMITTER, Overhead

_DRIVER = "ray_launch.py"
_UNSEEN = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
"""A container that asks for no GPU sees all of them where its image says so and the runtime is NVIDIA's."""

_BEFORE_THE_END = (
    'touch "$STOP_FILE.going"; pid=$(cat "$STOP_FILE.pid" 2>/dev/null) && kill -TERM "$pid" '
    '&& while kill -0 "$pid" 2>/dev/null; do sleep 1; done && sleep 5; true'
)
"""Ends `launch.py` before Ray ends, as a pod that goes does elsewhere, and lets the head hear of it."""


def _add(gang: TrainingGang) -> pulumi.Output[str]:
    metadata: Any = {"name": gang.name, "namespace": gang.place.namespace, "labels": labels(gang.name)}
    k8s.apiextensions.CustomResource(
        gang.name,
        api_version="ray.io/v1",
        kind="RayJob",
        metadata=metadata,
        spec=_spec(gang),
        # A cluster that runs is not changed, so that another job takes its place.
        opts=gang.component.child(
            depends_on=[*gang.place.before, gang.programs], replace_on_changes=["spec"], delete_before_replace=True
        ),
    )
    return pulumi.Output.from_input(gang.name)


def _spec(gang: TrainingGang) -> Any:
    workload = gang.inputs.workload
    return {
        "entrypoint": f"python3 {PROGRAMS}/{_DRIVER}",
        "backoffLimit": workload.max_restarts,  # each time with another Ray cluster
        "shutdownAfterJobFinishes": True,
        "submissionMode": "K8sJobMode",
        "submitterPodTemplate": {"spec": _companion(gang.pod, "ray-job-submitter", SUBMITTER)},
        "rayClusterSpec": {
            "rayVersion": catalogue()["ray-train"]["ray"],
            "authOptions": {"mode": "token"},
            "headGroupSpec": {
                # No work of Ray's own on the head: it takes no node that training waits for.
                "rayStartParams": {"num-cpus": "0", "num-gpus": "0"},
                "template": {
                    "metadata": {"labels": {"app.kubernetes.io/instance": gang.name}},
                    "spec": _head(gang.pod),
                },
            },
            "workerGroupSpecs": [
                {
                    "groupName": "workers",
                    "replicas": workload.nodes,
                    "minReplicas": workload.nodes,
                    "maxReplicas": workload.nodes,
                    "rayStartParams": {
                        "num-gpus": str(workload.accelerators),
                        # The other half of /dev/shm is for NCCL and data loaders.
                        "object-store-memory": str(workload.shared_memory_gib * 2**30 // 2),
                    },
                    "template": {"metadata": {"labels": labels(gang.name)}, "spec": _worker(gang.pod)},
                }
            ],
        },
    }


def _worker(pod: Any) -> Any:
    """The pod of one node: KubeRay gives it its command and its name."""
    (container,) = pod["containers"]
    kept = {key: value for key, value in container.items() if key != "command"}
    kept["lifecycle"] = {"preStop": {"exec": {"command": ["sh", "-c", _BEFORE_THE_END]}}}
    return {key: value for key, value in pod.items() if key != "subdomain"} | {"containers": [kept]}


def _head(pod: Any) -> Any:
    """The head: where the program's own process runs, with its variables and volumes."""
    (container,) = pod["containers"]
    spec = _companion(pod, "ray-head", HEAD)
    (head,) = spec["containers"]
    head["env"] = [*container["env"], _UNSEEN]
    head["volumeMounts"] = _unshared(container["volumeMounts"])
    return {**spec, "volumes": _unshared(pod["volumes"])}


def _companion(pod: Any, name: str, asked: Overhead) -> Any:
    """A pod without accelerators on the nodes of the others."""
    (container,) = pod["containers"]
    memory = f"{asked.memory_gib}Gi"
    kept = ("nodeSelector", "tolerations", "automountServiceAccountToken", "enableServiceLinks", "securityContext")
    return {
        "restartPolicy": "Never",
        **{key: pod[key] for key in kept},
        "containers": [
            {
                "name": name,
                "image": container["image"],
                "env": [_UNSEEN],
                "resources": {"requests": {"cpu": f"{asked.cpu:g}", "memory": memory}, "limits": {"memory": memory}},
                "securityContext": container["securityContext"],
            }
        ],
    }


def _unshared(named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Volumes or mounts without `/dev/shm`, of which KubeRay makes one as large as the pod's memory."""
    return [each for each in named if each["name"] != "shared-memory"]


def _variables(_name: str, inputs: GangInputs[PytorchJobSettings]) -> dict[str, str]:
    workload = inputs.workload
    program = workload.program or f"{PROGRAMS}/train_small_model.py"
    return {
        "NODES": str(workload.nodes),
        "PROCESSES_PER_NODE": str(inputs.fit.processes_per_node),
        "PROGRAM": json.dumps([program, *workload.arguments]),
        **({"RAY_DRIVER": "1"} if workload.ray_driver else {}),
    }


ENGINE = DeployedEngine(programs=(LAUNCHER, _DRIVER), variables=_variables, add=_add)
