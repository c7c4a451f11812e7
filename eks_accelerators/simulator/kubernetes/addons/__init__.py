"""Stand-ins for the EKS add-ons: the objects that EKS puts into `kube-system` for each.

What must hold of them on a cluster with accelerators: what every node needs (network, proxy, credentials, volumes,
monitoring) tolerates all taints, and what a cluster needs once (DNS, metrics, the volume controller) does not tolerate
those of accelerators. RBAC rules are left out: nobody in a simulated pod calls the API server.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.simulator.kubernetes.addons import (
    cloudwatch_observability,
    coredns,
    ebs_csi_driver,
    efs_csi_driver,
    fsx_csi_driver,
    kube_proxy,
    metrics_server,
    mountpoint_s3_csi_driver,
    node_monitoring_agent,
    pod_identity_agent,
    vpc_cni,
)
from eks_accelerators.simulator.kubernetes.addons.configuration import AddonConfigurationError
from eks_accelerators.simulator.kubernetes.objects import Manifest

__all__ = ["ADDONS", "AddonConfigurationError", "UnknownAddonError", "manifests"]

ADDONS: Mapping[str, Callable[[], list[Manifest]]] = {
    module.ADDON: module.manifests
    for module in (
        vpc_cni,
        kube_proxy,
        coredns,
        metrics_server,
        pod_identity_agent,
        ebs_csi_driver,
        efs_csi_driver,
        fsx_csi_driver,
        mountpoint_s3_csi_driver,
        node_monitoring_agent,
        cloudwatch_observability,
    )
}
"""Every add-on that has a stand-in, by its name in the EKS API."""

_CONFIGURABLE: Mapping[str, Callable[[list[Manifest], Mapping[str, Any]], list[Manifest]]] = {
    node_monitoring_agent.ADDON: node_monitoring_agent.configured,
    cloudwatch_observability.ADDON: cloudwatch_observability.configured,
    vpc_cni.ADDON: vpc_cni.configured,
}


class UnknownAddonError(ValueError):
    """No stand-in for an add-on of that name. ``suggestion`` is the nearest known one, or None."""

    def __init__(self, addon: str) -> None:
        self.addon = addon
        self.suggestion = closest(addon, ADDONS)
        hint = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        super().__init__(f"no stand-in for the EKS add-on {addon!r}; known: {', '.join(ADDONS)}.{hint}")


def manifests(addon: str, configuration: Mapping[str, Any] | None = None) -> list[Manifest]:
    """The objects of ``addon``, which are the caller's to change.

    ``configuration`` is what the EKS API takes as `configurationValues`, parsed. Raises `UnknownAddonError`, and
    `AddonConfigurationError` for what the add-on's schema, or the stand-in, does not have.
    """
    if addon not in ADDONS:
        raise UnknownAddonError(addon)
    made = deepcopy(ADDONS[addon]())
    if not configuration:
        return made
    if addon not in _CONFIGURABLE:
        raise AddonConfigurationError(addon, "its configuration is not simulated")
    return _CONFIGURABLE[addon](made, deepcopy(dict(configuration)))
