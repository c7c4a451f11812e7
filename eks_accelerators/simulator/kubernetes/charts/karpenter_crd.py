"""Stand-in for the chart `karpenter-crd`: the kinds of Karpenter, which take any content here.

Source: aws/karpenter-provider-aws at 1d92708 (1.14.1), `charts/karpenter-crd/templates`, read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://public.ecr.aws/karpenter/karpenter-crd"

_SCALE = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.nodes"}
_KINDS = (
    ("karpenter.k8s.aws", "v1", "EC2NodeClass", "ec2nodeclasses", False, ("ec2nc", "ec2ncs"), "karpenter", None),
    ("karpenter.sh", "v1", "NodeClaim", "nodeclaims", False, (), "karpenter", None),
    ("karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays", False, ("overlays",), "karpenter", None),
    ("karpenter.sh", "v1", "NodePool", "nodepools", False, (), "karpenter", _SCALE),
    ("autoscaling.x-k8s.io", "v1beta1", "CapacityBuffer", "capacitybuffers", True, ("cb",), "autoscaling", None),
)
_DEFAULTS: dict[str, Any] = {"additionalAnnotations": {}}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Karpenter's CustomResourceDefinitions, by its chart `karpenter-crd`."""
    release_of = ChartRelease("karpenter-crd", version, release, namespace, completed(CHART, _DEFAULTS, values))
    made = []
    for group, api_version, kind, plural, namespaced, short_names, category, scale in _KINDS:
        definition = objects.custom_resource_definition(
            *(group, api_version, kind, plural),
            namespaced=namespaced,
            short_names=short_names,
            categories=[category],
            scale=scale,
        )
        definition["metadata"].update(objects.filled(annotations=release_of.value("additionalAnnotations")))
        made.append(definition)
    return made
