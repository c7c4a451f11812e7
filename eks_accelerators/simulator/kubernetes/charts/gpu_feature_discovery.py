"""GPU Feature Discovery: the pod that describes a node's GPUs to Node Feature Discovery.

Source: NVIDIA/k8s-device-plugin v0.20.0, `deployments/helm/nvidia-device-plugin/templates/daemonset-gfd.yml`, read
2026-11-20.
"""

from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.nvidia_pods import CHOSEN_CONFIGURATION, NvidiaPods
from eks_accelerators.simulator.kubernetes.charts.release import cut
from eks_accelerators.simulator.kubernetes.objects import Manifest

_FEATURES = "/etc/kubernetes/node-feature-discovery/features.d"


def daemon_set(pods: NvidiaPods) -> Manifest:
    """Its DaemonSet: where the plugin's own would run, since selector and tolerations are the same values."""
    value = pods.release.value
    security_context = value("gfd.securityContext") or pods.least_security_context()
    environment = [
        objects.field_env("NODE_NAME", "spec.nodeName"),
        objects.field_env("NAMESPACE", "metadata.namespace"),
        objects.field_env("POD_NAME", "metadata.name"),
        *pods.flags(
            MIG_STRATEGY="migStrategy",
            FAIL_ON_INIT_ERROR="failOnInitError",
            GFD_NO_TIMESTAMP="gfd.noTimestamp",
            GFD_SLEEP_INTERVAL="gfd.sleepInterval",
            DEVICE_DISCOVERY_STRATEGY="deviceDiscoveryStrategy",
        ),
        *pods.config_environment(),
    ]
    main = pods.container(
        "gpu-feature-discovery-ctr",
        "gpu-feature-discovery",
        environment,
        [objects.mount("output-dir", _FEATURES), objects.mount("host-sys", "/sys")],
        security_context,
    )
    volumes = [
        objects.host_path("output-dir", _FEATURES, "DirectoryOrCreate"),
        objects.host_path("host-sys", "/sys", "Directory"),
    ]
    if not pods.config_map:
        volumes.append({"name": CHOSEN_CONFIGURATION, "emptyDir": {}})
        main["volumeMounts"].append(objects.mount(CHOSEN_CONFIGURATION, "/config"))
    return pods.daemon_set(
        cut(f"{pods.full_name}-gpu-feature-discovery"),
        roles.GPU_FEATURE_DISCOVERY,
        init=pods.config_manager("gpu-feature-discovery-init", None),
        containers=[
            *pods.config_manager("gpu-feature-discovery-sidecar", "gpu-feature-discovery", security_context),
            main,
        ],
        volumes=volumes,
        host_network=bool(value("gfd.enableHostNetwork")),
    )
