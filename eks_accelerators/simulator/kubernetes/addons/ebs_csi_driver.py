"""The add-on `aws-ebs-csi-driver`: EBS volumes, a controller for the cluster and a pod on every node.

Source: kubernetes-sigs/aws-ebs-csi-driver, `charts/aws-ebs-csi-driver` (values.yaml, `templates/`), read 2026-11-20.
"""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    CLUSTER_CRITICAL,
    COMPUTE_TYPE,
    CRITICAL_ADDONS,
    EVERY_TAINT,
    NODE_CRITICAL,
    REGISTRY,
    TENTH_AT_A_TIME,
    metadata,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "aws-ebs-csi-driver"

_COMMON = {"app.kubernetes.io/name": ADDON, "app.kubernetes.io/instance": ADDON}
_CONTROLLER, _NODE = "ebs-csi-controller", "ebs-csi-node"
_RESOURCES = objects.requests("10m", "40Mi", memory_limit="256Mi")
_SIDECARS = ("csi-provisioner", "csi-attacher", "csi-snapshotter", "csi-resizer", "liveness-probe")
_NOT_ON = ("fargate", "auto", "hybrid")


def manifests() -> list[Manifest]:
    """Accounts, the CSIDriver, the controller with its disruption budget, and the nodes' DaemonSet."""
    return [
        *(objects.service_account(metadata(f"{name}-sa", _COMMON)) for name in (_CONTROLLER, _NODE)),
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIDriver",
            "metadata": objects.metadata("ebs.csi.aws.com", labels=_COMMON),
            "spec": {"attachRequired": True, "podInfoOnMount": False, "fsGroupPolicy": "File"},
        },
        _controller(),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata(_CONTROLLER, _COMMON),
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": _CONTROLLER, **_COMMON}}},
        },
        _node(),
    ]


def _controller() -> Manifest:
    labels = {"app": _CONTROLLER, **_COMMON}
    rather_not = {
        "weight": 1,
        "preference": {"matchExpressions": [objects.expression(COMPUTE_TYPE, "NotIn", *_NOT_ON)]},
    }
    apart = {
        "labelSelector": {"matchExpressions": [objects.expression("app", "In", _CONTROLLER)]},
        "topologyKey": "kubernetes.io/hostname",
    }
    socket = objects.mount("socket-dir", "/var/lib/csi/sockets/pluginproxy/")
    pod = {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": f"{_CONTROLLER}-sa",
        "priorityClassName": CLUSTER_CRITICAL,
        "affinity": {
            "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [rather_not]},
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": apart}]
            },
        },
        "tolerations": [
            CRITICAL_ADDONS,
            {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 1000},
        "containers": [
            _container("ebs-plugin", [socket], ["controller"]),
            *(_container(name, [socket]) for name in _SIDECARS),
        ],
        "volumes": [{"name": "socket-dir", "emptyDir": {}}],
    }
    return objects.deployment(
        metadata(_CONTROLLER, _COMMON),
        replicas=2,
        selector=labels,
        template=objects.pod_template(labels, pod),
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    )


def _node() -> Manifest:
    labels = {"app": _NODE, **_COMMON}
    kubelet = objects.mount("kubelet-dir", "/var/lib/kubelet", mountPropagation="Bidirectional")
    plugin = objects.mount("plugin-dir", "/csi")
    driver = _container("ebs-plugin", [kubelet, plugin, objects.mount("device-dir", "/dev")], ["node"])
    driver["securityContext"] = {"readOnlyRootFilesystem": True, "privileged": True}
    pod = {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": f"{_NODE}-sa",
        "priorityClassName": NODE_CRITICAL,
        "tolerations": EVERY_TAINT,
        "affinity": objects.required_node_affinity([objects.expression(COMPUTE_TYPE, "NotIn", *_NOT_ON)]),
        "securityContext": {"runAsNonRoot": False, "runAsUser": 0, "runAsGroup": 0, "fsGroup": 0},
        "containers": [
            driver,
            _container("node-driver-registrar", [plugin, objects.mount("registration-dir", "/registration")]),
            _container("liveness-probe", [plugin]),
        ],
        "volumes": [
            objects.host_path("kubelet-dir", "/var/lib/kubelet", "Directory"),
            objects.host_path("plugin-dir", "/var/lib/kubelet/plugins/ebs.csi.aws.com/", "DirectoryOrCreate"),
            objects.host_path("registration-dir", "/var/lib/kubelet/plugins_registry/", "Directory"),
            objects.host_path("device-dir", "/dev", "Directory"),
        ],
    }
    return objects.daemon_set(
        metadata(_NODE, _COMMON),
        selector=labels,
        template=objects.pod_template(labels, pod),
        updateStrategy=TENTH_AT_A_TIME,
    )


def _container(name: str, mounts: list[Manifest], arguments: list[str] | None = None) -> Manifest:
    image = ADDON if name == "ebs-plugin" else name
    return objects.filled(
        name=name,
        image=f"{REGISTRY}/eks/{image}:simulated",
        args=arguments,
        resources=_RESOURCES,
        securityContext={"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False},
        volumeMounts=mounts,
    )
