"""What the pods of workloads ask of their node group, whatever they run."""

from dataclasses import dataclass
from math import inf

from eks_accelerators.accelerators.scheduling import Taint
from eks_accelerators.settings.fit import cpu_cores
from eks_accelerators.settings.gpu_memory import memory_of_pod
from eks_accelerators.settings.model.server import Server, ServerPlacement
from eks_accelerators.settings.placement import Amounts
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack
from eks_accelerators.settings.spreading import Spread, spread_of
from eks_accelerators.settings.tolerations import for_groups, untolerated


@dataclass(frozen=True, slots=True)
class PodRequests:
    """The pods of one workload.

    ``request`` is that of one pod: ``count`` of the accelerator ``resource`` among it, CPU as `cpu` in millicores, memory
    in MiB, and itself as one of `pods`. All pods are on one node where they are ``together``. ``untolerated`` are taints of
    the group that keep it away. ``memory_gib`` is what a pod takes of each of its GPUs or MIG instances, None where nobody
    knows. ``spread`` says on how many nodes they have to be; ``packed`` pods fill one node after the other.
    """

    kind: str
    name: str
    pods: int
    resource: str
    count: int
    request: Amounts
    together: bool
    untolerated: tuple[Taint, ...]
    memory_gib: float | None
    spread: Spread | None = None
    packed: bool = False


def pod_requests_of(stack: ResolvedStack, group: str) -> tuple[PodRequests, ...]:
    """The pods of all workloads that run on the node group, in the order of the settings."""
    return tuple(_asked(each) for each in stack.workloads_on(group))


def _asked(placed: PlacedWorkload) -> PodRequests:
    workload, group, fit = placed.workload, placed.group, placed.fit
    resource = workload.resource_name or group.resource
    extended = {resource: workload.accelerators, **workload.other_devices}
    request = _request(extended, cpu_cores(workload.resources.cpu), workload.resources.memory_gib)
    return PodRequests(
        kind=placed.kind,
        name=placed.name,
        pods=fit.pods,
        resource=resource,
        count=workload.accelerators,
        request=request,
        together=workload.TOGETHER,
        untolerated=untolerated(_admitted(for_groups([group], workload.tolerations), request), group.taints),
        memory_gib=memory_of_pod(workload, fit.taken_gib),
        spread=spread_of(workload, group, fit),
        packed=isinstance(workload, Server) and workload.placement is ServerPlacement.PACK,
    )


def _request(extended: dict[str, int], cores: float, memory_gib: int) -> Amounts:
    """All that one pod asks for; nothing of which it asks for none."""
    millicores = cores * 1000 if cores == inf else round(cores * 1000)
    amounts: dict[str, float] = {**extended, "cpu": millicores, "memory": memory_gib * 1024, "pods": 1}
    return {resource: amount for resource, amount in amounts.items() if amount}


def _admitted(tolerations: tuple[dict[str, str], ...], request: Amounts) -> tuple[dict[str, str], ...]:
    """With those that the API server adds: who asks for an extended resource tolerates the taint of its name.

    Source: Kubernetes' admission plugin ExtendedResourceToleration, which EKS enables (aws/containers-roadmap issue 739).
    """
    added = ({"key": name, "operator": "Exists", "effect": "NoSchedule"} for name in request if "/" in name)
    return (*tolerations, *added)
