"""What KubeRay does of a RayJob: a Ray cluster, a Job that submits the program when that is ready, and the cluster's end after it.

Where the submitting Job fails, another cluster takes its place, as often as `backoffLimit` says. The program is what the Job does: it
ends well where that does. Left out: ways of submission other than by a Job, clusters that are there already, suspension, deadlines,
rules of deletion, the command and the variables of the submitter, times, events and the checks of the operator.

Source: ray-project/kuberay v1.7.0 `ray-operator/controllers/ray/rayjob_controller.go`, `common/job.go`, read 2026-11-23.
"""

import hashlib
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import condition
from eks_accelerators.simulator.kubernetes.controllers import ray_clusters
from eks_accelerators.simulator.kubernetes.controllers.reconciliation import (
    Obj,
    attend,
    is_owned_by,
    owner_of,
    report,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION, KIND = ray_clusters.API_VERSION, "RayJob"
MANAGER = ray_clusters.MANAGER

_SUBMITTER_RETRIES = 2
_ORIGIN = {"ray.io/originated-from-crd": KIND, "app.kubernetes.io/created-by": MANAGER}
_OVER = ("Complete", "Failed")


def sync(api: Api) -> None:
    """One pass over all RayJobs, then over Ray clusters."""
    attend(api, API_VERSION, KIND, _sync)
    ray_clusters.sync(api)


def _sync(api: Api, ray_job: Obj) -> None:
    spec = ray_job["spec"]
    if "rayClusterSpec" in spec and spec.get("submissionMode", "K8sJobMode") == "K8sJobMode":
        report(api, ray_job, _RayJob(api, ray_job).sync())


class _RayJob:
    """One RayJob, its cluster and the Job that submits."""

    def __init__(self, api: Api, obj: Obj) -> None:
        self._api, self._obj = api, obj
        self._metadata, self._spec, self._status = obj["metadata"], obj["spec"], dict(obj.get("status", {}))
        self._cluster = self._mine(API_VERSION, ray_clusters.KIND, self._status.get("rayClusterName", ""))
        self._submitter = self._mine("batch/v1", "Job", self._metadata["name"])

    def sync(self) -> Manifest:
        """Take one step, and return the status after it."""
        state = self._status.get("jobDeploymentStatus", "")
        if state in _OVER:
            if self._spec.get("shutdownAfterJobFinishes"):
                self._delete(self._cluster)
            return self._status
        return {**self._status, **_STEPS[state](self)}

    def begin(self) -> Manifest:
        """A name for the cluster, another one at each attempt."""
        attempt = f"{self._metadata['uid']} {self._status.get('failed', 0)}"
        suffix = hashlib.sha256(attempt.encode()).hexdigest()[:5]
        name = f"{self._metadata['name']}-{suffix}"
        return {"rayClusterName": name, "jobId": name, "jobStatus": "", "jobDeploymentStatus": "Initializing"}

    def submit(self) -> Manifest:
        """The cluster, and the Job once that is ready."""
        if self._cluster is None:
            self._api.create(
                self._made(ray_clusters.KIND, API_VERSION, self._status["rayClusterName"]), manager=MANAGER
            )
        elif self._cluster.get("status", {}).get("state") == "ready":
            if self._submitter is None:
                self._api.create(self._job(), manager=MANAGER)
            return {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}
        return {}

    def follow(self) -> Manifest:
        """The end of the Job is that of the program."""
        job = self._submitter or {}
        if condition(job, "Complete"):
            succeeded = self._status.get("succeeded", 0) + 1
            return {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "succeeded": succeeded}
        if condition(job, "Failed"):
            failed = self._status.get("failed", 0) + 1
            again = failed <= self._spec.get("backoffLimit", 0)
            state = "Retrying" if again else "Failed"
            return {"jobDeploymentStatus": state, "jobStatus": "FAILED", "failed": failed, "reason": "AppFailed"}
        return {}

    def retry(self) -> Manifest:
        """A new beginning when the cluster and the Job of the last attempt are gone."""
        if self._cluster is None and self._submitter is None:
            return {"jobDeploymentStatus": "", "jobStatus": "", "rayClusterName": "", "jobId": "", "reason": ""}
        self._delete(self._cluster)
        self._delete(self._submitter)
        return {}

    def _mine(self, api_version: str, kind: str, name: str) -> Obj | None:
        found = self._api.get(api_version, kind, name, self._metadata["namespace"]) if name else None
        return found if found and is_owned_by(found, self._obj) else None

    def _delete(self, obj: Obj | None) -> None:
        if obj and "deletionTimestamp" not in obj["metadata"]:
            self._api.delete(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"]["namespace"])

    def _made(self, kind: str, api_version: str, name: str) -> Manifest:
        labels = {**self._metadata.get("labels", {}), **self._origin()}
        return {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {
                "name": name,
                "namespace": self._metadata["namespace"],
                "labels": labels,
                "ownerReferences": [owner_of(self._obj)],
            },
            "spec": self._spec["rayClusterSpec"],
        }

    def _origin(self) -> dict[str, str]:
        return {**_ORIGIN, "ray.io/originated-from-cr-name": self._metadata["name"]}

    def _job(self) -> Manifest:
        template: Any = self._spec["submitterPodTemplate"]
        labels = {**template.get("metadata", {}).get("labels", {}), **self._origin()}
        retries = self._spec.get("submitterConfig", {}).get("backoffLimit", _SUBMITTER_RETRIES)
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": self._metadata["name"],
                "namespace": self._metadata["namespace"],
                "labels": self._origin(),
                "ownerReferences": [owner_of(self._obj)],
            },
            "spec": {
                "backoffLimit": retries,
                "template": {"metadata": {"labels": labels}, "spec": template["spec"]},
            },
        }


_STEPS = {"": _RayJob.begin, "Initializing": _RayJob.submit, "Running": _RayJob.follow, "Retrying": _RayJob.retry}
"""What follows which `jobDeploymentStatus`."""
