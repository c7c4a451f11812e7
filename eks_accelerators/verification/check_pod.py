"""The pods of a check as Jobs: what they run, what they ask for, and that nothing of them stays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators.claims import gpu_claim
from eks_accelerators.verification.tools import Tool, script

NAMESPACE = "accel-verify"
MANAGED = {"app.kubernetes.io/managed-by": "accel-verify"}
"""Label of everything that a verification makes: what a crash leaves behind is found by it."""

CHECK_LABEL, NODE_LABEL = "eks-accelerators/check", "eks-accelerators/node"
HOSTNAME = "kubernetes.io/hostname"

_CLAIM = "gpus"

KEPT_SECONDS = 600
"""So long a finished Job stays, where nobody deletes it."""

Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CheckPod:
    """The pods of one check on one node: ``copies`` that are alike, at a time.

    Without ``tools`` the image runs its own program. ``resources`` are extended ones. ``sees_all``: it sees every device of
    the node without taking one, for which it has to be privileged. ``hold_seconds`` it stays after its tools. ``seconds``
    end it, the pull of its image included. ``disk_gib`` is what it writes. ``claimed`` GPUs it claims, in place of a resource.
    """

    image: str
    tools: tuple[Tool, ...] = ()
    resources: Mapping[str, int] = field(default_factory=dict)
    sees_all: bool = False
    copies: int = 1
    hold_seconds: int = 0
    seconds: int = 600
    disk_gib: int = 0
    capabilities: tuple[str, ...] = ()
    claimed: int = 0

    @property
    def objects(self) -> tuple[tuple[str, Manifest], ...]:
        """What it needs first, by plural kind."""
        return (("resourceclaimtemplates", _template(self.claimed)),) if self.claimed else ()


def namespace() -> Manifest:
    """The namespace. It is privileged: who looks at all devices of a node has to be."""
    level = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": {**MANAGED, **level}}}


def job(check: str, node: str, hostname: str, pod: CheckPod) -> Manifest:
    """The Job of a check on one node. Whatever taints the node has, the pod goes there and nowhere else.

    ``hostname`` is the value of the node's label, which need not be its name.
    """
    labels = {**MANAGED, CHECK_LABEL: check, NODE_LABEL: _short(node)}
    spec: Manifest = {
        "completions": pod.copies,
        "parallelism": pod.copies,
        "backoffLimit": 0,
        "ttlSecondsAfterFinished": KEPT_SECONDS,
        "activeDeadlineSeconds": pod.seconds,
        "template": {"metadata": {"labels": labels}, "spec": pod_spec(hostname, pod)},
    }
    metadata = {"generateName": f"{check}-", "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def pod_spec(hostname: str, pod: CheckPod) -> Manifest:
    """The pod, in Kubernetes' own shape."""
    container: Manifest = {"name": "check", "image": pod.image}
    if pod.tools:
        container |= {"command": ["sh", "-c"], "args": [script(pod.tools, hold_seconds=pod.hold_seconds)]}
    environment = {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    if pod.sees_all:
        environment["NVIDIA_VISIBLE_DEVICES"] = "all"
    container["env"] = [{"name": name, "value": value} for name, value in environment.items()]
    amounts = {name: str(count) for name, count in pod.resources.items() if count}
    container["resources"] = {"requests": {"cpu": "100m", "memory": "256Mi", **amounts}, "limits": amounts}
    if pod.claimed:
        container["resources"]["claims"] = [{"name": _CLAIM}]
    container["securityContext"] = _security(pod)
    spec: Manifest = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {HOSTNAME: hostname},
        "tolerations": [{"operator": "Exists"}],
        "terminationGracePeriodSeconds": 5,
        "containers": [container],
    }
    if pod.claimed:
        spec["resourceClaims"] = [{"name": _CLAIM, "resourceClaimTemplateName": _template_name(pod.claimed)}]
    if pod.disk_gib:
        container["volumeMounts"] = [{"name": "disk", "mountPath": "/verify"}]
        spec["volumes"] = [{"name": "disk", "emptyDir": {"sizeLimit": f"{pod.disk_gib}Gi"}}]
    return spec


def _security(pod: CheckPod) -> Manifest:
    if pod.sees_all:
        return {"privileged": True, "runAsUser": 0}
    capabilities: Manifest = {"drop": ["ALL"]}
    if pod.capabilities:
        capabilities["add"] = list(pod.capabilities)
    return {"allowPrivilegeEscalation": False, "capabilities": capabilities}


def _template_name(gpus: int) -> str:
    return f"claims-{gpus}"


def _template(gpus: int) -> Manifest:
    """A template of claims for so many GPUs: each pod gets a claim of its own, which goes with it."""
    metadata = {"name": _template_name(gpus), "namespace": NAMESPACE, "labels": MANAGED}
    spec = {"spec": gpu_claim(_CLAIM, gpus)}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": metadata, "spec": spec}


def _short(name: str) -> str:
    """As the value of a label, which has 63 characters at most."""
    return name[:63].rstrip("-.")
