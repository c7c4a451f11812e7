"""A training job as a JobSet: all pods are made anew where one fails.

Source: JobSet 0.12.0 `api/jobset/v1alpha2/jobset_types.go`, read 2026-11-22.
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.gang import job_spec
from eks_accelerators.components.gang_pod import labels
from eks_accelerators.components.training_gang import LAUNCHER, DeployedEngine, TrainingGang, failure_policy, rendezvous
from eks_accelerators.settings.model.training import PytorchJobSettings

_WORKERS = "workers"
"""Name of the one Job of a JobSet."""


def job_set_spec(name: str, workload: PytorchJobSettings, pod: Any, job: str, job_labels: dict[str, str]) -> Any:
    """The spec of a JobSet of one Job called ``job``. A node that is taken away counts as no restart."""
    template: Any = {"spec": job_spec(name, workload.nodes, pod, 0, failure_policy("FailJob"))}
    if job_labels:
        template["metadata"] = {"labels": job_labels}
    return {
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "failurePolicy": {
            "maxRestarts": workload.max_restarts,
            "restartStrategy": "BlockingRecreate",  # the old pods hold the accelerators, and the names
            "rules": [
                {
                    "name": "nodeTakenAway",
                    "action": "RestartJobSetAndIgnoreMaxRestarts",
                    "onJobFailureReasons": ["PodFailurePolicy"],
                }
            ],
        },
        "replicatedJobs": [{"name": job, "replicas": 1, "template": template}],
    }


def _add(gang: TrainingGang) -> pulumi.Output[str]:
    metadata: Any = {"name": gang.name, "namespace": gang.place.namespace, "labels": labels(gang.name)}
    spec = job_set_spec(gang.name, gang.inputs.workload, gang.pod, _WORKERS, {})
    spec["network"]["subdomain"] = gang.name
    k8s.apiextensions.CustomResource(
        gang.name,
        api_version="jobset.x-k8s.io/v1alpha2",
        kind="JobSet",
        metadata=metadata,
        spec=spec,
        # Its jobs cannot be changed, so that another one takes its place.
        opts=gang.component.child(
            depends_on=[*gang.place.before, gang.programs], replace_on_changes=["spec"], delete_before_replace=True
        ),
    )
    return pulumi.Output.from_input(gang.name)


ENGINE = DeployedEngine(
    programs=(LAUNCHER,), variables=lambda name, inputs: rendezvous(name, inputs, f"{name}-{_WORKERS}-0-0"), add=_add
)
