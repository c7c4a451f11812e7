"""What the drivers of file systems and buckets have in common: a CSIDriver, and a pod on every node.

Source: the charts of kubernetes-sigs/aws-fsx-csi-driver 1.9.0, kubernetes-sigs/aws-efs-csi-driver 3.4.1 and
awslabs/mountpoint-s3-csi-driver 2.7.0: nothing is attached, and their DaemonSets tolerate every taint; read 2026-11-22. The
controllers are left out: they make volumes, and here every volume is made by the stack. So are Mountpoint's own pods.
"""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import EVERY_TAINT, NODE_CRITICAL, REGISTRY, metadata
from eks_accelerators.simulator.kubernetes.objects import Manifest


def driver(addon: str, name: str, node: str) -> list[Manifest]:
    """The driver ``name`` of the add-on; its pods on the nodes are called ``node``."""
    labels = {"app.kubernetes.io/name": addon, "app.kubernetes.io/instance": addon}
    selected = {"app": node, **labels}
    pod = {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": f"{node}-sa",
        "priorityClassName": NODE_CRITICAL,
        "tolerations": EVERY_TAINT,
        "containers": [
            objects.filled(
                name=node,
                image=f"{REGISTRY}/eks/{addon}:simulated",
                args=None,
                resources=objects.requests("10m", "40Mi"),
                securityContext={"privileged": True},
                volumeMounts=[objects.mount("kubelet-dir", "/var/lib/kubelet", mountPropagation="Bidirectional")],
            )
        ],
        "volumes": [objects.host_path("kubelet-dir", "/var/lib/kubelet", "Directory")],
    }
    return [
        objects.service_account(metadata(f"{node}-sa", labels)),
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIDriver",
            "metadata": objects.metadata(name, labels=labels),
            "spec": {"attachRequired": False},
        },
        objects.daemon_set(metadata(node, labels), selector=selected, template=objects.pod_template(selected, pod)),
    ]
