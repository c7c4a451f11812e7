"""Words of the command line."""

from enum import StrEnum


class Chart(StrEnum):
    """A Helm chart whose values are judged."""

    PLUGIN = "nvidia-device-plugin"
    OPERATOR = "gpu-operator"


class Nodes(StrEnum):
    """Whose image the nodes run."""

    AL2023 = "al2023"
    BOTTLEROCKET = "bottlerocket"
    AUTO_MODE = "auto-mode"
