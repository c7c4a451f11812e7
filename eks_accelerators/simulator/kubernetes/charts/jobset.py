"""Stand-in for the chart `jobset`: the controller, its rights, and the CRD.

Source: kubernetes-sigs/jobset v0.12.0, `charts/jobset/values.yaml`, `templates/controller`, read 2026-11-22. The CRD takes any
content. Nobody answers in its pod: what it does is in `controllers/job_sets.py`. The webhooks
are left out, with which the API server would ask in vain; so are certificates, Services and the disruption budget.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://registry.k8s.io/jobset/charts/jobset"
GROUP = "jobset.x-k8s.io"

_ALL = ["create", "delete", "get", "list", "patch", "update", "watch"]
_NAME = "jobset"
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
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
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
    made = ChartRelease(_NAME, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, _NOT_SIMULATED)
    name = f"{made.full_name(_NAME)}-controller"
    parts = {"app.kubernetes.io/component": "controller"}
    labels, selector = {**made.labels(_NAME), **parts}, {**made.selector_labels(_NAME), **parts}
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
        serviceAccountName=name,
        securityContext=made.value("controller.podSecurityContext"),
        containers=[container],
        nodeSelector=made.value("controller.nodeSelector"),
        affinity=made.value("controller.affinity"),
        tolerations=made.value("controller.tolerations"),
    )
    return [
        objects.custom_resource_definition(GROUP, "v1alpha2", "JobSet", "jobsets", namespaced=True),
        objects.service_account(made.metadata(name, labels)),
        objects.cluster_role(objects.metadata(name, labels=labels), _rules()),
        objects.binding(objects.metadata(name, labels=labels), name, name, made.namespace),
        objects.deployment(
            made.metadata(name, labels),
            replicas=made.value("controller.replicas"),
            selector=selector,
            template=objects.pod_template(selector, pod),
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
