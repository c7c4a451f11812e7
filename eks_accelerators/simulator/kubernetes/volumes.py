"""What the EBS CSI driver does for claims: it makes a volume where the pod goes, attaches it, and deletes it again.

Source: kubernetes-csi/external-provisioner (README, `pkg/controller`), kubernetes-sigs/aws-ebs-csi-driver
`docs/parameters.md`; read 2026-11-21.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.objects import Manifest

DRIVER = "ebs.csi.aws.com"
MANAGER = "ebs-csi-controller"
ZONE_LABEL = "topology.kubernetes.io/zone"

_PROVISIONERS = (DRIVER, "kubernetes.io/aws-ebs")
"""The second is the name from before CSI, which Kubernetes takes for the first."""
_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
SELECTED_NODE = "volume.kubernetes.io/selected-node"


def gp2_class() -> Manifest:
    """The StorageClass that EKS puts into every new cluster; since 1.30 it is not the default one.

    Source: EKS user guide `kubernetes-versions-extended`, read 2026-11-21.
    """
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "gp2"},
        "provisioner": "kubernetes.io/aws-ebs",
        "parameters": {"type": "gp2", "fsType": "ext4"},
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Delete",
    }


def sync(api: Api, zones: Mapping[str, str]) -> None:
    """One pass over claims, volumes and attachments; ``zones`` are those of the nodes, by name."""
    claims = [claim for claim in api.list("v1", "PersistentVolumeClaim", remembered=True) if _waits(claim)]
    volumes = [volume for volume in api.list("v1", "PersistentVolume", remembered=True) if _is_ours(volume)]
    if not (claims or volumes) or not _controller_runs(api):
        return
    classes = {found["metadata"]["name"]: found for found in api.list("storage.k8s.io/v1", "StorageClass")}
    for claim in claims:
        storage_class = classes.get(claim["spec"].get("storageClassName", ""))
        if storage_class and storage_class["provisioner"] in _PROVISIONERS:
            _provide(api, claim, storage_class, zones)
    for volume in volumes:
        if volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete" and volume["status"].get("phase") == "Released":
            api.delete("v1", "PersistentVolume", volume["metadata"]["name"])
    attachments = api.list("storage.k8s.io/v1", "VolumeAttachment", remembered=True) if volumes else []
    for attachment in attachments:
        if attachment["spec"]["attacher"] == DRIVER and not attachment.get("status", {}).get("attached"):
            name, status = attachment["metadata"]["name"], {"status": {"attached": True}}
            api.patch("storage.k8s.io/v1", "VolumeAttachment", name, None, status, subresource="status")


def _waits(claim: dict[str, Any]) -> bool:
    return not claim["spec"].get("volumeName") and "deletionTimestamp" not in claim["metadata"]


def _is_ours(volume: dict[str, Any]) -> bool:
    return bool(volume["metadata"].get("annotations", {}).get(_PROVISIONED_BY) == DRIVER)


def _controller_runs(api: Api) -> bool:
    controller = api.get("apps/v1", "Deployment", "ebs-csi-controller", "kube-system")
    return bool(controller and controller.get("status", {}).get("readyReplicas"))


def _provide(api: Api, claim: dict[str, Any], storage_class: dict[str, Any], zones: Mapping[str, str]) -> None:
    """A volume in the zone of the node that the scheduler has selected for the pod."""
    metadata = claim["metadata"]
    if storage_class["volumeBindingMode"] == "WaitForFirstConsumer":
        node = metadata.get("annotations", {}).get(SELECTED_NODE)
        if node is None:
            return
        if node not in zones:  # it is gone: the scheduler is to choose again
            change = {"metadata": {"annotations": {SELECTED_NODE: None}}}
            api.patch("v1", "PersistentVolumeClaim", metadata["name"], metadata["namespace"], change)
            return
        zone = zones[node]
    elif zones:
        zone = min(zones.values())
    else:
        return
    api.apply(_volume(claim, storage_class, zone), manager=MANAGER)


def _volume(claim: dict[str, Any], storage_class: dict[str, Any], zone: str) -> Manifest:
    metadata, spec = claim["metadata"], claim["spec"]
    digest = hashlib.sha256(metadata["uid"].encode()).hexdigest()
    reference = {key: metadata[key] for key in ("namespace", "name", "uid")}
    in_zone = [{"key": ZONE_LABEL, "operator": "In", "values": [zone]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pvc-{metadata['uid']}", "annotations": {_PROVISIONED_BY: DRIVER}},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "volumeMode": spec.get("volumeMode", "Filesystem"),
            "storageClassName": storage_class["metadata"]["name"],
            "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **reference},
            "csi": {"driver": DRIVER, "volumeHandle": f"vol-{digest[:17]}", "fsType": "ext4"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": in_zone}]}},
        },
    }
