"""Stand-in for the chart `lws`: the controller, its rights, and the CRD of LeaderWorkerSet.

Source: kubernetes-sigs/lws v0.10.0, `charts/lws/values.yaml`, `templates/manager`, `templates/rbac`, `hack/push-chart.sh` (which
pins the image), read 2026-11-22. The CRD takes any content. Nobody answers in its pod: what it does is in
`leader_worker_sets.py`. The webhooks are left out, with which the API server would ask in vain; so are certificates, Services,
the rights to secrets and webhooks, and DisaggregatedSet.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://registry.k8s.io/lws/charts/lws"
GROUP, VERSION, KIND = "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"
_CONTROLLER = {"control-plane": "controller-manager", "app.kubernetes.io/name": "lws"}
"""Labels of the controller's pods and Deployment, whatever the release is called."""

_ALL = ["create", "delete", "get", "list", "patch", "update", "watch"]
_DEFAULTS: dict[str, Any] = {
    "nameOverride": "",
    "fullnameOverride": "",
    "enablePrometheus": False,
    "enableCertManager": False,
    "enableDisaggregatedSet": False,
    "replicaCount": 1,
    "imagePullSecrets": [],
    "image": {"manager": {"repository": "registry.k8s.io/lws/lws", "tag": "", "pullPolicy": "IfNotPresent"}},
    "podAnnotations": {},
    "podSecurityContext": {"runAsNonRoot": True},
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    },
    "service": {"type": "ClusterIP", "port": 9443},
    "resources": {"requests": {"cpu": 1, "memory": "1Gi"}},
    "priorityClassName": "",
    "nodeSelector": {},
    "tolerations": [],
    "affinity": {},
    "gangSchedulingManagement": {},
}
_NOT_SIMULATED = (
    "nameOverride",
    "fullnameOverride",
    "enablePrometheus",
    "enableCertManager",
    "enableDisaggregatedSet",
    "gangSchedulingManagement",
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The CRD, and the controller with its account and rights."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, _NOT_SIMULATED)
    name, labels = made.full_name("lws"), made.labels("lws")
    selector, account, role = {**_CONTROLLER, **made.selector_labels("lws")}, _account(made), f"{name}-manager-role"
    return [
        _definition(),
        objects.service_account(made.metadata(account, labels)),
        objects.cluster_role(objects.metadata(role, labels=labels), _rules()),
        objects.binding(objects.metadata(f"{role}binding", labels=labels), role, account, made.namespace),
        objects.deployment(
            made.metadata(account, {**labels, **_CONTROLLER}),
            replicas=made.value("replicaCount"),
            selector=selector,
            template=objects.pod_template(selector, _pod(made)),
        ),
    ]


def _account(made: ChartRelease) -> str:
    return f"{made.full_name('lws')}-controller-manager"


def _definition() -> Manifest:
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.hpaPodSelector",
    }
    return objects.custom_resource_definition(
        GROUP, VERSION, KIND, "leaderworkersets", namespaced=True, short_names=["lws"], scale=scale
    )


def _pod(made: ChartRelease) -> Manifest:
    image = made.value("image.manager")
    container = objects.filled(
        name="manager",
        image=f"{image['repository']}:{image['tag'] or f'v{made.version}'}",
        imagePullPolicy=image["pullPolicy"],
        command=["/manager"],
        args=["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
        securityContext=made.value("securityContext"),
        resources=made.value("resources"),
    )
    return objects.filled(
        imagePullSecrets=made.value("imagePullSecrets"),
        priorityClassName=made.value("priorityClassName"),
        serviceAccountName=_account(made),
        securityContext=made.value("podSecurityContext"),
        terminationGracePeriodSeconds=10,
        containers=[container],
        nodeSelector=made.value("nodeSelector"),
        affinity=made.value("affinity"),
        tolerations=made.value("tolerations"),
    )


def _rules() -> list[Manifest]:
    return [
        objects.rule(["", "events.k8s.io"], ["events"], ["create", "get", "list", "patch", "update", "watch"]),
        objects.rule([""], ["nodes"], ["get", "list", "patch", "update", "watch"]),
        objects.rule([""], ["services"], _ALL),
        objects.rule([""], ["pods"], ["delete", "get", "list", "patch", "update", "watch"]),
        objects.rule([""], ["pods/finalizers"], ["update"]),
        objects.rule(["apps"], ["controllerrevisions", "statefulsets"], _ALL),
        objects.rule(["apps"], ["controllerrevisions/finalizers", "statefulsets/finalizers"], ["update"]),
        objects.rule(["apps"], ["controllerrevisions/status", "statefulsets/status"], ["get", "patch", "update"]),
        objects.rule([GROUP], ["leaderworkersets"], _ALL),
        objects.rule([GROUP], ["leaderworkersets/finalizers"], ["update"]),
        objects.rule([GROUP], ["leaderworkersets/status"], ["get", "patch", "update"]),
    ]
