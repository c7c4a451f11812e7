"""Every data file of facts: which ones a command makes from AWS's answers, and why the others are by hand."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.capacity.facts import (
    addon_versions,
    ami,
    amp_regions,
    ebs_throughput,
    instance_types,
    kubernetes_versions,
    prices,
    quotas,
    storage_prices,
    system_instance_types,
    unserved_accelerators,
)
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file whose values AWS answers. ``depth`` is down to where it is indented."""

    name: str
    found: Callable[[Asker, Mapping[str, Any]], Iterable[FactValue]]
    depth: int


MADE = {
    each.name: each
    for each in (
        DataFile("instance-types", instance_types.found, 2),
        DataFile("system-instance-types", system_instance_types.found, 2),
        DataFile("ebs-throughput", ebs_throughput.found, 2),
        DataFile("prices", prices.found, 3),
        DataFile("storage-prices", storage_prices.found, 3),
        DataFile("quotas", quotas.found, 2),
        DataFile("kubernetes-versions", kubernetes_versions.found, 2),
        DataFile("addon-versions", addon_versions.found, 3),
        DataFile("unserved-accelerators", unserved_accelerators.found, 2),
        DataFile("amp-regions", amp_regions.found, 2),
        DataFile("ami", ami.found, 3),
    )
}
"""Data files that AWS's answers make, by name."""

BY_HAND = {
    "bottlerocket-mig": "Bottlerocket's source code has it",
    "charts-instance-types": "the charts' own values have it",
    "cluster-autoscaler": "the releases of kubernetes/autoscaler have it",
    "collective-bandwidth": "it is measured, by whoever publishes it",
    "endpoint-services": "an account is of one partition, and the names differ in the others",
    "gpus": "NVIDIA's list of compute capabilities has it",
    "iam-actions": "CloudFormation's handlers and the Service Authorization Reference have it, which tests read",
    "mig-profiles": "NVIDIA's driver and libraries have it",
    "models": "the models' own configurations have it",
    "neuron": "the documentation of the Neuron SDK has it",
    "nim": "NVIDIA's list of supported models has it",
    "resource-types": "what replaces a resource and how long it takes is measured, or from documentation and source code: AWS "
    "has no call that tells it",
    "simulated-resource-types": "`make generated` makes it from the simulated kinds, which say what is in it",
    "start-times": "it is measured, by whoever publishes it",
    "training-variables": "the documentation of libfabric, the EFA plugin and NCCL has it",
    "zones": "the EKS user guide has it; a call tells it only by refusing a cluster",
}
"""Why no call makes a file; the file itself names its sources."""
