"""The taint and labels by which pods and accelerator nodes find each other.

One value per kind of accelerator; every toleration and node selector of the package derives from it.
Keys as the device plugins' charts spell them (nvidia-device-plugin 0.20.0, neuron-helm-chart 1.9.0,
aws-efa-k8s-device-plugin v0.5.30), read 2026-11-20.
"""

from dataclasses import dataclass

from eks_accelerators.accelerators.instance_types import InstanceType

NODE_GROUP_LABEL = "eks-accelerators/node-group"
"""Carries the node group's name in the settings; EKS's own label carries a generated name."""

POOL_LABEL = "eks-accelerators/pool"
"""Carries the name of an on-demand group, on its nodes and on those of the spot groups that fall back to it: pods of
these may run on either."""

DEVICE_PLUGIN_CONFIG_LABEL = "nvidia.com/device-plugin.config"
"""Its value is the key of the node's configuration in the device plugin's ConfigMap."""

DRA_LABEL = "eks-accelerators/dynamic-resource-allocation"
"""Its nodes are those of the driver for Dynamic Resource Allocation, which shares none with a device plugin."""

OPERATOR_OPERANDS_LABEL = "nvidia.com/gpu.deploy.operands"
"""`false` keeps everything that the GPU Operator deploys off a node. Source: gpu-operator v26.7.0
`controllers/state_manager.go`, read 2026-11-21."""

CLOSED_TO_OPERATOR = {OPERATOR_OPERANDS_LABEL: "false"}
"""Labels of nodes whose GPUs another serves, and selector of what serves them."""

TOLERATED_BY_OPERATOR = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
"""What all DaemonSets of the GPU Operator tolerate where it is given no tolerations, as with an empty list. Source: gpu-operator
v26.7.0 `assets/*/*_daemonset.yaml`, `controllers/object_controls.go` (`applyCommonDaemonsetConfig`) and the chart's
`templates/clusterpolicy.yaml`, read 2026-11-23."""

EFA_PRESENT_LABEL = "vpc.amazonaws.com/efa.present"
"""Set where an EFA interface is attached: a type that could take one but has none crashes the plugin."""

_EKS_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}


@dataclass(frozen=True, slots=True)
class Taint:
    """A node taint; ``effect`` as Kubernetes spells it."""

    key: str
    value: str
    effect: str

    @property
    def eks_effect(self) -> str:
        """The effect as the EKS API spells it."""
        return _EKS_EFFECTS[self.effect]

    @property
    def toleration(self) -> dict[str, str]:
        """The toleration that a pod needs, and no wider."""
        return {"key": self.key, "operator": "Equal", "value": self.value, "effect": self.effect}

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Identity:
    """What marks the nodes of one kind of accelerator."""

    taint: Taint
    label_key: str
    label_value: str = "true"

    @property
    def node_selector(self) -> dict[str, str]:
        """Selects every node of this kind and no other."""
        return {self.label_key: self.label_value}


NVIDIA = Identity(Taint("nvidia.com/gpu", "true", "NoSchedule"), "nvidia.com/gpu.present")
NEURON = Identity(Taint("aws.amazon.com/neuron", "true", "NoSchedule"), "aws.amazon.com/neuron.present")


def identity_of(instance_type: InstanceType) -> Identity:
    """The taint and label of the nodes of ``instance_type``."""
    return NVIDIA if instance_type.has_nvidia_gpu else NEURON


def tolerates(toleration: dict[str, str], taint: Taint) -> bool:
    """Whether ``toleration``, in Kubernetes' own shape, covers ``taint``.

    Kubernetes' rule: an absent key with `Exists` covers every key, an absent effect every effect, and
    the default operator is `Equal`.
    """
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    key, operator = toleration.get("key"), toleration.get("operator", "Equal")
    if not key:
        return operator == "Exists"
    return key == taint.key and (operator == "Exists" or toleration.get("value", "") == taint.value)
