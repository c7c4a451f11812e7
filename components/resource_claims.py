"""GPUs that pods claim by Dynamic Resource Allocation, in place of the extended resource `nvidia.com/gpu`.

Sources: Kubernetes `resource.k8s.io/v1` (ResourceClaimTemplate, exact requests), NVIDIA DRA driver 0.4.1 (device
class); read 2026-11-21.
"""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.claims import gpu_claim
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_CLAIM = "gpus"
"""Name of the claim within a pod, and of the request within the claim."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a pod and its container write to have the GPUs: `spec.resourceClaims` and `resources.claims`."""

    of_pod: list[dict[str, Any]]
    of_container: list[dict[str, str]]


def claims_of(
    component: Component[Any],
    name: str,
    group: ResolvedNodeGroup,
    gpus: int,
    namespace: pulumi.Input[str],
    *,
    depends_on: list[pulumi.Resource] | None = None,
) -> Claims | None:
    """The claims of a pod with ``gpus`` of one node of ``group``; None where it asks for an extended resource.

    Registers the template ``name`` in ``namespace``: Kubernetes makes a claim from it for each pod, and each claim is
    a pod's own.
    """
    if not group.is_claimed:
        return None
    metadata: Any = {"namespace": namespace}
    spec: Any = {"spec": claim_spec(gpus)}
    template = k8s.resource.v1.ResourceClaimTemplate(
        name,
        metadata=metadata,
        spec=spec,
        # Kubernetes refuses a changed spec. Under a generated name the new template is there before the old one goes.
        opts=component.child(depends_on=depends_on, replace_on_changes=["spec"]),
    )
    return Claims(
        of_pod=[{"name": _CLAIM, "resourceClaimTemplateName": name_of(template)}],
        of_container=[{"name": _CLAIM}],
    )


def claim_spec(gpus: int) -> dict[str, Any]:
    """The spec of a claim for so many whole GPUs, all of one node."""
    return gpu_claim(_CLAIM, gpus)


def with_claims(pod: dict[str, Any], claims: Claims | None) -> dict[str, Any]:
    """The pod's spec with the claims in all its containers; as it is where there are none."""
    if claims is None:
        return pod
    containers = [
        {**container, "resources": {**container.get("resources", {}), "claims": claims.of_container}}
        for container in pod["containers"]
    ]
    return {**pod, "resourceClaims": claims.of_pod, "containers": containers}
