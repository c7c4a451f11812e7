from tests.settings.example import NVIDIA_TOLERATION, TAINT, TRAINIUM, WITH_EFA
from tests.settings.rules.case import Case

NVIDIA, NEURON, EFA = (f"plugins.{kind}DevicePlugin" for kind in ("nvidia", "neuron", "efa"))
EXPORTER = "monitoring.dcgmExporter"
BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
OPERATOR = {"nvidia.stack": "operator"}
NONE = {f"{NVIDIA}.tolerations": [], f"{EXPORTER}.tolerations": []}

CASES = [
    Case(
        "mofed-beside-efa",
        "efa",
        {**WITH_EFA, f"{NVIDIA}.mofedEnabled": True},
        f"{NVIDIA}.mofedEnabled",
        near={f"{NVIDIA}.mofedEnabled": True},
    ),
    Case(
        "plugin-toleration",
        "none",
        {f"{NVIDIA}.tolerations": []},
        f"{NVIDIA}.tolerations",
        near={f"{NVIDIA}.tolerations": [NVIDIA_TOLERATION]},
    ),
    Case(
        "plugin-toleration",
        "taint-of-one-s-own",
        {"nodeGroups.gpu.taints": [TAINT], f"{EXPORTER}.tolerations": [NVIDIA_TOLERATION]},
        f"{EXPORTER}.tolerations",
        near={"nodeGroups.gpu.taints": [TAINT], f"{EXPORTER}.tolerations": [{"operator": "Exists"}]},
    ),
    Case(
        "plugin-toleration",
        "switched-off",
        {f"{EXPORTER}.tolerations": []},
        f"{EXPORTER}.tolerations",
        near={f"{EXPORTER}.tolerations": [], f"{EXPORTER}.enabled": False},
    ),
    Case(
        "plugin-toleration",
        "plugin-switched-off",
        {f"{NVIDIA}.tolerations": []},
        f"{NVIDIA}.tolerations",
        near={f"{NVIDIA}.tolerations": [], f"{NVIDIA}.enabled": False},
    ),
    Case(
        "plugin-toleration",
        "one-list-of-the-operator",
        {f"{NVIDIA}.tolerations": [], "nodeGroups.gpu.taints": [TAINT]},
        f"{NVIDIA}.tolerations",
        near={**OPERATOR, f"{NVIDIA}.tolerations": [], "nodeGroups.gpu.taints": [TAINT]},  # the exporter tolerates it
    ),
    Case(
        "plugin-toleration",
        "neither-under-the-operator",
        {**OPERATOR, **NONE, "nodeGroups.gpu.taints": [TAINT]},
        f"{EXPORTER}.tolerations",
        near={**OPERATOR, **NONE},  # of itself it tolerates nvidia.com/gpu
    ),
    Case(
        "plugin-toleration",
        "neuron-monitor",
        {**TRAINIUM, "monitoring.prometheus": "stack", "monitoring.neuronMonitor.tolerations": [NVIDIA_TOLERATION]},
        "monitoring.neuronMonitor.tolerations",
        near={
            **TRAINIUM,
            "monitoring.neuronMonitor.tolerations": [NVIDIA_TOLERATION],
        },  # nobody reads it, so that none is there
    ),
    Case(
        "plugin-toleration",
        "efa",
        {**WITH_EFA, f"{EFA}.tolerations": [TAINT]},
        f"{EFA}.tolerations",
        near={f"{EFA}.tolerations": [TAINT]},  # nothing to serve
    ),
    Case(
        "plugin-disabled",
        "nvidia",
        {f"{NVIDIA}.enabled": False},
        f"{NVIDIA}.enabled",
        near={f"{NVIDIA}.enabled": False, **BOTTLEROCKET},
        severity="warning",
    ),
    Case(
        "plugin-disabled",
        "neuron",
        {**TRAINIUM, f"{NEURON}.enabled": False},
        f"{NEURON}.enabled",
        near={f"{NEURON}.enabled": False},
        severity="warning",
    ),
]
