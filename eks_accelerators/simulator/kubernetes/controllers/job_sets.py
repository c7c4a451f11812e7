"""What the controller of JobSet does: Jobs and a headless Service, and all Jobs anew where one fails.

Jobs and pods have the names, labels and annotations that the real one gives them. A JobSet is complete with its last Job, and restarts
or fails as its failure policy says. Left out: success policies other than all, startup and dependencies, coordinators, exclusive
placement, restarts of single Jobs, claims of volumes, the end of finished JobSets after a time, times, events and the webhook's checks.

Source: kubernetes-sigs/jobset v0.12.0 `pkg/controllers/jobset_controller.go`, `failure_policy.go`, `pkg/webhooks/jobset_webhook.go`
(defaults), read 2026-11-23.
"""

import hashlib
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import condition
from eks_accelerators.simulator.kubernetes.controllers.reconciliation import (
    Obj,
    attend,
    is_owned_by,
    owner_of,
    report,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION, KIND = "jobset.x-k8s.io/v1alpha2", "JobSet"
MANAGER = "jobset"

_OF = "jobset.sigs.k8s.io"
_NAME, _ATTEMPT, _REPLICATED = f"{_OF}/jobset-name", f"{_OF}/restart-attempt", f"{_OF}/replicatedjob-name"
_REASONS = {"FailJobSet": "FailJobSetFailurePolicyAction", "RestartJobSet": "ReachedMaxRestarts", None: "FailedJobs"}
"""Why a JobSet has failed, by the action that its policy demands; without a policy any failed Job is the end."""


def sync(api: Api) -> None:
    """Reconcile every JobSet once."""
    attend(api, API_VERSION, KIND, lambda api, each: _JobSet(api, each).sync())


def jobs_of(job_set: Obj) -> list[Manifest]:
    """The Jobs that are made of a JobSet, in order, for as often as it has restarted."""
    spec = job_set["spec"]
    return [
        _job(job_set, replicated, index)
        for replicated in spec["replicatedJobs"]
        for index in range(replicated.get("replicas", 1))
    ]


class _JobSet:
    """One JobSet, and the Jobs that it has."""

    def __init__(self, api: Api, obj: Obj) -> None:
        self._api, self._obj = api, obj
        self._metadata, self._spec, self._status = obj["metadata"], obj["spec"], dict(obj.get("status", {}))
        self._restarts: int = self._status.get("restarts", 0)
        listed = api.list("batch/v1", "Job", self._metadata["namespace"], f"{_NAME}={self._metadata['name']}")
        mine = [each for each in listed if is_owned_by(each, obj)]
        self._now = [each for each in mine if _attempt(each) == self._restarts]
        self._before = [each for each in mine if _attempt(each) != self._restarts]

    def sync(self) -> None:
        if condition(self._obj, "Completed") or condition(self._obj, "Failed"):
            self._delete([each for each in self._now if _end(each) is None])
            return
        self._delete(self._before)
        failed = [each for each in self._now if _end(each) == "Failed"]
        self._count()
        if failed:
            self._fail(failed)
        elif len(self._now) == len(jobs_of(self._obj)) and all(_end(each) == "Complete" for each in self._now):
            self._finish("Completed", "AllJobsCompleted", "jobset completed successfully")
        else:
            self._make()
        report(self._api, self._obj, self._status)

    def _make(self) -> None:
        network = self._spec.get("network", {})
        namespace = self._metadata["namespace"]
        if network.get("enableDNSHostnames", True) and not self._api.get(
            "v1", "Service", _subdomain(self._obj), namespace
        ):
            self._api.create(self._service(network.get("publishNotReadyAddresses", True)), manager=MANAGER)
        if self._before and self._spec.get("failurePolicy", {}).get("restartStrategy") == "BlockingRecreate":
            return
        there = {each["metadata"]["name"] for each in (*self._now, *self._before)}
        for job in jobs_of(self._obj):
            if job["metadata"]["name"] not in there:
                self._api.create(job, manager=MANAGER)

    def _service(self, publish_not_ready: bool) -> Manifest:
        metadata = {"name": _subdomain(self._obj), "namespace": self._metadata["namespace"]}
        selector = {_NAME: self._metadata["name"]}
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**metadata, "ownerReferences": [owner_of(self._obj)]},
            "spec": {"clusterIP": "None", "selector": selector, "publishNotReadyAddresses": publish_not_ready},
        }

    def _fail(self, failed: list[Obj]) -> None:
        """What the failure policy says of Jobs that have failed: the first rule that fits one of them."""
        policy = self._spec.get("failurePolicy")
        action = _action(policy, failed) if policy is not None else None
        counted = self._status.get("restartsCountTowardsMax", 0)
        if action == "RestartJobSetAndIgnoreMaxRestarts":
            self._status["restarts"] = self._restarts + 1
        elif action == "RestartJobSet" and counted < policy.get("maxRestarts", 0):
            self._status |= {"restarts": self._restarts + 1, "restartsCountTowardsMax": counted + 1}
        else:
            message = f"jobset failed (first failed job: {failed[0]['metadata']['name']})"
            self._finish("Failed", _REASONS[action], message)

    def _finish(self, kind: str, reason: str, message: str) -> None:
        self._status["conditions"] = [{"type": kind, "status": "True", "reason": reason, "message": message}]
        self._status["terminalState"] = kind

    def _count(self) -> None:
        self._status["replicatedJobsStatus"] = [self._counted(each["name"]) for each in self._spec["replicatedJobs"]]

    def _counted(self, replicated: str) -> Manifest:
        jobs = [each for each in self._now if each["metadata"]["labels"][_REPLICATED] == replicated]
        active = [each for each in jobs if _end(each) is None]
        return {
            "name": replicated,
            "ready": sum(map(_is_ready, active)),
            "succeeded": sum(_end(each) == "Complete" for each in jobs),
            "failed": sum(_end(each) == "Failed" for each in jobs),
            "active": sum(bool(each.get("status", {}).get("active")) for each in active),
            "suspended": sum(bool(each["spec"].get("suspend")) for each in active),
        }

    def _delete(self, jobs: list[Obj]) -> None:
        for job in jobs:
            if "deletionTimestamp" not in job["metadata"]:
                self._api.delete("batch/v1", "Job", job["metadata"]["name"], job["metadata"]["namespace"])


