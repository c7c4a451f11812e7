"""What serves NVIDIA GPUs in the cluster."""

from enum import StrEnum

from eks_accelerators.settings.model.base import Model


class NvidiaStack(StrEnum):
    """What installs device plugin, GPU feature discovery, MIG layouts and metrics exporter."""

    CHARTS = "charts"
    OPERATOR = "operator"


class Nvidia(Model):
    """What serves NVIDIA GPUs in the cluster."""

    stack: NvidiaStack = NvidiaStack.CHARTS
    """`charts` installs each part by its own Helm chart; `operator` leaves all of them to the NVIDIA GPU Operator."""
