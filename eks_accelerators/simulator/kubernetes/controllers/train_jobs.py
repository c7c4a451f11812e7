"""What Kubeflow Trainer does of a TrainJob: a JobSet of its runtime, with the job's own nodes, image, command and variables.

What `torchrun` reads is among the variables. The status is that of the JobSet. Left out: policies other than `torch`, TorchTune,
initializers, patches of the runtime, resources of a node that a job names, deadlines, groups of pods, times, events and the
webhooks' checks.

Source: kubeflow/trainer v2.3.0 `pkg/runtime/framework/plugins/torch/torch.go`, `plugins/jobset/jobset.go`, `builder.go`,
`pkg/runtime/core/trainingruntime.go`, read 2026-11-23.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import condition
from eks_accelerators.simulator.kubernetes.controllers import job_sets
from eks_accelerators.simulator.kubernetes.controllers.reconciliation import (
    Obj,
    attend,
    is_owned_by,
    owner_of,
    report,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION, KIND = "trainer.kubeflow.org/v1alpha1", "TrainJob"
MANAGER = "trainer"

_ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
_NODE = "node"
_PORT = 29500
_RANK = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_ENDS = {"Completed": "Complete", "Failed": "Failed"}
"""Conditions of a JobSet, and what they are called of a TrainJob."""


def sync(api: Api) -> None:
    """Reconcile every TrainJob once."""
    attend(api, API_VERSION, KIND, _sync)


def _sync(api: Api, train_job: Obj) -> None:
    metadata = train_job["metadata"]
    made = api.get(job_sets.API_VERSION, job_sets.KIND, metadata["name"], metadata["namespace"])
    if made is not None:
        if is_owned_by(made, train_job):
            _report(api, train_job, made)
    elif not any(condition(train_job, end) for end in _ENDS.values()) and (runtime := _runtime(api, train_job)):
        api.create(job_set_of(train_job, runtime), manager=MANAGER)


def job_set_of(train_job: Obj, runtime: Obj) -> Manifest:
    """The JobSet that is made of a job and the runtime that it names."""
    metadata, template = train_job["metadata"], runtime["spec"]["template"]
    spec: Any = deepcopy(template["spec"])
    for replicated in spec["replicatedJobs"]:
        if replicated["template"].get("metadata", {}).get("labels", {}).get(_ANCESTOR) == "trainer":
            _train(replicated, train_job, runtime)
    if "suspend" in train_job["spec"]:
        spec["suspend"] = train_job["spec"]["suspend"]
    return {
        "apiVersion": job_sets.API_VERSION,
        "kind": job_sets.KIND,
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            **template.get("metadata", {}),
            "ownerReferences": [owner_of(train_job)],
        },
        "spec": spec,
    }


def _train(replicated: Obj, train_job: Obj, runtime: Obj) -> None:
    """Give the training the nodes, the image, the command and the variables of the job."""
    trainer, policy = train_job["spec"].get("trainer", {}), runtime["spec"].get("mlPolicy", {})
    nodes = trainer.get("numNodes", policy.get("numNodes", 1))
    spec = replicated["template"]["spec"]
    spec |= {"parallelism": nodes, "completions": nodes}
    replicated["replicas"] = 1
    container = next((each for each in spec["template"]["spec"]["containers"] if each["name"] == _NODE), None)
    if container is None:
        return
    container |= {key: trainer[key] for key in ("image", "command", "args") if key in trainer}
    variables = {each["name"]: each for each in (*container.get("env", ()), *trainer.get("env", ()))}
    if "torch" in policy:
        variables |= _of_torchrun(train_job["metadata"]["name"], nodes, trainer.get("numProcPerNode", "auto"))
        container["ports"] = [*container.get("ports", ()), {"containerPort": _PORT}]
    container["env"] = list(variables.values())


def _of_torchrun(name: str, nodes: int, processes: int | str) -> Mapping[str, Manifest]:
    values = {
        "PET_NNODES": str(nodes),
        "PET_NPROC_PER_NODE": str(processes),
        "PET_MASTER_ADDR": f"{name}-{_NODE}-0-0.{name}",
        "PET_MASTER_PORT": str(_PORT),
    }
    rank = {"name": "PET_NODE_RANK", "valueFrom": {"fieldRef": {"fieldPath": _RANK}}}
    return {**{key: {"name": key, "value": value} for key, value in values.items()}, "PET_NODE_RANK": rank}


def _runtime(api: Api, train_job: Obj) -> Obj | None:
    named = train_job["spec"]["runtimeRef"]
    kind = named.get("kind", "ClusterTrainingRuntime")
    namespace = train_job["metadata"]["namespace"] if kind == "TrainingRuntime" else None
    return api.get(API_VERSION, kind, named["name"], namespace)


def _report(api: Api, train_job: Obj, job_set: Obj) -> None:
    ends = [{**found, "type": end} for its, end in _ENDS.items() if (found := condition(job_set, its))]
    counted = job_set.get("status", {}).get("replicatedJobsStatus", [])
    report(api, train_job, {"jobsStatus": counted, **({"conditions": ends} if ends else {})})
