"""What the controller of LeaderWorkerSet does: groups of pods, of which all are made anew where one ends.

Pods have the names, labels and variables that the real one gives them. A group is made whole, ended whole where one of its pods is
deleted, restarts or fails, and made again when all are gone; of an update one group is made anew at a time, the last first,
while the others are ready. Left out: pods are the set's own, without StatefulSets between, so that a disruption budget counts
groups in place of pods; `startupPolicy`, subgroups, exclusive placement, surges, partitions, claims of volumes, revisions, events
and the checks of the webhook.

Source: kubernetes-sigs/lws v0.10.0 `pkg/controllers/leaderworkerset_controller.go`, `pod_controller.go`,
`pkg/webhooks/pod_webhook.go`, `pkg/utils/pod/pod_utils.go`, read 2026-11-22.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.charts import lws
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION, KIND = f"{lws.GROUP}/{lws.VERSION}", lws.KIND
MANAGER = "lws"

_OF = "leaderworkerset.sigs.k8s.io"
SET, GROUP_INDEX, WORKER_INDEX = f"{_OF}/name", f"{_OF}/group-index", f"{_OF}/worker-index"
"""Labels of each pod: of which set and group it is, and which of its pods."""
_SIZE, _REVISION = f"{_OF}/size", f"{_OF}/template-revision-hash"

_Groups = dict[int, list[dict[str, Any]]]


def sync(api: Api) -> None:
    """Reconcile every LeaderWorkerSet once."""
    sets = [each for each in api.list(API_VERSION, KIND) if "deletionTimestamp" not in each["metadata"]]
    for each in sets:
        metadata = each["metadata"]
        listed = api.list("v1", "Pod", metadata["namespace"], f"{SET}={metadata['name']}")
        _Set(each, listed).sync(api)


class _Set:
    """One set, and the pods that it has."""

    def __init__(self, obj: dict[str, Any], pods: list[dict[str, Any]]) -> None:
        self._obj, self._metadata, self._spec = obj, obj["metadata"], obj["spec"]
        self._template = self._spec["leaderWorkerTemplate"]
        self._size, self._replicas = self._template.get("size", 1), self._spec.get("replicas", 1)
        written = json.dumps(self._template, sort_keys=True)
        self._revision = hashlib.sha256(written.encode()).hexdigest()[:10]
        self._groups: _Groups = defaultdict(list)
        for pod in pods:
            self._groups[int(pod["metadata"]["labels"][GROUP_INDEX])].append(pod)

    def sync(self, api: Api) -> None:
        if api.get("v1", "Service", self._metadata["name"], self._metadata["namespace"]) is None:
            api.create(self._service(), manager=MANAGER)
        for index in sorted({*self._groups, *range(self._replicas)}):
            pods = self._groups[index]
            if index >= self._replicas or (pods and not self._is_whole(pods)):
                _end(api, pods)
            elif not pods:
                for worker in range(self._size):
                    api.create(self._pod(index, worker), manager=MANAGER)
        if (old := self._next_to_update()) is not None:
            _end(api, self._groups[old])
        self._report(api)

    def _is_whole(self, pods: list[dict[str, Any]]) -> bool:
        return len(pods) == self._size and not any(map(_has_ended, pods))

    def _is_ready(self, index: int) -> bool:
        return self._is_whole(self._groups[index]) and all(is_true(pod, "Ready") for pod in self._groups[index])

    def _is_updated(self, index: int) -> bool:
        pods = self._groups[index]
        return bool(pods) and all(pod["metadata"]["labels"][_REVISION] == self._revision for pod in pods)

    def _next_to_update(self) -> int | None:
        """The last group of an older revision, while all others are ready."""
        indexes = range(self._replicas)
        old = [index for index in indexes if self._is_whole(self._groups[index]) and not self._is_updated(index)]
        if not old or not all(self._is_ready(index) for index in indexes if index != old[-1]):
            return None
        return old[-1]

    def _pod(self, group: int, worker: int) -> Manifest:
        name, namespace = self._metadata["name"], self._metadata["namespace"]
        worker_template = self._template["workerTemplate"]
        template = worker_template if worker else self._template.get("leaderTemplate") or worker_template
        leader = f"{name}-{group}"
        pod_name = f"{leader}-{worker}" if worker else leader
        given = template.get("metadata", {})
        own = {SET: name, GROUP_INDEX: str(group), WORKER_INDEX: str(worker), _REVISION: self._revision}
        variables = {
            "LWS_LEADER_ADDRESS": f"{leader}.{name}.{namespace}",
            "LWS_GROUP_SIZE": str(self._size),
            "LWS_WORKER_INDEX": str(worker),
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": pod_name,
                "namespace": namespace,
                "labels": {**given.get("labels", {}), **own},
                "annotations": {**given.get("annotations", {}), _SIZE: str(self._size)},
                "ownerReferences": [self._owner()],
            },
            "spec": {**_with_variables(template["spec"], variables), "hostname": pod_name, "subdomain": name},
        }

    def _service(self) -> Manifest:
        name = self._metadata["name"]
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": name,
                "namespace": self._metadata["namespace"],
                "labels": {SET: name},
                "ownerReferences": [self._owner()],
            },
            "spec": {"clusterIP": "None", "selector": {SET: name}, "publishNotReadyAddresses": True},
        }

    def _owner(self) -> Manifest:
        named = {key: self._metadata[key] for key in ("name", "uid")}
        return {"apiVersion": API_VERSION, "kind": KIND, **named, "controller": True, "blockOwnerDeletion": True}

    def _report(self, api: Api) -> None:
        indexes = range(self._replicas)
        ready = sum(map(self._is_ready, indexes))
        updated = sum(map(self._is_updated, indexes))
        done = ready == updated == self._replicas
        held = {"Available": done, "Progressing": not done}
        status = {
            "replicas": sum(1 for index in indexes if self._groups[index]),
            "readyReplicas": ready,
            "updatedReplicas": updated,
            "hpaPodSelector": f"{SET}={self._metadata['name']},{WORKER_INDEX}=0",
            "observedGeneration": self._metadata["generation"],
            "conditions": list(self._conditions(held)),
        }
        if self._obj.get("status") != status:
            name, namespace = self._metadata["name"], self._metadata["namespace"]
            api.patch(API_VERSION, KIND, name, namespace, {"status": status}, subresource="status")

    def _conditions(self, held: Mapping[str, bool]) -> Iterator[Manifest]:
        for kind, holds in held.items():
            yield {
                "type": kind,
                "status": str(holds),
                "reason": "AllGroupsReady" if held["Available"] else "GroupsProgressing",
                "message": "All replicas are ready" if held["Available"] else "Replicas are progressing",
                "observedGeneration": self._metadata["generation"],
            }


def _with_variables(spec: Mapping[str, Any], variables: Mapping[str, str]) -> Manifest:
    """The variables come before those of the template, which may refer to them."""
    first = [{"name": name, "value": value} for name, value in variables.items()]
    containers = [
        {**each, "env": [*first, *(env for env in each.get("env", ()) if env["name"] not in variables)]}
        for each in spec["containers"]
    ]
    return {**spec, "containers": containers}


def _has_ended(pod: Mapping[str, Any]) -> bool:
    """Whether it goes, has failed or ended, or one of its containers was started again."""
    status = pod.get("status", {})
    restarted = any(each.get("restartCount") for each in status.get("containerStatuses", ()))
    return "deletionTimestamp" in pod["metadata"] or restarted or status.get("phase") in ("Failed", "Succeeded")


def _end(api: Api, pods: list[dict[str, Any]]) -> None:
    for pod in pods:
        metadata = pod["metadata"]
        if "deletionTimestamp" not in metadata:
            api.delete("v1", "Pod", metadata["name"], metadata["namespace"])
