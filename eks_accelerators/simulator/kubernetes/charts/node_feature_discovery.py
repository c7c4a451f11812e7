"""Node Feature Discovery (NFD), a dependency of NVIDIA's chart: workers that look, and a master that labels nodes.

Source: kubernetes-sigs/node-feature-discovery, `deployment/helm/node-feature-discovery` (values.yaml, `templates/`),
chart 0.19.0 as NVIDIA/k8s-device-plugin v0.20.0 configures it in its values.yaml, read 2026-11-20.
"""

from typing import Any

import yaml

from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError
from eks_accelerators.simulator.kubernetes.charts.hooks import Hook
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, cut
from eks_accelerators.simulator.kubernetes.objects import Manifest

VERSION = "0.19.0"
GROUP = "nfd.k8s-sigs.io"

_NAME = "node-feature-discovery"
_IMAGE = "registry.k8s.io/nfd/node-feature-discovery"
_SECURITY_CONTEXT = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
}
_PART: dict[str, Any] = {
    "enable": True,
    "extraArgs": [],
    "extraEnvs": [],
    "hostNetwork": False,
    "dnsPolicy": "ClusterFirstWithHostNet",
    "port": 8080,
    "annotations": {},
    "podSecurityContext": {},
    "securityContext": _SECURITY_CONTEXT,
    "serviceAccount": {"create": True, "annotations": {}, "name": None},
    "revisionHistoryLimit": None,
    "rbac": {"create": True},
    "nodeSelector": {},
    "tolerations": [],
    "affinity": {},
    "priorityClassName": "",
    "startupProbe": {},
    "livenessProbe": {},
    "readinessProbe": {},
}
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"

DEFAULTS: dict[str, Any] = {
    "image": {"repository": _IMAGE, "pullPolicy": "IfNotPresent", "tag": None},
    "imagePullSecrets": [],
    "nameOverride": _NAME,
    "fullnameOverride": "",
    "namespaceOverride": "",
    "featureGates": {},
    "priorityClassName": "",
    "master": {
        **_PART,
        **dict.fromkeys(("instance", "featureApi", "resyncPeriod", "featureRulesController", "nfdApiParallelism")),
        "config": {"extraLabelNs": ["nvidia.com"]},
        "denyLabelNs": [],
        "extraLabelNs": [],
        "enableTaints": False,
        "deploymentAnnotations": {},
        "replicaCount": 1,
        "serviceAccount": {"create": True, "annotations": {}, "name": _NAME},
        "resources": {"limits": {"memory": "4Gi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "tolerations": [{"key": _CONTROL_PLANE, "operator": "Equal", "value": "", "effect": "NoSchedule"}],
        "affinity": {
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "preference": {"matchExpressions": [objects.expression(_CONTROL_PLANE, "In", "")]}}
                ]
            }
        },
    },
    "worker": {
        **_PART,
        "config": {"sources": {"pci": {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}}},
        "daemonsetAnnotations": {},
        "mountUsrSrc": False,
        "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "5m", "memory": "64Mi"}},
        # Not the taint that EKS users set: on nvidia.com/gpu=true the worker has no pod, and no error says so.
        "tolerations": [
            {"key": "node-role.kubernetes.io/master", "operator": "Equal", "value": "", "effect": "NoSchedule"},
            {"key": NVIDIA_GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        ],
    },
    "gc": {
        **_PART,
        "replicaCount": 1,
        "interval": "1h",
        "deploymentAnnotations": {},
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "10m", "memory": "128Mi"}},
    },
    "topologyUpdater": {"enable": False},
    "prometheus": {"enable": False},
    "postDeleteCleanup": True,
    "postDeleteCleanupJob": {},
}


def manifests(parent: ChartRelease, key: str = "nfd") -> list[Manifest]:
    """CRDs, accounts, the master and the garbage collector as Deployments, and the workers' DaemonSet.

    ``key`` is where the chart ``parent`` has the values of its dependency.
    """
    nfd = _of(parent, key)
    for path in ("topologyUpdater.enable", "prometheus.enable"):
        if nfd.value(path):
            raise ChartNotSimulatedError(parent.chart, f"{key}.{path}")
    made = _definitions()
    if nfd.value("master.enable"):
        made += _master(nfd)
    if nfd.value("gc.enable"):
        made += _garbage_collector(nfd)
    if nfd.value("worker.enable"):
        made += _worker(nfd)
    return made


