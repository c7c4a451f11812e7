"""What a simulated pod stands for: a label of our own on the pods that make a node's resources or labels."""

ROLE_LABEL = "eks-accelerators/simulates"
"""Its value is one of the roles below. The real charts do not have it."""

NVIDIA_DEVICE_PLUGIN = "nvidia-device-plugin"
GPU_FEATURE_DISCOVERY = "gpu-feature-discovery"
NODE_FEATURE_DISCOVERY_WORKER = "node-feature-discovery-worker"
MPS_CONTROL_DAEMON = "mps-control-daemon"
NEURON_DEVICE_PLUGIN = "neuron-device-plugin"
EFA_DEVICE_PLUGIN = "efa-device-plugin"
DRA_DRIVER = "dra-driver"
DCGM_EXPORTER = "dcgm-exporter"
GPU_OPERATOR = "gpu-operator"
MIG_MANAGER = "mig-manager"
OPERATOR_VALIDATOR = "operator-validator"
CLUSTER_AUTOSCALER = "cluster-autoscaler"


def role_label(role: str) -> dict[str, str]:
    """The label of a pod that plays ``role``."""
    return {ROLE_LABEL: role}
