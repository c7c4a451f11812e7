"""Stand-in for the chart `karpenter`: the program with its environment, and its rights.

Source: aws/karpenter-provider-aws at 1d92708 (1.14.1), `charts/karpenter` (values.yaml, `templates/`), read 2026-11-22.
The kinds that the chart has beside its templates come from the chart `karpenter-crd`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest, rule

CHART = "oci://public.ecr.aws/karpenter/karpenter"

_NAME = "karpenter"
_LOCK = "karpenter-leader-election"
_GATES = {
    "reservedCapacity": True,
    "spotToSpotConsolidation": False,
    "nodeRepair": False,
    "nodeOverlay": False,
    "staticCapacity": False,
    "capacityBuffer": False,
}
_DEFAULTS: dict[str, Any] = {
    "nameOverride": "",
    "fullnameOverride": "",
    "additionalLabels": {},
    "additionalAnnotations": {},
    "imagePullPolicy": "IfNotPresent",
    "imagePullSecrets": [],
    "service": {"annotations": {}},
    "serviceAccount": {"create": True, "name": "", "annotations": {}},
    "serviceMonitor": {
        "enabled": False,
        "additionalLabels": {},
        "relabelings": [],
        "metricRelabelings": [],
        "endpointConfig": {},
    },
    "replicas": 2,
    "revisionHistoryLimit": 10,
    "podLabels": {},
    "podAnnotations": {},
    "podDisruptionBudget": {"name": _NAME, "maxUnavailable": 1},
    "podSecurityContext": {"fsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
    "priorityClassName": "system-cluster-critical",
    "dnsPolicy": "ClusterFirst",
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "affinity": {
        "nodeAffinity": objects.required_node_affinity([objects.expression("karpenter.sh/nodepool", "DoesNotExist")])[
            "nodeAffinity"
        ],
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname"}]
        },
    },
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
    ],
    "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
    "controller": {
        "containerName": "controller",
        "image": {
            "repository": "public.ecr.aws/karpenter/controller",
            "tag": "1.14.1",
            "digest": "sha256:723130949e4cab989461ff07d1be4cd781d63515432494641b33c235f300ae23",
        },
        "env": [],
        "resources": {},
        "metrics": {"port": 8080},
        "healthProbe": {"port": 8081},
    },
    "logLevel": "info",
    "settings": {
        "batchMaxDuration": "10s",
        "batchIdleDuration": "1s",
        "preferencePolicy": "Respect",
        "minValuesPolicy": "Strict",
        "clusterName": "",
        "clusterEndpoint": "",
        "isolatedVPC": False,
        "eksControlPlane": False,
        "vmMemoryOverheadPercent": 0.075,
        "interruptionQueue": "",
        "enableZonalShift": False,
        "reservedENIs": "0",
        "ignoreDRARequests": True,
        "disableDryRun": False,
        "amiRefreshInterval": "1m",
        "subnetRefreshInterval": "1m",
        "featureGates": _GATES,
        "awsFeatureGates": {"nodeClassCEL": False},
    },
}
_CONTAINER_SECURITY = {
    "privileged": False,
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "runAsGroup": 65532,
    "capabilities": {"drop": ["ALL"]},
}
_NOT_HERE = (
    "settings.isolatedVPC",
    "settings.eksControlPlane",
    "settings.enableZonalShift",
    "settings.clusterEndpoint",
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account, rights, Deployment, budget and Service; a ServiceMonitor where values ask for it."""
    made = ChartRelease(_NAME, version, release, namespace, completed(CHART, _DEFAULTS, values))
    made.refuse(CHART, (*_NOT_HERE, "controller.env", "nameOverride"))
    name = made.full_name(_NAME, made.value("fullnameOverride"))
    labels, selector = {**made.labels(_NAME), **made.value("additionalLabels")}, made.selector_labels(_NAME)
    meta = made.metadata(name, labels)
    port = {"name": "http-metrics", "port": made.value("controller.metrics.port"), "protocol": "TCP"}
    service = {"type": "ClusterIP", "ports": [{**port, "targetPort": "http-metrics"}], "selector": selector}
    result = [
        *_rights(made, name, labels),
        _deployment(made, meta, selector),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": made.metadata(made.value("podDisruptionBudget.name"), labels),
            "spec": {
                "maxUnavailable": made.value("podDisruptionBudget.maxUnavailable"),
                "selector": {"matchLabels": selector},
            },
        },
        {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": service},
    ]
    if made.value("serviceMonitor.enabled"):
        result.append(_service_monitor(made, name, labels, selector))
    return result


def _account(made: ChartRelease, name: str) -> str:
    return made.value("serviceAccount.name") or name