def hooks(parent: ChartRelease, key: str = "nfd") -> list[Hook]:
    """What Helm runs when it deletes the release: a Job that takes the labels from all nodes, unless it is switched off."""
    nfd = _of(parent, key)
    if not nfd.value("postDeleteCleanup"):
        return []
    where = {part: nfd.value(f"master.{part}") for part in ("nodeSelector", "affinity", "tolerations")}
    job = f"{_full_name(nfd)}-prune"
    return [Hook("post-delete", job, nfd.namespace, objects.filled(**where), strips_labels=True)]


def _of(parent: ChartRelease, key: str) -> ChartRelease:
    values = parent.values[key]
    return ChartRelease(parent.chart, VERSION, parent.name, values.get("namespaceOverride") or parent.namespace, values)


def _definitions() -> list[Manifest]:
    return [
        objects.custom_resource_definition(
            GROUP, "v1alpha1", "NodeFeature", "nodefeatures", namespaced=True, has_status=False
        ),
        objects.custom_resource_definition(
            GROUP, "v1alpha1", "NodeFeatureGroup", "nodefeaturegroups", namespaced=True, short_names=["nfg"]
        ),
        objects.custom_resource_definition(
            *(GROUP, "v1alpha1", "NodeFeatureRule", "nodefeaturerules"),
            namespaced=False,
            short_names=["nfr"],
            has_status=False,
        ),
    ]


def _master(nfd: ChartRelease) -> list[Manifest]:
    rules = [
        objects.rule([""], ["nodes", "nodes/status"], ["get", "list", "patch", "update"]),
        objects.rule([GROUP], ["nodefeatures", "nodefeaturerules", "nodefeaturegroups"], ["get", "list", "watch"]),
    ]
    container = _container(nfd, "master", [objects.mount("nfd-master-conf", f"/etc/kubernetes/{_NAME}")])
    volumes = [_config_volume(nfd, "master")]
    return [
        *_account(nfd, "master"),
        *_cluster_rights(nfd, "master", _full_name(nfd), rules),
        _config(nfd, "master"),
        _deployment(nfd, "master", container, volumes),
    ]


def _garbage_collector(nfd: ChartRelease) -> list[Manifest]:
    rules = [
        objects.rule([""], ["nodes"], ["list", "watch"]),
        objects.rule([GROUP], ["nodefeatures"], ["delete", "list"]),
    ]
    return [
        *_account(nfd, "gc"),
        *_cluster_rights(nfd, "gc", f"{_full_name(nfd)}-gc", rules),
        _deployment(nfd, "gc", _container(nfd, "gc", []), []),
    ]


def _worker(nfd: ChartRelease) -> list[Manifest]:
    paths = {
        "host-boot": "/boot",
        "host-os-release": "/etc/os-release",
        "host-sys": "/sys",
        "host-usr-lib": "/usr/lib",
        "host-lib": "/lib",
        "features-d": f"/etc/kubernetes/{_NAME}/features.d/",
    }
    mounts = [
        objects.mount(name, f"/host-{path[1:]}" if name.startswith("host-") else path, read_only=True)
        for name, path in paths.items()
    ]
    mounts.append(objects.mount("nfd-worker-conf", f"/etc/kubernetes/{_NAME}", read_only=True))
    volumes = [*(objects.host_path(name, path) for name, path in paths.items()), _config_volume(nfd, "worker")]
    name, labels = f"{_full_name(nfd)}-worker", _selector(nfd, "worker")
    template = objects.pod_template(
        {**labels, **roles.role_label(roles.NODE_FEATURE_DISCOVERY_WORKER)},
        _pod(nfd, "worker", _container(nfd, "worker", mounts), volumes),
        nfd.value("worker.annotations"),
    )
    rules = [objects.rule([GROUP], ["nodefeatures"], ["create", "get", "update", "delete"])]
    return [
        *_account(nfd, "worker"),
        objects.role(nfd.metadata(name, _labels(nfd, "worker")), rules),
        objects.binding(nfd.metadata(name, _labels(nfd, "worker")), name, _account_name(nfd, "worker"), nfd.namespace),
        _config(nfd, "worker"),
        objects.daemon_set(nfd.metadata(name, _labels(nfd, "worker")), selector=labels, template=template),
    ]


