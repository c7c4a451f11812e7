"""The add-on `aws-mountpoint-s3-csi-driver`: volumes of buckets, by Mountpoint. Source: see `csi_drivers`."""

from eks_accelerators.simulator.kubernetes.addons.csi_drivers import driver
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "aws-mountpoint-s3-csi-driver"


def manifests() -> list[Manifest]:
    """Account, CSIDriver, and a pod on every node."""
    return driver(ADDON, "s3.csi.aws.com", "s3-csi-node")
