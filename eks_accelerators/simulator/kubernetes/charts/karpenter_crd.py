"""Stand-in for the chart `karpenter-crd`: the kinds of Karpenter, which take any content here.

Source: aws/karpenter-provider-aws at 1d92708 (1.14.1), `charts/karpenter-crd/templates`, read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://public.ecr.aws/karpenter/karpenter-crd"

_KINDS = (
    ("karpenter.k8s.aws", "v1", "EC2NodeClass", "ec2nodeclasses", False),
    ("karpenter.sh", "v1", "NodeClaim", "nodeclaims", False),
    ("karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays", False),
    ("karpenter.sh", "v1", "NodePool", "nodepools", False),
    ("autoscaling.x-k8s.io", "v1beta1", "CapacityBuffer", "capacitybuffers", True),
)
_DEFAULTS: dict[str, Any] = {"additionalAnnotations": {}}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The definitions, each with a status of its own."""
    release_of = ChartRelease("karpenter-crd", version, release, namespace, completed(CHART, _DEFAULTS, values))
    made = []
    for group, api_version, kind, plural, namespaced in _KINDS:
        definition = objects.custom_resource_definition(group, api_version, kind, plural, namespaced=namespaced)
        definition["metadata"].update(objects.filled(annotations=release_of.value("additionalAnnotations")))
        definition["spec"]["versions"][0]["subresources"] = {"status": {}}
        made.append(definition)
    return made
