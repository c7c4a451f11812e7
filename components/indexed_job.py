"""A training job as an Indexed Job of Kubernetes: a pod that is lost is followed by another."""

import pulumi

from eks_accelerators.components.charts import name_of
from eks_accelerators.components.gang import add_job, add_service, job_spec
from eks_accelerators.components.training_gang import LAUNCHER, DeployedEngine, TrainingGang, failure_policy, rendezvous


def _add(gang: TrainingGang) -> pulumi.Output[str]:
    """Headless Service and Job. Where the pod of index 0 is lost, the pods of all nodes fail."""
    workload = gang.inputs.workload
    service = add_service(gang.component, gang.name, gang.place)
    limit = workload.nodes * workload.max_restarts
    spec = job_spec(gang.name, workload.nodes, gang.pod, limit, failure_policy("Ignore"))
    return name_of(add_job(gang.component, gang.name, gang.place, spec, [gang.programs, service]))


ENGINE = DeployedEngine(
    programs=(LAUNCHER,), variables=lambda name, inputs: rendezvous(name, inputs, f"{name}-0"), add=_add
)
