"""What training jobs and tests of the network have in common: pods on several nodes that find each other."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Generic, TypeVar

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import catalogue, name_of
from eks_accelerators.components.charts import namespace as secured_namespace
from eks_accelerators.components.gang_pod import RENDEZVOUS_PORT, labels
from eks_accelerators.components.workload_component import Surroundings, WorkloadComponent
from eks_accelerators.settings.model.training import GangWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.training_fit import GangFit

W = TypeVar("W", bound=GangWorkload)


@dataclass(frozen=True, slots=True)
class GangInputs(Generic[W]):
    """A workload on several nodes, the node group that it runs on, and how it sits there.

    ``namespace`` is there already, or None for one of its own. ``block_end`` is the end of the Capacity Block that the node
    group is on, RFC 3339; None where it is on none.
    """

    workload: W
    group: ResolvedNodeGroup
    fit: GangFit
    namespace: pulumi.Input[str] | None = None
    block_end: pulumi.Input[str] | None = None
    node_selector: dict[str, str] | None = None


class GangComponent(WorkloadComponent[GangInputs[W]], Generic[W]):
    """A component of such pods. They find each other by name, and mount volumes."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = "the images of PyTorch run as root; everything else of the restricted profile holds"

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> GangInputs[Any]:
        """With the end of the Capacity Block that its node group is on."""
        workload, fit = placed.workload, placed.fit
        assert isinstance(workload, GangWorkload)
        assert isinstance(fit, GangFit)
        return GangInputs(workload, placed.group, fit, namespace=around.namespace, block_end=around.block_end)


def image_of(inputs: GangInputs[Any]) -> str:
    """The image: the user's, or the one for the accelerators of the node group."""
    return inputs.workload.image or catalogue()["pytorch-neuron" if inputs.group.type.neuron else "pytorch"]["image"]


def program_text(name: str) -> str:
    """The text of a program that pods run, as it ships."""
    return files("eks_accelerators.components").joinpath("programs", name).read_text(encoding="utf-8")


def programs_of(name: str) -> str:
    """Name of the ConfigMap with the programs of a workload."""
    return f"{name}-programs"


def service_spec(name: str) -> Any:
    """A name for each pod, also before it is ready: the others wait for the first by it."""
    return {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": labels(name),
        "ports": [{"name": "rendezvous", "port": RENDEZVOUS_PORT}],
    }


@dataclass(frozen=True, slots=True)
class GangNamespace:
    """The namespace of a workload, by name, and what has to be there before anything in it."""

    namespace: pulumi.Output[str]
    before: list[pulumi.Resource]


def place_of(component: GangComponent[Any], name: str, given: pulumi.Input[str] | None) -> GangNamespace:
    """The namespace that is ``given``, or one of its own called ``name``."""
    if given is not None:
        return GangNamespace(pulumi.Output.from_input(given), [])
    space = secured_namespace(
        component, name, pod_security=component.POD_SECURITY, reason=component.POD_SECURITY_REASON
    )
    return GangNamespace(name_of(space), [space])


def add_programs(
    component: Component[Any], name: str, place: GangNamespace, programs: tuple[str, ...]
) -> k8s.core.v1.ConfigMap:
    """The ConfigMap with the programs that ship, which pods mount."""
    metadata: Any = {"name": programs_of(name), "namespace": place.namespace, "labels": labels(name)}
    return k8s.core.v1.ConfigMap(
        programs_of(name),
        metadata=metadata,
        data={program: program_text(program) for program in programs},
        opts=component.child(depends_on=place.before),
    )


def add_service(component: Component[Any], name: str, place: GangNamespace) -> k8s.core.v1.Service:
    """The headless Service of the pods."""
    metadata: Any = {
        "name": name,
        "namespace": place.namespace,
        "labels": labels(name),
        "annotations": {"pulumi.com/skipAwait": "true"},  # its pods may come with a Capacity Block, weeks later
    }
    return k8s.core.v1.Service(
        name, metadata=metadata, spec=service_spec(name), opts=component.child(depends_on=place.before)
    )


def job_spec(name: str, nodes: int, pod: Any, backoff_limit: int, policy: list[dict[str, Any]]) -> Any:
    """An Indexed Job of one pod on each node, all at a time. Typed as Any, or mypy compares it with all shapes of the SDK."""
    return {
        "completionMode": "Indexed",
        "completions": nodes,
        "parallelism": nodes,
        "backoffLimit": backoff_limit,
        # Two pods of one index would have one name: the next is made when the last has ended.
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": policy},
        # No ttlSecondsAfterFinished: the Job and its logs stay until Pulumi deletes them.
        "template": {"metadata": {"labels": labels(name)}, "spec": pod},
    }


def add_job(
    component: Component[Any], name: str, place: GangNamespace, spec: Any, before: list[pulumi.Resource]
) -> "k8s.batch.v1.Job":
    """The Job. No deployment waits for it: it lasts for days, or begins with a Capacity Block."""
    metadata: Any = {
        "name": name,
        "namespace": place.namespace,
        "labels": labels(name),
        "annotations": {"pulumi.com/skipAwait": "true"},
    }
    return k8s.batch.v1.Job(
        name, metadata=metadata, spec=spec, opts=component.child(depends_on=[*place.before, *before])
    )
