"""A training job as a TrainJob of Kubeflow Trainer, with a runtime of which teams make further jobs.

The runtime has all that follows from the node group: image, accelerators, EFA, huge pages, shared memory, volumes, tolerations, what is
a fault and what is not. A TrainJob names it, and says how many nodes and processes there are; Kubeflow Trainer makes a JobSet
of both, and tells the pods by variables of `torchrun` (`PET_NNODES`, `PET_NPROC_PER_NODE`, `PET_MASTER_ADDR`).

Source: kubeflow/trainer v2.3.0, `pkg/apis/trainer/v1alpha1` (fields, and which cannot be changed), `pkg/webhooks/trainingruntime_webhook.go`
(label, one replica, name of the container), `pkg/runtime/framework/plugins/torch/torch.go` (variables), read 2026-11-22.
"""

from hashlib import sha256
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.gang_pod import labels
from eks_accelerators.components.job_set import job_set_spec
from eks_accelerators.components.training_gang import LAUNCHER, DeployedEngine, TrainingGang

_API = "trainer.kubeflow.org/v1alpha1"
_NODE = "node"
"""Name of Job and container that Kubeflow Trainer knows as the training."""

_MADE_OF = "eks-accelerators/runtime"
"""Annotation of the TrainJob with a digest of the runtime: Kubeflow Trainer reads that once, so that a changed one needs another job."""


def _add(gang: TrainingGang) -> pulumi.Output[str]:
    workload = gang.inputs.workload
    spec: Any = {
        # Teams may leave out how many nodes they want; the processes are told by the GPUs then.
        "mlPolicy": {"numNodes": workload.nodes, "torch": {}},
        "template": {
            "metadata": {"labels": labels(gang.name)},
            "spec": job_set_spec(
                gang.name,
                workload,
                _pod(gang.pod),
                _NODE,
                {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"},
            ),
        },
    }
    runtime = _object(gang, "ClusterTrainingRuntime", f"{gang.name}-runtime", {}, spec, gang.programs)
    namespaced = {
        "namespace": gang.place.namespace,
        "annotations": {_MADE_OF: pulumi.Output.json_dumps(spec).apply(_digest)},
    }
    job: Any = {
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": gang.name},
        "trainer": {"numNodes": workload.nodes, "numProcPerNode": gang.inputs.fit.processes_per_node},
    }
    _object(
        gang,
        "TrainJob",
        gang.name,
        namespaced,
        job,
        runtime,
        replace_on_changes=["spec", "metadata.annotations"],
        delete_before_replace=True,
    )
    return pulumi.Output.from_input(gang.name)


def _pod(pod: Any) -> Any:
    """The pod under the names that Kubeflow Trainer and JobSet give."""
    (container,) = pod["containers"]
    return {key: value for key, value in pod.items() if key != "subdomain"} | {
        "containers": [{**container, "name": _NODE}]
    }


def _object(
    gang: TrainingGang, kind: str, name: str, more: dict[str, Any], spec: Any, after: pulumi.Resource, **options: Any
) -> k8s.apiextensions.CustomResource:
    metadata: Any = {"name": gang.name, "labels": labels(gang.name), **more}
    before = [*gang.place.before, after]
    return k8s.apiextensions.CustomResource(
        name,
        api_version=_API,
        kind=kind,
        metadata=metadata,
        spec=spec,
        opts=gang.component.child(depends_on=before, **options),
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


ENGINE = DeployedEngine(programs=(LAUNCHER,), variables=lambda _name, _inputs: {}, add=_add)
