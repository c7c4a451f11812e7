"""The control daemon of the CUDA Multi-Process Service (MPS), on nodes that share their GPUs by it.

Source: NVIDIA/k8s-device-plugin v0.20.0,
`deployments/helm/nvidia-device-plugin/templates/daemonset-mps-control-daemon.yml`, read 2026-11-20.
"""

from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.nvidia_pods import NvidiaPods
from eks_accelerators.simulator.kubernetes.charts.release import cut
from eks_accelerators.simulator.kubernetes.objects import Manifest

CAPABLE_LABEL = "nvidia.com/mps.capable"
"""GPU Feature Discovery writes it where the node's configuration shares by MPS; the daemon selects on it."""

_PRIVILEGED = {"privileged": True}


def daemon_set(pods: NvidiaPods) -> Manifest:
    """Its DaemonSet, always there with the plugin: without a node of that label it has no pod."""
    value, root = pods.release.value, pods.release.value("mps.root")
    mounts = pods.container("mps-control-daemon-mounts", "mps-control-daemon", [], [], _PRIVILEGED, ["mount-shm"])
    mounts["volumeMounts"] = [objects.mount("mps-root", "/mps", mountPropagation="Bidirectional")]
    environment = [
        objects.field_env("NODE_NAME", "spec.nodeName"),
        *pods.flags(MIG_STRATEGY="migStrategy"),
        *pods.config_environment(),
        {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
        {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"},
    ]
    main = pods.container(
        "mps-control-daemon-ctr",
        "mps-control-daemon",
        environment,
        [objects.mount("mps-shm", "/dev/shm"), objects.mount("mps-root", "/mps")],  # noqa: S108  (the container's own)
        _PRIVILEGED,
    )
    host_pid = bool(value("mps.enableHostPID"))
    made = pods.daemon_set(
        cut(f"{pods.full_name}-mps-control-daemon"),
        roles.MPS_CONTROL_DAEMON,
        init=[mounts, *pods.config_manager("mps-control-daemon-init", None)],
        containers=[*pods.config_manager("mps-control-daemon-sidecar", "/usr/bin/mps-control-daemon"), main],
        volumes=[
            objects.host_path("mps-root", root, "DirectoryOrCreate"),
            objects.host_path("mps-shm", f"{root}/shm"),
        ],
        host_network=bool(value("mps.enableHostNetwork")),
        **({"hostPID": True} if host_pid else {}),
    )
    pod = made["spec"]["template"]["spec"]
    pod["nodeSelector"] = {CAPABLE_LABEL: "true", **(value("nodeSelector") or {})}
    if host_pid:
        # Kubernetes refuses both together.
        pod.pop("shareProcessNamespace", None)
    return made
