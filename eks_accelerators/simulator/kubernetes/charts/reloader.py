"""Stand-in for the chart `reloader`: the program, and its rights in the namespaces that it watches.

Source: stakater/Reloader at 655a2b3 (chart 2.2.16), `deployments/kubernetes/chart/reloader`: values.yaml, `templates/deployment.yaml`,
`role.yaml`, `rolebinding.yaml`, `_helpers.tpl`; read 2026-11-22, and rendered by helm with the values of a stack: the same objects. Known
is the way with named namespaces, and no other. What the program does is done by `eks_accelerators.simulator.kubernetes.reloads`. Left
out: probes, variables and some labels of its pod, Prometheus' objects, network policy, disruption budget.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed, cut
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "reloader"

_READ = ["list", "get", "watch"]
_CHANGE = ["list", "get", "update", "patch"]
_DEFAULTS: dict[str, Any] = {
    "image": {"repository": "ghcr.io/stakater/reloader", "tag": "v1.4.21", "pullPolicy": "IfNotPresent"},
    "reloader": {
        "autoReloadAll": False,
        "ignoreSecrets": False,
        "ignoreConfigMaps": False,
        "ignoreJobs": False,
        "ignoreCronJobs": False,
        "reloadOnCreate": False,
        "reloadOnDelete": False,
        "reloadStrategy": "default",
        "watchGlobally": True,
        "namespaces": [],
        "enableHA": False,
        "readOnlyRootFileSystem": False,
        "logLevel": "info",
        "deployment": {
            "replicas": 1,
            "revisionHistoryLimit": 2,
            "nodeSelector": {},
            "affinity": {},
            "tolerations": [],
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containerSecurityContext": {},
            "resources": {},
        },
    },
}
_NOT_SIMULATED = ("watchGlobally", "autoReloadAll", "ignoreSecrets", "reloadOnCreate", "reloadOnDelete", "enableHA")


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account, Deployment, and a Role with its binding in each namespace."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, (f"reloader.{key}" for key in _NOT_SIMULATED))
    name = cut(f"{release}-{CHART}")
    selector = {"app": name, "release": release}
    labels = {**selector, "app.kubernetes.io/name": CHART, "app.kubernetes.io/instance": release}
    watched = sorted({namespace, *made.value("reloader.namespaces")})
    rights = [
        each
        for space in watched
        for each in (
            objects.role(made.metadata(f"{name}-role", labels, space), _rules(made)),
            objects.binding(made.metadata(f"{name}-role-binding", labels, space), f"{name}-role", name, namespace),
        )
    ]
    about_itself = objects.rule([""], ["configmaps"], [*_READ, "create", "update"])
    return [
        objects.service_account(made.metadata(name, labels)),
        *rights,
        objects.role(made.metadata(f"{name}-metadata-role", labels), [about_itself]),
        objects.binding(
            made.metadata(f"{name}-metadata-role-binding", labels), f"{name}-metadata-role", name, namespace
        ),
        objects.deployment(
            made.metadata(name, labels),
            replicas=min(made.value("reloader.deployment.replicas"), 1),
            selector=selector,
            template=objects.pod_template(labels, _pod(made, name, watched)),
            revisionHistoryLimit=made.value("reloader.deployment.revisionHistoryLimit"),
        ),
    ]


def _pod(made: ChartRelease, name: str, watched: list[str]) -> Manifest:
    read_only = made.value("reloader.readOnlyRootFileSystem")
    security = {
        **made.value("reloader.deployment.containerSecurityContext"),
        **({"readOnlyRootFilesystem": True} if read_only else {}),
    }
    container = objects.filled(
        name=name,
        image=f"{made.value('image.repository')}:{made.value('image.tag')}",
        imagePullPolicy=made.value("image.pullPolicy"),
        args=_arguments(made, watched),
        ports=[{"name": "http", "containerPort": 9090}],
        securityContext=security,
        resources=made.value("reloader.deployment.resources"),
        volumeMounts=[{"mountPath": "/tmp/", "name": "tmp-volume"}] if read_only else [],  # noqa: S108  (a mount)
    )
    return objects.filled(
        serviceAccountName=name,
        securityContext=made.value("reloader.deployment.securityContext"),
        containers=[container],
        nodeSelector=made.value("reloader.deployment.nodeSelector"),
        affinity=made.value("reloader.deployment.affinity"),
        tolerations=made.value("reloader.deployment.tolerations"),
        volumes=[{"name": "tmp-volume", "emptyDir": {}}] if read_only else [],
    )


def _arguments(made: ChartRelease, watched: list[str]) -> list[str]:
    ignored = [kind for key, kind in (("ignoreJobs", "jobs"), ("ignoreCronJobs", "cronjobs")) if _of(made, key)]
    strategy = _of(made, "reloadStrategy")
    return [
        f"--log-level={_of(made, 'logLevel')}",
        *(["--resources-to-ignore=configmaps"] if _of(made, "ignoreConfigMaps") else []),
        *([f"--ignored-workload-types={','.join(ignored)}"] if ignored else []),
        *([f"--namespaces={','.join(watched)}"] if _of(made, "namespaces") else []),
        *([f"--reload-strategy={strategy}"] if strategy != "default" else []),
    ]


def _rules(made: ChartRelease) -> list[Manifest]:
    """In one namespace; the chart gives the rights on jobs there even where it has them ignored."""
    config_maps = [] if _of(made, "ignoreConfigMaps") else ["configmaps"]
    return [
        objects.rule([""], ["secrets", *config_maps], _READ),
        objects.rule(["apps"], ["deployments", "daemonsets", "statefulsets"], _CHANGE),
        objects.rule(["batch"], ["cronjobs"], ["list", "get"]),
        objects.rule(["batch"], ["jobs"], ["create", "delete", "list", "get"]),
        objects.rule([""], ["events"], ["create", "patch"]),
    ]


def _of(made: ChartRelease, key: str) -> Any:
    return made.value(f"reloader.{key}")
