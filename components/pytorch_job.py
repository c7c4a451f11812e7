"""Distributed training by PyTorch on the nodes of one group."""

from datetime import datetime, timedelta
from typing import Any

import pulumi

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END
from eks_accelerators.components.arguments import PytorchJobArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.gang import GangComponent, GangInputs, GangNamespace, add_programs, place_of
from eks_accelerators.components.gang_pod import PROGRAMS, pod_spec
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.training_engines import DEPLOYED
from eks_accelerators.components.training_gang import LAUNCHER, TrainingGang, save_seconds
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.settings.model.training import PytorchJobSettings
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.training_fit import training_fit

_SAMPLE = "train_small_model.py"

_AFTER_SAVING_SECONDS = 60
"""torchrun gives processes 30 seconds to end, and needs some to end itself."""

_STOP_FILE = "/tmp/ask-to-end"  # noqa: S108  (in the container, where nobody else is)


class PytorchJob(GangComponent[PytorchJobSettings]):
    """Namespace, ConfigMap of programs, headless Service and Indexed Job; or a JobSet, a TrainJob with its runtime, or
    a RayJob.

    Needs in the cluster JobSet for `jobSet`, JobSet and Kubeflow Trainer for `trainJob`, KubeRay for `rayJob`. No
    deployment waits for it.

    Providers: Kubernetes.

    Alone: Distributed training on a node group that is described by `runs_on`. Its checkpoints are on a claim of
    the namespace that `volumes` names. What it does is in `docs/training.md`.
    """

    job_name: pulumi.Output[str]
    """Name of the Job, JobSet, TrainJob or RayJob."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: PytorchJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _create(self, name: str, inputs: GangInputs[PytorchJobSettings], opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        place = place_of(self, name, inputs.namespace)
        engine = DEPLOYED[inputs.workload.controller]
        programs = add_programs(self, name, place, (*engine.programs, *(() if inputs.workload.program else (_SAMPLE,))))
        gang = TrainingGang(self, name, inputs, place, self._pod(name, inputs, place), programs)
        self.job_name = engine.add(gang)
        self.namespace_name = place.namespace
        self.register_outputs({"job_name": self.job_name, "namespace_name": self.namespace_name})

    def _pod(self, name: str, inputs: GangInputs[PytorchJobSettings], place: GangNamespace) -> Any:
        workload, group = inputs.workload, inputs.group
        environment = _environment(name, inputs)
        spec = pod_spec(
            name,
            workload,
            group,
            image=_image(inputs),
            command=[
                "python3",
                f"{PROGRAMS}/{LAUNCHER}",
                workload.program or f"{PROGRAMS}/{_SAMPLE}",
                *workload.arguments,
            ],
            environment=environment,
            node_selector=inputs.node_selector or group.node_selector,
            programs=f"{name}-programs",
            grace_seconds=save_seconds(workload) + _AFTER_SAVING_SECONDS,
        )
        gpus = workload.accelerators
        return with_claims(spec, claims_of(self, f"{name}-gpus", group, gpus, place.namespace, depends_on=place.before))


def _image(inputs: GangInputs[PytorchJobSettings]) -> str:
    """The user's image, or the one of the engine for the accelerators of the node group."""
    workload, engine = inputs.workload, inputs.workload.engine
    key = engine.neuron_image if inputs.group.type.neuron else engine.image
    assert key is not None, "a rule refuses an engine that does not run there"
    return workload.image or catalogue()[key]["image"]


def _environment(name: str, inputs: GangInputs[PytorchJobSettings]) -> dict[str, Any]:
    """What `components/programs/launch.py` and the program read."""
    workload = inputs.workload
    found: dict[str, Any] = {
        **DEPLOYED[workload.controller].variables(name, inputs),
        "RENDEZVOUS_ID": name,
        "MAX_RESTARTS": str(workload.max_restarts),
        "STOP_FILE": _STOP_FILE,
        "SAVE_SECONDS": str(save_seconds(workload)),
        "PRECISION": workload.precision.value,
    }
    if workload.checkpoints:
        mount = workload.volumes[workload.checkpoints.volume].mount_path.rstrip("/")
        found["CHECKPOINTS"] = f"{mount}/{workload.checkpoints.directory or name}"
    if inputs.group.type.neuron:
        found["ACCELERATOR"] = "neuron"
    if inputs.block_end is not None:
        seconds = save_seconds(workload)
        found["STOP_AT"] = pulumi.Output.from_input(inputs.block_end).apply(lambda end: _stop_at(end, seconds))
    return found


def _stop_at(block_end: str, save_seconds: int) -> str:
    """When the program has to begin its last checkpoint, so that it is whole when EKS drains the block's nodes."""
    return (datetime.fromisoformat(block_end) - DRAIN_BEFORE_END - timedelta(seconds=save_seconds)).isoformat()


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