def _environment(made: ChartRelease, name: str) -> list[Manifest]:
    settings = made.value("settings")
    gates = ",".join(f"{gate[0].upper()}{gate[1:]}={str(settings['featureGates'][gate]).lower()}" for gate in _GATES)
    texts = {
        "KUBERNETES_MIN_VERSION": "1.19.0-0",
        "KARPENTER_SERVICE": name,
        "LOG_LEVEL": made.value("logLevel"),
        "LOG_OUTPUT_PATHS": "stdout",
        "LOG_ERROR_OUTPUT_PATHS": "stderr",
        "METRICS_PORT": str(made.value("controller.metrics.port")),
        "HEALTH_PROBE_PORT": str(made.value("controller.healthProbe.port")),
        "FEATURE_GATES": gates,
        "AWS_FEATURE_GATES": f"NodeClassCEL={str(settings['awsFeatureGates']['nodeClassCEL']).lower()}",
        "BATCH_MAX_DURATION": settings["batchMaxDuration"],
        "BATCH_IDLE_DURATION": settings["batchIdleDuration"],
        "PREFERENCE_POLICY": settings["preferencePolicy"],
        "MIN_VALUES_POLICY": settings["minValuesPolicy"],
        "CLUSTER_NAME": settings["clusterName"],
        "VM_MEMORY_OVERHEAD_PERCENT": str(settings["vmMemoryOverheadPercent"]),
        "INTERRUPTION_QUEUE": settings.get("interruptionQueue"),
        "RESERVED_ENIS": settings["reservedENIs"],
        "IGNORE_DRA_REQUESTS": str(settings["ignoreDRARequests"]).lower(),
        "AMI_REFRESH_INTERVAL": settings["amiRefreshInterval"],
        "SUBNET_REFRESH_INTERVAL": settings["subnetRefreshInterval"],
    }
    return [
        *({"name": key, "value": value} for key, value in texts.items() if value),
        objects.field_env("SYSTEM_NAMESPACE", "metadata.namespace"),
        _of_resources("CPU_REQUESTS", "requests.cpu", "1m"),
        _of_resources("MEMORY_LIMIT", "limits.memory", "0"),
    ]


def _of_resources(name: str, resource: str, divisor: str) -> Manifest:
    reference = {"containerName": "controller", "divisor": divisor, "resource": resource}
    return {"name": name, "valueFrom": {"resourceFieldRef": reference}}


def _deployment(made: ChartRelease, meta: Manifest, selector: Mapping[str, str]) -> Manifest:
    value = made.value
    image = value("controller.image")
    container = objects.filled(
        name=value("controller.containerName"),
        image=f"{image['repository']}:{image['tag']}@{image['digest']}",
        imagePullPolicy=value("imagePullPolicy"),
        securityContext=_CONTAINER_SECURITY,
        env=_environment(made, meta["name"]),
        ports=[
            {"name": "http-metrics", "containerPort": value("controller.metrics.port"), "protocol": "TCP"},
            {"name": "http", "containerPort": value("controller.healthProbe.port"), "protocol": "TCP"},
        ],
        resources=value("controller.resources"),
    )
    pod = objects.filled(
        automountServiceAccountToken=True,
        serviceAccountName=_account(made, meta["name"]),
        securityContext=value("podSecurityContext"),
        priorityClassName=value("priorityClassName"),
        dnsPolicy=value("dnsPolicy"),
        schedulerName="default-scheduler",
        containers=[container],
        nodeSelector=value("nodeSelector"),
        affinity=_with_selectors(value("affinity"), selector),
        topologySpreadConstraints=[
            {"labelSelector": {"matchLabels": dict(selector)}, **each} for each in value("topologySpreadConstraints")
        ],
        tolerations=value("tolerations"),
        imagePullSecrets=value("imagePullSecrets"),
    )
    labels = {**selector, **value("podLabels"), **roles.role_label(roles.KARPENTER)}
    return objects.deployment(
        meta,
        replicas=value("replicas"),
        selector=selector,
        template=objects.pod_template(labels, pod, value("podAnnotations")),
        revisionHistoryLimit=value("revisionHistoryLimit"),
        strategy={"rollingUpdate": {"maxUnavailable": 1}},
    )


def _with_selectors(affinity: Mapping[str, Any], selector: Mapping[str, str]) -> Manifest:
    """Pods that keep away from each other are those of the release, where the values do not say which."""
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = affinity.get("podAntiAffinity", {}).get(key, [])
    apart = [{"labelSelector": {"matchLabels": dict(selector)}, **term} for term in terms]
    return {**affinity, **({"podAntiAffinity": {key: apart}} if apart else {})}


