"""The add-ons of the account's cluster, as objects in the API server, which says itself which of them it has."""

import hashlib
import json
from functools import cache

from eks_accelerators.accelerators import yaml_limits
from eks_accelerators.simulator.aws.model import ClusterRecord
from eks_accelerators.simulator.kubernetes import addons
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.objects import Manifest

MANAGER = "eks"
ADDON_LABEL = "eks-accelerators/addon"
"""On every object of an add-on: its name."""
_FINGERPRINT = "eks-accelerators/addon-fingerprint"

_SELF_MANAGED = ("coredns", "kube-proxy", "vpc-cni")
"""What EKS puts into a cluster unless it is told not to (`bootstrapSelfManagedAddons`)."""

_Reference = tuple[str, str, str, str | None]


class InstalledAddons:
    """Keeps the add-ons in the API server as the cluster has them."""

    def __init__(self) -> None:
        self._there: dict[str, str] | None = None
        """Fingerprints of what is there, by add-on; None until the API server was asked."""

    def sync(self, api: Api, cluster: ClusterRecord | None) -> None:
        """Apply what is missing or different, and delete what is too much."""
        wanted = {name: objects for name, objects in _wanted(cluster).items() if objects}
        fingerprints = {name: _fingerprint(objects) for name, objects in wanted.items()}
        if fingerprints == self._there:
            return
        there = _found(api)
        for name, objects in wanted.items():
            if any(there.get(_reference(obj)) != fingerprints[name] for obj in objects):
                for obj in objects:
                    api.apply(_marked(obj, name, fingerprints[name]), manager=MANAGER)
        kept = {_reference(obj) for objects in wanted.values() for obj in objects}
        for reference in set(there) - kept:
            api.delete(*reference)
        self._there = fingerprints

    def forget(self) -> None:
        """Ask the API server the next time."""
        self._there = None


def _wanted(cluster: ClusterRecord | None) -> dict[str, list[Manifest]]:
    """The objects of each add-on; one that has no stand-in has no objects."""
    if cluster is None:
        return {}
    by_eks = dict.fromkeys(_SELF_MANAGED if cluster.described["bootstrapSelfManagedAddons"] else ())
    given = {name: addon.get("configurationValues") for name, addon in cluster.addons.items()}
    return {
        name: addons.manifests(name, yaml_limits.load(values) if values else None)
        for name, values in {**by_eks, **given}.items()
        if name in addons.ADDONS
    }


def _marked(obj: Manifest, name: str, fingerprint: str) -> Manifest:
    metadata = obj["metadata"]
    labels = {**metadata.get("labels", {}), ADDON_LABEL: name}
    annotations = {**metadata.get("annotations", {}), _FINGERPRINT: fingerprint}
    return {**obj, "metadata": {**metadata, "labels": labels, "annotations": annotations}}


def _found(api: Api) -> dict[_Reference, str]:
    """The fingerprints of all objects of add-ons in the API server."""
    return {
        _reference(obj): obj["metadata"].get("annotations", {}).get(_FINGERPRINT, "")
        for api_version, kind in _kinds()
        for obj in api.list(api_version, kind, None, ADDON_LABEL)
    }


@cache
def _kinds() -> list[tuple[str, str]]:
    """What add-ons consist of."""
    return sorted({(obj["apiVersion"], obj["kind"]) for name in addons.ADDONS for obj in addons.manifests(name)})


def _reference(obj: Manifest) -> _Reference:
    return obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace")


def _fingerprint(objects: list[Manifest]) -> str:
    return hashlib.sha256(json.dumps(objects, sort_keys=True).encode()).hexdigest()[:16]
