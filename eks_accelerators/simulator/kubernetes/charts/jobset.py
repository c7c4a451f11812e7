"""Stand-in for the chart `jobset`: the controller, its rights, and the CRD.

Source: kubernetes-sigs/jobset at 0928ac5, `charts/jobset/values.yaml`, `templates/controller`, and at 2a63ec1 `cluster_role.yaml`,
read 2026-11-22. The CRD takes any content. Nobody answers in its pod, so that a JobSet stays as it is written: no Job, no Service and no
pod is made of it. The webhooks are left out, with which the API server would ask in vain; so are certificates, Services and the
disruption budget.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://registry.k8s.io/jobset/charts/jobset"
GROUP = "jobset.x-k8s.io"

_ALL = ["create", "delete", "get", "list", "patch", "update", "watch"]
_NAME = "jobset-controller"
_DEFAULTS: dict[str, Any] = {
    "nameOverride": "",
    "fullnameOverride": "",
    "commonLabels": {},
    "image": {
        "registry": "registry.k8s.io",
        "repository": "jobset/jobset",
        "tag": "",
        "pullPolicy": "IfNotPresent",
        "pullSecrets": [],
    },
    "controller": {
        "replicas": 1,
        "leaderElection": {"enable": True},
        "clientConnection": {"qps": 500, "burst": 500},
        "env": [],
        "envFrom": [],
        "volumeMounts": [],
        "resources": {"requests": {"cpu": "500m", "memory": "128Mi"}, "limits": {"cpu": 2, "memory": "4Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumes": [],
        "nodeSelector": {},
        "affinity": {},
        "tolerations": [],
        "podSecurityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    },
    "certManager": {"enable": False, "issuerRef": {}},
    "prometheus": {"enable": True},
}
_NOT_SIMULATED = ("certManager.enable", "nameOverride", "fullnameOverride", "controller.volumes")


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The CRD, and the controller with its account and rights."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    for path in _NOT_SIMULATED:
        if made.value(path):
            raise ChartNotSimulatedError(CHART, path)
    labels = {**made.labels(CHART), "app.kubernetes.io/component": "controller"}
    image = made.value("image")
    container = objects.filled(
        name="controller",
        image=f"{image['registry']}/{image['repository']}:{image['tag'] or f'v{made.version}'}",
        imagePullPolicy=image["pullPolicy"],
        command=["/manager"],
        securityContext=made.value("controller.securityContext"),
        resources=made.value("controller.resources"),
    )
    pod = objects.filled(
        imagePullSecrets=image["pullSecrets"],
        serviceAccountName=_NAME,
        securityContext=made.value("controller.podSecurityContext"),
        containers=[container],
        nodeSelector=made.value("controller.nodeSelector"),
        affinity=made.value("controller.affinity"),
        tolerations=made.value("controller.tolerations"),
    )
    return [
        objects.custom_resource_definition(GROUP, "v1alpha2", "JobSet", "jobsets", namespaced=True),
        objects.service_account(made.metadata(_NAME, labels)),
        objects.cluster_role(objects.metadata(_NAME, labels=labels), _rules()),
        objects.binding(objects.metadata(_NAME, labels=labels), _NAME, _NAME, made.namespace),
        objects.deployment(
            made.metadata(_NAME, labels),
            replicas=made.value("controller.replicas"),
            selector={"app.kubernetes.io/name": CHART, "app.kubernetes.io/component": "controller"},
            template=objects.pod_template({**labels, "app.kubernetes.io/name": CHART}, pod),
        ),
    ]


def _rules() -> list[Manifest]:
    return [
        objects.rule([""], ["events"], ["create", "patch", "update", "watch"]),
        objects.rule([""], ["nodes"], ["get", "list", "watch"]),
        objects.rule([""], ["pods"], ["delete", "get", "list", "patch", "update", "watch"]),
        objects.rule([""], ["persistentvolumeclaims", "services"], _ALL),
        objects.rule(["batch"], ["jobs"], _ALL),
        objects.rule(["batch"], ["jobs/status"], ["get", "patch", "update"]),
        objects.rule([GROUP], ["jobsets"], _ALL),
        objects.rule([GROUP], ["jobsets/status"], ["get", "patch", "update"]),
        objects.rule([GROUP], ["jobsets/finalizers"], ["update"]),
    ]