def _service_monitor(made: ChartRelease, name: str, labels: Mapping[str, str], selector: Mapping[str, str]) -> Manifest:
    value = made.value
    endpoint = objects.filled(
        port="http-metrics",
        path="/metrics",
        relabelings=value("serviceMonitor.relabelings"),
        metricRelabelings=value("serviceMonitor.metricRelabelings"),
        **value("serviceMonitor.endpointConfig"),
    )
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": made.metadata(name, {**labels, **value("serviceMonitor.additionalLabels")}),
        "spec": {
            "namespaceSelector": {"matchNames": [made.namespace]},
            "selector": {"matchLabels": dict(selector)},
            "endpoints": [endpoint],
        },
    }


def _rights(made: ChartRelease, name: str, labels: Mapping[str, str]) -> list[Manifest]:
    account = _account(made, name)
    result = [objects.service_account(made.metadata(account, labels))]
    admin = {"rbac.authorization.k8s.io/aggregate-to-admin": "true", **labels}
    result.append(objects.cluster_role(objects.metadata(f"{name}-admin", None, admin), _ADMIN_RULES))
    of_cluster: dict[str, Sequence[Manifest]] = {f"{name}-core": _CORE_RULES, name: _AWS_RULES}
    for full_name, rules in of_cluster.items():
        meta = objects.metadata(full_name, None, labels)
        result += [objects.cluster_role(meta, rules), objects.binding(meta, full_name, account, made.namespace)]
    of_namespace: dict[str, Sequence[Manifest]] = {name: _LEASE_RULES, f"{name}-dns": _DNS_RULES}
    for full_name, rules in of_namespace.items():
        meta = made.metadata(full_name, labels)
        result += [objects.role(meta, rules), objects.binding(meta, full_name, account, made.namespace)]
    return result


_LOOK, _WRITE = ("get", "list", "watch"), ("update", "patch")
_EVERYTHING = ("get", "list", "watch", "create", "delete", "patch")
_POOLS, _CLAIMS = ("nodepools", "nodepools/status"), ("nodeclaims", "nodeclaims/status")
_ADMIN_RULES: tuple[Manifest, ...] = (
    rule(["karpenter.sh"], [*_POOLS, *_CLAIMS], _EVERYTHING),
    rule(["karpenter.k8s.aws"], ["ec2nodeclasses"], _EVERYTHING),
)
_CORE_RULES: tuple[Manifest, ...] = (
    rule(["karpenter.sh"], [*_POOLS, *_CLAIMS, "nodeoverlays", "nodeoverlays/status"], _LOOK),
    rule(["autoscaling.x-k8s.io"], ["capacitybuffers", "capacitybuffers/status"], _LOOK),
    rule([""], ["podtemplates"], _LOOK),
    rule(
        [""],
        ["pods", "nodes", "persistentvolumes", "persistentvolumeclaims", "replicationcontrollers", "namespaces"],
        _LOOK,
    ),
    rule(["storage.k8s.io"], ["storageclasses", "csinodes", "volumeattachments"], _LOOK),
    rule(["apps"], ["daemonsets", "deployments", "replicasets", "statefulsets"], _LOOK),
    rule(["policy"], ["poddisruptionbudgets"], _LOOK),
    rule([""], ["events"], _LOOK),
    rule(["karpenter.sh"], _CLAIMS, ["create", "delete", *_WRITE]),
    rule(["karpenter.sh"], [*_POOLS, "nodeoverlays/status"], _WRITE),
    rule(["autoscaling.x-k8s.io"], ["capacitybuffers/status"], _WRITE),
    rule([""], ["events"], ["create", "patch"]),
    rule([""], ["nodes"], ["patch", "delete", "update"]),
    rule([""], ["pods/eviction"], ["create"]),
    rule([""], ["pods"], ["delete"]),
)
_AWS_RULES: tuple[Manifest, ...] = (
    rule(["karpenter.k8s.aws"], ["ec2nodeclasses"], _LOOK),
    rule(["karpenter.k8s.aws"], ["ec2nodeclasses", "ec2nodeclasses/status"], _WRITE),
)
_LEASE_RULES: tuple[Manifest, ...] = (
    rule(["coordination.k8s.io"], ["leases"], ["get", "watch"]),
    rule(["coordination.k8s.io"], ["leases"], _WRITE, [_LOCK]),
    rule(["coordination.k8s.io"], ["leases"], ["create"]),
)
_DNS_RULES: tuple[Manifest, ...] = (rule([""], ["services"], ["get"], ["kube-dns"]),)
"""`templates/clusterrole-core.yaml`, `clusterrole.yaml`, `role.yaml`."""
