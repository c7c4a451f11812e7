"""Distributed training by PyTorch on the nodes of one group."""

from datetime import datetime, timedelta
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END
from eks_accelerators.components.arguments import PytorchJobArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of
from eks_accelerators.components.gang import (
    GangInputs,
    GangNamespace,
    add_job,
    add_programs,
    add_service,
    image_of,
    job_spec,
    place_of,
)
from eks_accelerators.components.gang_pod import PROGRAMS, labels, pod_spec
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.settings.model.training import PytorchJobSettings, TrainingController
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.training_fit import training_fit

_LAUNCHER, _SAMPLE = "launch.py", "train_small_model.py"

_SAVE_SECONDS = 30
"""For a program without checkpoints: to end in an orderly way."""

_AFTER_SAVING_SECONDS = 60
"""torchrun gives processes 30 seconds to end, and needs some to end itself."""

_STOP_FILE = "/tmp/ask-to-end"  # noqa: S108  (in the container, where nobody else is)

_ENDED_EARLY = [75, 143]
"""Exit statuses of `launch.py` where a node is taken away: on the nodes that stay, and on the one that goes."""

_WORKERS = "workers"
"""Name of the one Job of a JobSet."""


class PytorchJob(Component[GangInputs[PytorchJobSettings]]):
    """Namespace, ConfigMap of programs, headless Service and Indexed Job; or a JobSet, which makes Service and Job.

    Needs a Kubernetes provider in its options, and JobSet in the cluster for `jobSet`. No deployment waits for it.
    """

    job_name: pulumi.Output[str]
    """Name of the Job, or of the JobSet."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: PytorchJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _create(self, name: str, inputs: GangInputs[PytorchJobSettings], opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        place = place_of(self, name, inputs.namespace)
        programs = add_programs(self, name, place, (_LAUNCHER, *(() if inputs.workload.program else (_SAMPLE,))))
        pod = self._pod(name, inputs, place)
        if inputs.workload.controller is TrainingController.JOB_SET:
            self._job_set(name, inputs.workload, place, pod, programs)
            self.job_name = pulumi.Output.from_input(name)
        else:
            service = add_service(self, name, place)
            workload = inputs.workload
            policy: Any = [
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                {"action": "Ignore", "onExitCodes": {"operator": "In", "values": _ENDED_EARLY}},
            ]
            # Where the pod of index 0 is lost, the pods of all nodes fail.
            spec = job_spec(name, workload.nodes, pod, workload.nodes * workload.max_restarts, policy)
            self.job_name = name_of(add_job(self, name, place, spec, [programs, service]))
        self.namespace_name = place.namespace
        self.register_outputs({"job_name": self.job_name, "namespace_name": self.namespace_name})

    def _pod(self, name: str, inputs: GangInputs[PytorchJobSettings], place: GangNamespace) -> Any:
        workload, group = inputs.workload, inputs.group
        environment = _environment(name, inputs)
        spec = pod_spec(
            name,
            workload,
            group,
            image=image_of(inputs),
            command=[
                "python3",
                f"{PROGRAMS}/{_LAUNCHER}",
                workload.program or f"{PROGRAMS}/{_SAMPLE}",
                *workload.arguments,
            ],
            environment=environment,
            node_selector=inputs.node_selector or group.node_selector,
            programs=f"{name}-programs",
            grace_seconds=_save_seconds(workload) + _AFTER_SAVING_SECONDS,
        )
        gpus = workload.accelerators
        return with_claims(spec, claims_of(self, f"{name}-gpus", group, gpus, place.namespace, depends_on=place.before))

    def _job_set(
        self, name: str, workload: PytorchJobSettings, place: GangNamespace, pod: Any, programs: pulumi.Resource
    ) -> None:
        """All pods are made anew where one fails. A node that is taken away counts as no restart.

        Source: JobSet 0.12.0 `api/jobset/v1alpha2/jobset_types.go`, read 2026-11-22.
        """
        policy: Any = [
            {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
            {"action": "FailJob", "onExitCodes": {"operator": "In", "values": _ENDED_EARLY}},
        ]
        job = {"spec": job_spec(name, workload.nodes, pod, 0, policy)}
        metadata: Any = {"name": name, "namespace": place.namespace, "labels": labels(name)}
        spec: Any = {
            "network": {"enableDNSHostnames": True, "subdomain": name, "publishNotReadyAddresses": True},
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
            "replicatedJobs": [{"name": _WORKERS, "replicas": 1, "template": job}],
        }
        k8s.apiextensions.CustomResource(
            name,
            api_version="jobset.x-k8s.io/v1alpha2",
            kind="JobSet",
            metadata=metadata,
            spec=spec,
            # Its jobs cannot be changed, so that another one takes its place.
            opts=self.child(
                depends_on=[*place.before, programs],
                replace_on_changes=["spec"],
                delete_before_replace=True,
            ),
        )


def _environment(name: str, inputs: GangInputs[PytorchJobSettings]) -> dict[str, Any]:
    """What `components/programs/launch.py` and the program read."""
    workload = inputs.workload
    first = f"{name}-{_WORKERS}-0-0" if workload.controller is TrainingController.JOB_SET else f"{name}-0"
    found: dict[str, Any] = {
        "NODES": str(workload.nodes),
        "PROCESSES_PER_NODE": str(inputs.fit.processes_per_node),
        "RENDEZVOUS_HOST": f"{first}.{name}",
        "RENDEZVOUS_ID": name,
        "MAX_RESTARTS": str(workload.max_restarts),
        "STOP_FILE": _STOP_FILE,
        "SAVE_SECONDS": str(_save_seconds(workload)),
        "PRECISION": workload.precision.value,
    }
    if workload.checkpoints:
        mount = workload.volumes[workload.checkpoints.volume].mount_path.rstrip("/")
        found["CHECKPOINTS"] = f"{mount}/{workload.checkpoints.directory or name}"
    if inputs.group.type.neuron:
        found["ACCELERATOR"] = "neuron"
    if inputs.block_end is not None:
        seconds = _save_seconds(workload)
        found["STOP_AT"] = pulumi.Output.from_input(inputs.block_end).apply(lambda end: _stop_at(end, seconds))
    return found


def _stop_at(block_end: str, save_seconds: int) -> str:
    """When the program has to begin its last checkpoint, so that it is whole when EKS drains the block's nodes."""
    return (datetime.fromisoformat(block_end) - DRAIN_BEFORE_END - timedelta(seconds=save_seconds)).isoformat()


def _save_seconds(workload: PytorchJobSettings) -> int:
    return workload.checkpoints.save_seconds if workload.checkpoints else _SAVE_SECONDS


def _parsed(name: str, args: PytorchJobArgs) -> GangInputs[PytorchJobSettings]:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    runs_on = args["runs_on"]
    group: ResolvedNodeGroup
    group, workload = resolve_workload(PytorchJobSettings, name, args, runs_on)
    return GangInputs(
        workload=workload,
        group=group,
        fit=training_fit(workload, group),
        namespace=args.get("namespace"),
        block_end=args.get("capacity_block_end"),
        node_selector=runs_on.get("node_selector"),
    )
