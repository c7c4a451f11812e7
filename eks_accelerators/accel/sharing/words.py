"""Words that `accel sharing` takes on its command line."""

from enum import StrEnum


class Chart(StrEnum):
    """A Helm chart whose values are judged."""

    PLUGIN = "nvidia-device-plugin"
    OPERATOR = "gpu-operator"


class Nodes(StrEnum):
    """Images of nodes, by who configures the device plugin there."""

    AL2023 = "al2023"
    BOTTLEROCKET = "bottlerocket"
    AUTO_MODE = "auto-mode"
