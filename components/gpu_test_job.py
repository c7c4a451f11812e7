"""How a component makes the Job of a test or a load, and the namespace where it has none."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import CudaVectorAddArgs, DcgmProfTesterArgs
from eks_accelerators.components.charts import name_of
from eks_accelerators.components.charts import namespace as secured_namespace
from eks_accelerators.components.gpu_test_pod import labels, pod_spec
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.workload_component import Surroundings, WorkloadComponent
from eks_accelerators.settings.fit import PodFit, pod_fit
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import PlacedWorkload

W = TypeVar("W", bound=Workload)

_PATIENCE_SECONDS = 1800
"""For a node and a device plugin that are new, and the pull of the image."""

_RETRIES = 2
"""A pod that fails is followed by another, twice: a node may go, or its device plugin restart, under a running one."""


@dataclass(frozen=True, slots=True)
class GpuTestInputs(Generic[W]):
    """A test or a load, the node group that it runs on, and how its pods fit there.

    ``namespace`` is there already, or None for one of its own. With ``waits`` a deployment waits until all pods have
    ended well, and fails where one does not, if they fit the group at its desired size; None is what the kind does.
    """

    workload: W
    group: ResolvedNodeGroup
    fit: PodFit
    namespace: pulumi.Input[str] | None = None
    waits: bool | None = None
    node_selector: dict[str, str] | None = None


class GpuTest(WorkloadComponent[GpuTestInputs[W]], Generic[W]):
    """A component that makes such a Job."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = "NVIDIA's images run as root; everything else of the restricted profile holds"
    NEEDS_ADDONS = False

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> GpuTestInputs[Any]:
        """It is waited for where the kind is, and all pods of its node group fit."""
        waits = None if around.fits_now else False
        return GpuTestInputs(placed.workload, placed.group, placed.fit, namespace=around.namespace, waits=waits)


def parsed(model: type[W], name: str, args: CudaVectorAddArgs | DcgmProfTesterArgs) -> GpuTestInputs[W]:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    runs_on = args["runs_on"]
    group, workload = resolve_workload(model, name, args, runs_on)
    return GpuTestInputs(
        workload=workload,
        group=group,
        fit=pod_fit(workload, group),
        namespace=args.get("namespace"),
        waits=args.get("wait_until_done"),
        node_selector=runs_on.get("node_selector"),
    )


def add_job(
    component: GpuTest[W],
    program: str,
    name: str,
    inputs: GpuTestInputs[W],
    *,
    image: str,
    most_seconds: int,
    waits: bool,
    container: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, pulumi.Output[str]]:
    """The Job, and a namespace called ``name`` where ``inputs`` name none; returns the component's outputs.

    Each pod claims its GPUs where those of the group are claimed. ``waits`` is what the kind does by itself. ``image``,
    ``most_seconds`` and ``container`` are those of `gpu_test_pod.pod_spec`.
    """
    workload, group = inputs.workload, inputs.group
    space = None
    if inputs.namespace is not None:
        namespace = pulumi.Output.from_input(inputs.namespace)
    else:
        space = secured_namespace(
            component, name, pod_security=component.POD_SECURITY, reason=component.POD_SECURITY_REASON
        )
        namespace = name_of(space)
    depends_on: list[pulumi.Resource] = [space] if space else []
    pod = pod_spec(
        program,
        name,
        workload,
        group,
        image=image,
        node_selector=inputs.node_selector or group.node_selector,
        most_seconds=most_seconds,
        container=container,
    )
    claims = claims_of(component, f"{name}-gpus", group, workload.accelerators, namespace, depends_on=depends_on)
    # Typed as Any: mypy compares dictionaries with all shapes of the SDK, which takes it more memory than machines have.
    spec: Any = {
        "completions": workload.pod_count,
        "parallelism": workload.pod_count,
        "backoffLimit": _RETRIES,
        # No ttlSecondsAfterFinished: the Job and its logs stay until Pulumi deletes them.
        "template": {"metadata": {"labels": labels(program, name)}, "spec": with_claims(pod, claims)},
    }
    waits = (waits if inputs.waits is None else inputs.waits) and inputs.fit.all_at_desired
    metadata: Any = {"name": name, "namespace": namespace, "labels": labels(program, name)}
    metadata["annotations"] = {} if waits else {"pulumi.com/skipAwait": "true"}
    job = k8s.batch.v1.Job(
        name,
        metadata=metadata,
        spec=spec,
        opts=component.child(
            depends_on=depends_on,
            custom_timeouts=pulumi.CustomTimeouts(create=f"{_PATIENCE_SECONDS}s", update=f"{_PATIENCE_SECONDS}s"),
        ),
    )
    return {"job_name": name_of(job), "namespace_name": namespace}
