"""The storage of a stack: file systems, their drivers, and a volume for each namespace that mounts one."""

import json
from collections import defaultdict
from collections.abc import Mapping

import pulumi

from eks_accelerators.components.cluster import addon_versions
from eks_accelerators.components.file_system_access import NodesAround
from eks_accelerators.components.stack.chart_releases import after
from eks_accelerators.components.stack.foundation import Foundation
from eks_accelerators.components.storage_drivers import StorageDrivers, StorageDriversArgs
from eks_accelerators.components.storage_kinds import KINDS, Mountable, StorageSurroundings
from eks_accelerators.components.storage_volume import StorageVolume, VolumeInputs
from eks_accelerators.components.workload_namespace import WorkloadNamespace
from eks_accelerators.settings import storage_use
from eks_accelerators.settings.model import Settings

Volumes = Mapping[tuple[str, str], StorageVolume]
"""Volumes by the names of storage and namespace."""


def add_storage(base: Foundation, namespaces: Mapping[str, WorkloadNamespace]) -> Volumes:
    """Make every storage of the settings, and a volume for each namespace that mounts it, once its driver is there."""
    settings, opts, around = base.settings, base.in_cluster, _around(base)
    made = {
        name: KINDS[type(storage.kind)](storage.kind, name, around, opts) for name, storage in settings.storage.items()
    }
    claims = storage_use.claims(settings)
    mountable = after(opts, _drivers(settings, around, {claim.name: made[claim.name] for claim in claims}, opts))
    return {
        (claim.name, claim.namespace): StorageVolume.of(
            f"{claim.name}.{claim.namespace}",  # no two pairs give one name, as neither has a dot
            VolumeInputs(claim.name, namespaces[claim.namespace].namespace_name, **made[claim.name].volume),
            mountable,
        )
        for claim in claims
    }


def _around(base: Foundation) -> StorageSurroundings:
    cluster, network = base.cluster, base.network
    nodes = NodesAround(network.vpc_id, network.subnets, cluster.cluster_security_group_id, base.tags)
    versions = addon_versions(base.settings.cluster)
    return StorageSurroundings(cluster.cluster_name, base.settings.region, nodes, f"{base.name}-", versions)


def _drivers(
    settings: Settings, around: StorageSurroundings, mounted: Mapping[str, Mountable], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """The add-ons that the volumes need, with rights for what is mounted; none where all are directories of nodes."""
    policies: defaultdict[str, dict[str, pulumi.Input[str]]] = defaultdict(dict)
    for name, each in mounted.items():
        if each.policy is not None and (driver := storage_use.driver_of(settings.storage[name].kind)):
            policies[driver][name] = pulumi.Output.from_input(each.policy).apply(json.dumps)
    if not policies:
        return []
    args: StorageDriversArgs = {
        "cluster_name": around.cluster_name,
        "policies": dict(policies),
        "addon_versions": dict(around.addon_versions),
        "tags": around.nodes.tags or {},
    }
    return [StorageDrivers(f"{around.prefix}storage", args, opts)]
