"""The Jobs of checks: begun, awaited, and what their pods have printed."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from eks_accelerators.verification import nvidia_smi
from eks_accelerators.verification.cluster import (
    AskedCluster,
    ClusterError,
    KubernetesObject,
    is_ready,
    name_of,
    phase_of,
    why_waiting,
)
from eks_accelerators.verification.tasks import CheckTask, PodOutput

_STEP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class CheckJobs:
    """Jobs in a cluster. ``unscheduled_seconds`` a pod may wait for its node; ``renew`` is called while they run."""

    cluster: AskedCluster
    unscheduled_seconds: float
    renew: Callable[[], None]

    def begin(self, task: CheckTask) -> KubernetesObject | None:
        """Create the Job with what it needs, and return it; None where there is nothing to run."""
        if task.job is None:
            return None
        for kind, each in task.objects:
            try:
                self.cluster.create(kind, each)
            except ClusterError as error:
                if error.status != 409:  # what the Jobs of several nodes need is made once
                    raise
        return self.cluster.create("jobs", task.job)

    def outputs(self, task: CheckTask, job: KubernetesObject | None) -> list[PodOutput]:
        """Wait until all pods of the Job have ended; what they printed, and the pods of others that are asked."""
        found = self._awaited(task, job) if job is not None else []
        return found + [self._asked(user) for user in task.users]

    def _awaited(self, task: CheckTask, job: KubernetesObject) -> list[PodOutput]:
        name, namespace = str(job["metadata"]["name"]), str(job["metadata"]["namespace"])
        began = time.monotonic()
        while True:
            self.renew()
            pods = self.cluster.list("pods", namespace, f"batch.kubernetes.io/job-name={name}")
            waited = time.monotonic() - began
            over = waited > task.seconds
            lost = waited > self.unscheduled_seconds and any(not each["spec"].get("nodeName") for each in pods)
            ended = [each for each in pods if phase_of(each) in ("Succeeded", "Failed")]
            if over or lost or (len(ended) == len(pods) >= task.pods):
                break
            time.sleep(_STEP_SECONDS)
        found = [self._output(each) for each in pods]
        self.cluster.delete("jobs", name, namespace)
        return found or [PodOutput(name, "", why="its Job has made no pod")]

    def _output(self, pod: KubernetesObject) -> PodOutput:
        metadata, phase = pod["metadata"], phase_of(pod)
        name = str(metadata["name"])
        if phase not in ("Succeeded", "Failed"):
            return PodOutput(name, "", why=why_waiting(pod) or "it has not ended in time")
        try:
            log = self.cluster.log(metadata["namespace"], name)
        except ClusterError as error:
            return PodOutput(name, "", why=f"its log cannot be read: {error}")
        if not log and phase == "Failed":
            return PodOutput(name, "", why=why_waiting(pod))
        return PodOutput(name, log)

    def _asked(self, pod: KubernetesObject) -> PodOutput:
        """Which devices a pod of somebody else has: it is asked, and nothing in it is changed."""
        metadata, container = pod["metadata"], _with_device(pod)
        if not is_ready(pod):
            return PodOutput(name_of(pod), "", why=f"it is not ready: {why_waiting(pod)}")
        try:
            log = self.cluster.execute(metadata["namespace"], metadata["name"], container, nvidia_smi.LIST)
        except ClusterError as error:
            return PodOutput(name_of(pod), "", why=f"it cannot be asked: {error}")
        return PodOutput(name_of(pod), log)


def _with_device(pod: KubernetesObject) -> str:
    """The container that asks for an extended resource."""
    containers = pod["spec"]["containers"]
    for container in containers:
        if any("/" in name for name in (container.get("resources") or {}).get("requests") or {}):
            return str(container["name"])
    return str(containers[0]["name"])
