"""The add-on `aws-fsx-csi-driver`: volumes of FSx for Lustre. Source: see `csi_drivers`."""

from eks_accelerators.simulator.kubernetes.addons.csi_drivers import driver
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "aws-fsx-csi-driver"


def manifests() -> list[Manifest]:
    """Account, CSIDriver, and a pod on every node."""
    return driver(ADDON, "fsx.csi.aws.com", "fsx-csi-node")
