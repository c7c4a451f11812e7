"""The NVIDIA device plugin and the DCGM exporter on any Kubernetes cluster, whoever made its nodes."""

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components import DcgmExporter, NvidiaDevicePlugin

config = pulumi.Config()
context: str = config.require("kubeContext")
replicas: int = config.get_int("replicas", 1)
service_monitor: bool = config.get_bool("serviceMonitor", False)

shared = replicas > 1
# Nodes of others carry the taint with a value of their choice (`present`, `true`), so the key alone decides.
tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]

# No kubeconfig is named: the provider reads $KUBECONFIG or ~/.kube/config, so no credential enters the state.
provider = k8s.Provider("cluster", context=context)
in_cluster = pulumi.ResourceOptions(providers={"kubernetes": provider})

plugin = NvidiaDevicePlugin(
    "nvidia-device-plugin",
    {
        "sharings": [{"strategy": "timeSlicing", "replicas": replicas}] if shared else [],
        "tolerations": tolerations,
    },
    in_cluster,
)
# Where pods share a GPU, the exporter must be told: otherwise it gives all metrics of a GPU to one of them.
exporter = DcgmExporter(
    "dcgm-exporter",
    {"tolerations": tolerations, "shared_gpus": shared, "service_monitor": service_monitor},
    in_cluster,
)

pulumi.export("releases", [plugin.release_name, exporter.release_name])
pulumi.export("configMap", plugin.config_map_name)
