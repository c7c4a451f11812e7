"""Stand-in for the chart `kuberay-operator`: the operator, its rights, and the CRDs.

Source: ray-project/kuberay v1.7.0, `helm-chart/kuberay-operator` (values.yaml, templates), read 2026-11-22. The CRDs take any content.
Nobody answers in its pod: what it does is in `controllers/ray_jobs.py` and `ray_clusters.py`. Left out: its Service, the roles for people, and the
rights for other schedulers, certificates, gateways and OpenShift, which nobody here uses.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "kuberay-operator"
GROUP = "ray.io"

_KINDS = tuple((kind, f"{kind.lower()}s") for kind in ("RayCluster", "RayCronJob", "RayJob", "RayService"))
_ALL = ["create", "delete", "get", "list", "patch", "update", "watch"]
_DEFAULTS: dict[str, Any] = {
    "nameOverride": CHART,
    "fullnameOverride": CHART,
    "componentOverride": CHART,
    "replicas": 1,
    "image": {"repository": "quay.io/kuberay/operator", "tag": "v1.7.0", "pullPolicy": "IfNotPresent"},
    "imagePullSecrets": [],
    "nodeSelector": {},
    "priorityClassName": "",
    "labels": {},
    "annotations": {},
    "affinity": {},
    "tolerations": [],
    "serviceAccount": {"create": True, "name": CHART},
    "logging": {"stdoutEncoder": "json", "fileEncoder": "json", "baseDir": "", "fileName": "", "sizeLimit": ""},
    "batchScheduler": {"enabled": False, "name": ""},
    "configuration": {"enabled": False},
    "featureGates": [],
    "metrics": {"enabled": True, "serviceMonitor": {"enabled": False}},
    "operatorCommand": "/manager",
    "leaderElectionEnabled": True,
    "reconcileConcurrency": 1,
    "kubeClient": {"qps": 100.0, "burst": 200},
    "rbacEnable": True,
    "crNamespacedRbacEnable": True,
    "singleNamespaceInstall": False,
    "watchNamespace": [],
    "env": [],
    "resources": {"limits": {"cpu": "100m", "memory": "512Mi"}},
    "livenessProbe": {"initialDelaySeconds": 10, "periodSeconds": 5, "failureThreshold": 5},
    "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 5, "failureThreshold": 5},
    "podSecurityContext": {},
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "service": {"type": "ClusterIP", "port": 8080},
}
_NOT_SIMULATED = (
    *("batchScheduler.enabled", "batchScheduler.name", "configuration.enabled", "featureGates"),
    *("logging.baseDir", "metrics.serviceMonitor.enabled", "singleNamespaceInstall", "watchNamespace"),
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The CRDs, and the operator with its account and rights."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, _NOT_SIMULATED)
    name, account = made.value("fullnameOverride"), made.value("serviceAccount.name")
    labels = made.labels(made.value("nameOverride"))
    del labels["app.kubernetes.io/version"]  # the chart names no version of its program
    selector = made.selector_labels(made.value("nameOverride"))
    pods = {**selector, "app.kubernetes.io/component": made.value("componentOverride"), **made.value("labels")}
    return [
        *(_definition(kind, plural) for kind, plural in _KINDS),
        objects.service_account(made.metadata(account, labels)),
        objects.cluster_role(objects.metadata(name, labels=labels), _rules()),
        objects.binding(objects.metadata(name, labels=labels), name, account, made.namespace),
        objects.deployment(
            made.metadata(name, {**labels, **made.value("labels")}),
            replicas=made.value("replicas"),
            selector=selector,
            template=objects.pod_template(pods, _pod(made, account), made.value("annotations")),
            strategy={"type": "Recreate"},
        ),
    ]


def _definition(kind: str, plural: str) -> Manifest:
    older = [] if kind == "RayCronJob" else ["v1alpha1"]
    return objects.custom_resource_definition(
        GROUP, "v1", kind, plural, namespaced=True, categories=["all"], also_served=older
    )


def _pod(made: ChartRelease, account: str) -> Manifest:
    image = made.value("image")
    container = objects.filled(
        name=CHART,
        image=f"{image['repository']}:{image['tag']}",
        imagePullPolicy=image["pullPolicy"],
        command=[made.value("operatorCommand")],
        env=made.value("env"),
        resources=made.value("resources"),
        securityContext=made.value("securityContext"),
    )
    return objects.filled(
        imagePullSecrets=made.value("imagePullSecrets"),
        serviceAccountName=account,
        securityContext=made.value("podSecurityContext"),
        priorityClassName=made.value("priorityClassName"),
        containers=[container],
        nodeSelector=made.value("nodeSelector"),
        affinity=made.value("affinity"),
        tolerations=made.value("tolerations"),
    )


def _rules() -> list[Manifest]:
    own = [plural for _, plural in _KINDS]
    return [
        objects.rule([""], ["persistentvolumeclaims", "pods/status", "services"], _ALL),
        objects.rule([""], ["pods"], [*_ALL, "deletecollection"]),
        objects.rule([""], ["pods/proxy", "services/status"], ["get", "patch", "update"]),
        objects.rule([""], ["services/proxy"], ["create", "get", "patch", "update"]),
        objects.rule([""], ["secrets"], ["create", "delete", "get", "list", "update", "watch"]),
        objects.rule([""], ["serviceaccounts"], ["create", "delete", "get", "list", "watch"]),
        objects.rule(["batch"], ["jobs"], _ALL),
        objects.rule(["coordination.k8s.io"], ["leases"], ["create", "get", "list", "update"]),
        objects.rule(["discovery.k8s.io"], ["endpointslices"], ["get", "list", "watch"]),
        objects.rule(["events.k8s.io"], ["events"], ["create", "patch"]),
        objects.rule(["networking.k8s.io"], ["ingresses"], _ALL),
        objects.rule([GROUP], own, _ALL),
        objects.rule([GROUP], [f"{plural}/finalizers" for plural in own], ["update"]),
        objects.rule([GROUP], [f"{plural}/status" for plural in own], ["get", "patch", "update"]),
        objects.rule(["rbac.authorization.k8s.io"], ["rolebindings"], ["create", "delete", "get", "list", "watch"]),
        objects.rule(["rbac.authorization.k8s.io"], ["roles"], ["create", "delete", "get", "list", "update", "watch"]),
    ]
