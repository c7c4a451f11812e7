"""The add-on `aws-efs-csi-driver`: volumes of EFS and S3 Files. Source: see `csi_drivers`."""

from eks_accelerators.simulator.kubernetes.addons.csi_drivers import driver
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "aws-efs-csi-driver"


def manifests() -> list[Manifest]:
    """Account, CSIDriver, and a pod on every node."""
    return driver(ADDON, "efs.csi.aws.com", "efs-csi-node")
