"""Stand-in for the chart `kubeflow-trainer`: the controller, its rights, and the CRDs.

Source: kubeflow/trainer v2.3.0, `charts/kubeflow-trainer` (values.yaml, `templates/manager`, `templates/rbac`), read 2026-11-22. The CRDs
take any content. Nobody answers in its pod: what it does is in `controllers/train_jobs.py`. The webhooks are left out, with which the API
server would ask in vain, and what serves them; so are the chart's own runtimes, its data cache, and JobSet, which must be off.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://ghcr.io/kubeflow/charts/kubeflow-trainer"
GROUP = "trainer.kubeflow.org"

_NAME, _VERSION = "kubeflow-trainer", "v1alpha1"
_KINDS = (
    ("ClusterTrainingRuntime", "clustertrainingruntimes", False),
    ("TrainingRuntime", "trainingruntimes", True),
    ("TrainJob", "trainjobs", True),
)
_WRITE = ["create", "get", "list", "patch", "update", "watch"]
_READ = ["get", "list", "watch"]
_DEFAULTS: dict[str, Any] = {
    "nameOverride": "",
    "fullnameOverride": "",
    "crds": {"enabled": True},
    "jobset": {"install": True, "fullnameOverride": "jobset"},
    "commonLabels": {},
    "image": {
        "registry": "ghcr.io",
        "repository": "kubeflow/trainer/trainer-controller-manager",
        "tag": "",
        "pullPolicy": "IfNotPresent",
        "pullSecrets": [],
    },
    "manager": {
        "replicas": 1,
        "selectorLabels": {},
        "podAnnotations": {},
        "labels": {},
        "volumes": [],
        "nodeSelector": {},
        "affinity": {},
        "tolerations": [],
        "env": [],
        "envFrom": [],
        "volumeMounts": [],
        "resources": {},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "config": {},
    },
    "webhook": {"failurePolicy": "Fail"},
    "dataCache": {"enabled": False},
    "runtimes": {"defaultEnabled": False},
}
_NOT_SIMULATED = (
    *("jobset.install", "nameOverride", "fullnameOverride", "dataCache.enabled", "runtimes.defaultEnabled"),
    *("manager.volumes", "manager.selectorLabels", "manager.config"),
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The CRDs, and the controller with its account and rights."""
    made = ChartRelease(_NAME, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, _NOT_SIMULATED)
    name = f"{made.full_name(_NAME)}-controller-manager"
    parts = {"app.kubernetes.io/part-of": "kubeflow", "app.kubernetes.io/component": "manager"}
    labels, selector = {**made.labels(_NAME), **parts}, {**made.selector_labels(_NAME), **parts}
    crds = [
        objects.custom_resource_definition(
            GROUP, _VERSION, kind, plural, namespaced=namespaced, has_status=kind == "TrainJob"
        )
        for kind, plural, namespaced in _KINDS
    ]
    return [
        *(crds if made.value("crds.enabled") else []),
        objects.service_account(made.metadata(name, labels)),
        objects.cluster_role(objects.metadata(name, labels=labels), _rules()),
        objects.binding(objects.metadata(name, labels=labels), name, name, made.namespace),
        objects.deployment(
            made.metadata(name, {**selector, **made.value("manager.labels")}),
            replicas=made.value("manager.replicas"),
            selector=selector,
            template=objects.pod_template({**selector, **made.value("manager.labels")}, _pod(made, name)),
        ),
    ]


def _pod(made: ChartRelease, account: str) -> Manifest:
    image = made.value("image")
    container = objects.filled(
        name="manager",
        image=f"{image['registry']}/{image['repository']}:{image['tag'] or f'v{made.version}'}",
        imagePullPolicy=image["pullPolicy"],
        command=["/manager"],
        env=made.value("manager.env"),
        resources=made.value("manager.resources"),
        securityContext=made.value("manager.securityContext"),
    )
    return objects.filled(
        imagePullSecrets=image["pullSecrets"],
        serviceAccountName=account,
        containers=[container],
        nodeSelector=made.value("manager.nodeSelector"),
        affinity=made.value("manager.affinity"),
        tolerations=made.value("manager.tolerations"),
    )


def _rules() -> list[Manifest]:
    own = [plural for _, plural, _ in _KINDS]
    return [
        objects.rule([""], ["configmaps", "secrets"], _WRITE),
        objects.rule([""], ["limitranges"], _READ),
        objects.rule(["", "events.k8s.io"], ["events"], ["create", "patch", "update", "watch"]),
        objects.rule(["coordination.k8s.io"], ["leases"], ["create", "get", "list", "update"]),
        objects.rule(["jobset.x-k8s.io"], ["jobsets"], [*_WRITE, "delete"]),
        objects.rule(["node.k8s.io"], ["runtimeclasses"], _READ),
        objects.rule([GROUP], own, [*_READ, "patch", "update"]),
        objects.rule(
            [GROUP], [*(f"{plural}/finalizers" for plural in own), "trainjobs/status"], ["get", "patch", "update"]
        ),
    ]