def _job(job_set: Obj, replicated: Obj, index: int) -> Manifest:
    template, metadata = replicated["template"], job_set["metadata"]
    own = _labels(job_set, replicated, index)
    spec: Any = {"completionMode": "Indexed", **template["spec"], "suspend": job_set["spec"].get("suspend", False)}
    pod = spec["template"]
    pod_spec = {"restartPolicy": "OnFailure", **pod["spec"]}
    if job_set["spec"].get("network", {}).get("enableDNSHostnames", True):
        pod_spec["subdomain"] = _subdomain(job_set)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{metadata['name']}-{replicated['name']}-{index}",
            "namespace": metadata["namespace"],
            "ownerReferences": [owner_of(job_set)],
            **_labelled(template.get("metadata", {}), own),
        },
        "spec": {**spec, "template": {"metadata": _labelled(pod.get("metadata", {}), own), "spec": pod_spec}},
    }


def _labels(job_set: Obj, replicated: Obj, index: int) -> dict[str, str]:
    """What Jobs and pods have as labels, and as annotations too."""
    metadata, all_of_it = job_set["metadata"], job_set["spec"]["replicatedJobs"]
    group = _group(replicated)
    in_group = [each for each in all_of_it if _group(each) == group]
    name = f"{metadata['namespace']}/{metadata['name']}-{replicated['name']}-{index}"
    return {
        _NAME: metadata["name"],
        f"{_OF}/jobset-uid": metadata["uid"],
        _REPLICATED: replicated["name"],
        _ATTEMPT: str(job_set.get("status", {}).get("restarts", 0)),
        f"{_OF}/replicatedjob-replicas": str(replicated.get("replicas", 1)),
        f"{_OF}/global-replicas": str(_replicas(all_of_it)),
        f"{_OF}/job-index": str(index),
        f"{_OF}/job-key": hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest(),
        f"{_OF}/job-global-index": str(_before(all_of_it, replicated) + index),
        f"{_OF}/group-name": group,
        f"{_OF}/group-replicas": str(_replicas(in_group)),
        f"{_OF}/job-group-index": str(_before(in_group, replicated) + index),
    }


def _labelled(given: Obj, own: dict[str, str]) -> Manifest:
    return {key: {**given.get(key, {}), **own} for key in ("labels", "annotations")}


def _group(replicated: Obj) -> str:
    return str(replicated.get("groupName", "default"))


def _replicas(replicated: list[Obj]) -> int:
    return sum(each.get("replicas", 1) for each in replicated)


def _before(all_of_it: list[Obj], replicated: Obj) -> int:
    return _replicas(all_of_it[: [each["name"] for each in all_of_it].index(replicated["name"])])


def _subdomain(job_set: Obj) -> str:
    return str(job_set["spec"].get("network", {}).get("subdomain") or job_set["metadata"]["name"])


def _attempt(job: Obj) -> int:
    return int(job["metadata"]["labels"][_ATTEMPT])


def _end(job: Obj) -> str | None:
    """How a Job has ended: `Complete` or `Failed`."""
    return next((kind for kind in ("Complete", "Failed") if condition(job, kind)), None)


def _is_ready(job: Obj) -> bool:
    status, spec = job.get("status", {}), job["spec"]
    pods = min(spec["parallelism"], spec.get("completions") or spec["parallelism"])
    return bool(status.get("succeeded", 0) + status.get("ready", 0) >= pods)


def _action(policy: Obj, failed: list[Obj]) -> str:
    for rule in policy.get("rules", ()):
        if any(_fits(rule, job) for job in failed):
            return str(rule["action"])
    return "RestartJobSet"


def _fits(rule: Obj, job: Obj) -> bool:
    reasons, targets = rule.get("onJobFailureReasons"), rule.get("targetReplicatedJobs")
    why = (condition(job, "Failed") or {}).get("reason")
    return (not reasons or why in reasons) and (not targets or job["metadata"]["labels"][_REPLICATED] in targets)
