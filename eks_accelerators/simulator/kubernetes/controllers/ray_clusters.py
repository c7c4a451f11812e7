"""What KubeRay does of a RayCluster: a head, a Service to it, and the workers of each group.

A pod that is lost, or has ended, is made anew. Workers wait for the head in a container of their own before they begin. Left out: the
commands, variables and probes of Ray, the secret with its token, autoscaling, several hosts to a worker, suspension, times, events and
the checks of the operator. RayService and RayCronJob stay as they are written.

Source: ray-project/kuberay v1.7.0 `ray-operator/controllers/ray/common/pod.go`, `service.go`, `raycluster_controller.go`,
read 2026-11-23.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import condition
from eks_accelerators.simulator.kubernetes.controllers.reconciliation import Obj, attend, owner_of, report
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION, KIND = "ray.io/v1", "RayCluster"
MANAGER = "kuberay-operator"
CLUSTER, NODE_TYPE, GROUP = "ray.io/cluster", "ray.io/node-type", "ray.io/group"
"""Labels of each pod: of which cluster and group it is, and whether it is the `head` or a `worker`."""

_HEAD_GROUP = "headgroup"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108  (in the container)
_WAITS = {"cpu": "200m", "memory": "256Mi"}
_PORTS = {"client": 10001, "dashboard": 8265, "gcs-server": 6379, "metrics": 8080, "serve": 8000}


def sync(api: Api) -> None:
    """One pass over all Ray clusters."""
    attend(api, API_VERSION, KIND, _sync)


def head_service(cluster: str) -> str:
    """The name of the Service of a cluster's head."""
    return f"{cluster}-head-svc"


def _sync(api: Api, cluster: Obj) -> None:
    metadata, spec = cluster["metadata"], cluster["spec"]
    pods = api.list("v1", "Pod", metadata["namespace"], f"{CLUSTER}={metadata['name']}")
    if api.get("v1", "Service", head_service(metadata["name"]), metadata["namespace"]) is None:
        api.create(_service(cluster), manager=MANAGER)
    for pod in pods:
        if _has_ended(pod) and "deletionTimestamp" not in pod["metadata"]:
            api.delete("v1", "Pod", pod["metadata"]["name"], metadata["namespace"])
    if not _of_group(pods, _HEAD_GROUP):
        api.create(_pod(cluster, "head", _HEAD_GROUP, spec["headGroupSpec"]["template"]), manager=MANAGER)
    groups = spec.get("workerGroupSpecs", ())
    for group in groups:
        name, there = group["groupName"], _of_group(pods, group["groupName"])
        for _ in range(group.get("replicas", 0) - len(there)):
            api.create(_pod(cluster, "worker", name, group["template"]), manager=MANAGER)
        for pod in there[group.get("replicas", 0) :]:
            api.delete("v1", "Pod", pod["metadata"]["name"], metadata["namespace"])
    desired = sum(group.get("replicas", 0) for group in groups)
    ready = [pod for pod in pods if condition(pod, "Ready")]
    workers = sum(pod["metadata"]["labels"][NODE_TYPE] == "worker" for pod in ready)
    counted = {"desiredWorkerReplicas": desired, "availableWorkerReplicas": workers, "readyWorkerReplicas": workers}
    all_ready = len(ready) == desired + 1
    report(api, cluster, {**counted, **({"state": "ready"} if all_ready else {})})


def _of_group(pods: list[Obj], group: str) -> list[Obj]:
    return [pod for pod in pods if pod["metadata"]["labels"][GROUP] == group]


def _has_ended(pod: Obj) -> bool:
    return pod.get("status", {}).get("phase") in ("Failed", "Succeeded")


def _pod(cluster: Obj, kind: str, group: str, template: Obj) -> Manifest:
    metadata, given = cluster["metadata"], template.get("metadata", {})
    name = metadata["name"]
    named = {"name": f"{name}-head"} if kind == "head" else {"generateName": f"{name}-{group}-worker-".lower()}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **named,
            "namespace": metadata["namespace"],
            "labels": {**_labels(name, kind), **given.get("labels", {}), **_fixed(name, kind, group)},
            "annotations": given.get("annotations", {}),
            "ownerReferences": [owner_of(cluster)],
        },
        "spec": _spec(template["spec"], waits=kind == "worker"),
    }


def _labels(cluster: str, kind: str) -> Manifest:
    return {
        "ray.io/is-ray-node": "yes",
        "ray.io/identifier": f"{cluster}-{kind}",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": MANAGER,
    }


def _fixed(cluster: str, kind: str, group: str) -> Manifest:
    return {CLUSTER: cluster, NODE_TYPE: kind, GROUP: group}


def _spec(spec: Mapping[str, Any], *, waits: bool) -> Manifest:
    """The pod as given, with shared memory as large as the first container's where it has none, and with one that waits."""
    first, *others = spec["containers"]
    made, mounts = dict(spec), list(first.get("volumeMounts", ()))
    if waits:
        made["initContainers"] = [*spec.get("initContainers", ()), _waiting(first)]
    if all(each["mountPath"] != _SHARED_MEMORY for each in mounts):
        memory: Any = {"medium": "Memory", **_limit(first.get("resources", {}))}
        made["volumes"] = [*spec.get("volumes", ()), {"name": "shared-mem", "emptyDir": memory}]
        mounts.append({"name": "shared-mem", "mountPath": _SHARED_MEMORY})
    return {**made, "containers": [{**first, "volumeMounts": mounts}, *others]}


def _waiting(first: Obj) -> Manifest:
    kept = ("image", "imagePullPolicy", "securityContext", "env", "volumeMounts")
    resources = {"limits": _WAITS, "requests": _WAITS}
    return {"name": "wait-gcs-ready", **{key: first[key] for key in kept if key in first}, "resources": resources}


def _limit(resources: Obj) -> Manifest:
    found = resources.get("limits", {}).get("memory") or resources.get("requests", {}).get("memory")
    return {"sizeLimit": found} if found else {}


def _service(cluster: Obj) -> Manifest:
    name = cluster["metadata"]["name"]
    labels = {key: value for key, value in _labels(name, "head").items() if key != "ray.io/is-ray-node"}
    labels |= {CLUSTER: name, NODE_TYPE: "head"}
    ports = [{"name": port, "port": number, "appProtocol": "tcp"} for port, number in _PORTS.items()]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": head_service(name),
            "namespace": cluster["metadata"]["namespace"],
            "labels": labels,
            "ownerReferences": [owner_of(cluster)],
        },
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": labels, "ports": ports},
    }