def _full_name(nfd: ChartRelease) -> str:
    return nfd.full_name(nfd.value("nameOverride") or "nfd", nfd.value("fullnameOverride"))


def _selector(nfd: ChartRelease, part: str) -> dict[str, str]:
    return {**nfd.selector_labels(nfd.value("nameOverride") or "nfd"), "role": part}


def _labels(nfd: ChartRelease, part: str) -> dict[str, str]:
    return {**nfd.labels(nfd.value("nameOverride") or "nfd"), "role": part}


def _account_name(nfd: ChartRelease, part: str) -> str:
    given = nfd.value(f"{part}.serviceAccount.name")
    if nfd.value(f"{part}.serviceAccount.create"):
        return str(given or (_full_name(nfd) if part == "master" else f"{_full_name(nfd)}-{part}"))
    return str(given or "default")


def _account(nfd: ChartRelease, part: str) -> list[Manifest]:
    if not nfd.value(f"{part}.serviceAccount.create"):
        return []
    meta = nfd.metadata(_account_name(nfd, part), _labels(nfd, part))
    return [objects.service_account(meta)]


def _cluster_rights(nfd: ChartRelease, part: str, name: str, rules: list[Manifest]) -> list[Manifest]:
    if not nfd.value(f"{part}.rbac.create"):
        return []
    meta = objects.metadata(cut(name), labels=_labels(nfd, part))
    return [
        objects.cluster_role(meta, rules),
        objects.binding(meta, cut(name), _account_name(nfd, part), nfd.namespace),
    ]


def _config(nfd: ChartRelease, part: str) -> Manifest:
    text = yaml.safe_dump(nfd.value(f"{part}.config") or {}, sort_keys=True)
    return objects.config_map(
        nfd.metadata(f"{_full_name(nfd)}-{part}-conf", _labels(nfd, part)), {f"nfd-{part}.conf": text}
    )


def _config_volume(nfd: ChartRelease, part: str) -> Manifest:
    file = f"nfd-{part}.conf"
    source = {"name": f"{_full_name(nfd)}-{part}-conf", "items": [{"key": file, "path": file}]}
    return {"name": f"nfd-{part}-conf", "configMap": source}


def _container(nfd: ChartRelease, part: str, mounts: list[Manifest]) -> Manifest:
    value = nfd.value
    return objects.filled(
        name=part,
        image=f"{value('image.repository')}:{value('image.tag') or f'v{VERSION}'}",
        imagePullPolicy=value("image.pullPolicy"),
        command=[f"nfd-{part}"],
        args=value(f"{part}.extraArgs"),
        env=[
            objects.field_env("NODE_NAME", "spec.nodeName"),
            objects.field_env("POD_NAME", "metadata.name"),
            objects.field_env("POD_UID", "metadata.uid"),
            *(value(f"{part}.extraEnvs") or []),
        ],
        securityContext=value(f"{part}.securityContext"),
        resources=value(f"{part}.resources"),
        volumeMounts=mounts,
    )


def _pod(nfd: ChartRelease, part: str, container: Manifest, volumes: list[Manifest]) -> Manifest:
    value = nfd.value
    return objects.filled(
        dnsPolicy=value(f"{part}.dnsPolicy"),
        hostNetwork=value(f"{part}.hostNetwork") or None,
        priorityClassName=value(f"{part}.priorityClassName") or value("priorityClassName"),
        imagePullSecrets=value("imagePullSecrets"),
        serviceAccountName=_account_name(nfd, part),
        securityContext=value(f"{part}.podSecurityContext"),
        containers=[container],
        volumes=volumes,
        nodeSelector=value(f"{part}.nodeSelector"),
        affinity=value(f"{part}.affinity"),
        tolerations=value(f"{part}.tolerations"),
    )


def _deployment(nfd: ChartRelease, part: str, container: Manifest, volumes: list[Manifest]) -> Manifest:
    template = objects.pod_template(
        _selector(nfd, part), _pod(nfd, part, container, volumes), nfd.value(f"{part}.annotations")
    )
    return objects.deployment(
        nfd.metadata(cut(f"{_full_name(nfd)}-{part}"), _labels(nfd, part)),
        replicas=nfd.value(f"{part}.replicaCount") or 1,
        selector=_selector(nfd, part),
        template=template,
    )
