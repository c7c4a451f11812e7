"""What the Prometheus Operator makes of its objects. Nobody runs it here, so its pods' StatefulSets are made with them.

Source: prometheus-operator v0.93.1, `pkg/prometheus/server/statefulset.go`, `pkg/alertmanager/statefulset.go`,
`pkg/prometheus/server/operator.go` (governing Services), read 2026-11-22. Left out: the reloader beside each server, and the
Secrets with their configurations, which the operator writes.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.objects import Manifest

GROUP = "monitoring.coreos.com"
_KINDS = (
    ("v1alpha1", "AlertmanagerConfig", "alertmanagerconfigs", "amcfg"),
    ("v1", "Alertmanager", "alertmanagers", "am"),
    ("v1", "PodMonitor", "podmonitors", "pmon"),
    ("v1", "Probe", "probes", "prb"),
    ("v1alpha1", "PrometheusAgent", "prometheusagents", "promagent"),
    ("v1", "Prometheus", "prometheuses", "prom"),
    ("v1", "PrometheusRule", "prometheusrules", "promrule"),
    ("v1alpha1", "ScrapeConfig", "scrapeconfigs", "scfg"),
    ("v1", "ServiceMonitor", "servicemonitors", "smon"),
    ("v1", "ThanosRuler", "thanosrulers", "ruler"),
)
_COUNTED = {"Alertmanager": "replicas", "Prometheus": "shards", "PrometheusAgent": "shards"}
"""What `scale` sets of each kind that has it."""


def definitions() -> list[Manifest]:
    """The operator's ten kinds."""
    return [
        objects.custom_resource_definition(
            *(GROUP, version, kind, plural),
            namespaced=True,
            short_names=[short_name],
            categories=["prometheus-operator"],
            scale=_scale(_COUNTED[kind]) if kind in _COUNTED else None,
        )
        for version, kind, plural, short_name in _KINDS
    ]


def _scale(counted: str) -> dict[str, str]:
    return {
        "specReplicasPath": f".spec.{counted}",
        "statusReplicasPath": f".status.{counted}",
        "labelSelectorPath": ".status.selector",
    }


def servers(server: Manifest) -> list[Manifest]:
    """StatefulSet and governing Service of a `Prometheus` or an `Alertmanager`."""
    kind, name, namespace = server["kind"].lower(), server["metadata"]["name"], server["metadata"]["namespace"]
    spec, port = server["spec"], {"prometheus": 9090, "alertmanager": 9093}[kind]
    labels = {
        "app.kubernetes.io/name": kind,
        "app.kubernetes.io/instance": name,
        "app.kubernetes.io/managed-by": "prometheus-operator",
        **({"operator.prometheus.io/name": name, "prometheus": name} if kind == "prometheus" else {kind: name}),
    }
    governing = f"{kind}-operated"
    return [
        _governing_service(governing, namespace, kind, port),
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": objects.metadata(f"{kind}-{name}", namespace, labels),
            "spec": objects.filled(
                serviceName=governing,
                replicas=spec["replicas"],
                podManagementPolicy="Parallel",
                selector={"matchLabels": labels},
                template=objects.pod_template(labels, _pod(kind, name, port, spec)),
                volumeClaimTemplates=_claims(kind, name, spec),
                persistentVolumeClaimRetentionPolicy=spec.get("persistentVolumeClaimRetentionPolicy"),
            ),
        },
    ]


def _governing_service(name: str, namespace: str, kind: str, port: int) -> Manifest:
    spec = {
        "clusterIP": "None",
        "ports": [{"name": "http-web", "port": port, "targetPort": "http-web"}],
        "selector": {"app.kubernetes.io/name": kind},
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": objects.metadata(name, namespace), "spec": spec}


def _pod(kind: str, name: str, port: int, spec: Mapping[str, Any]) -> Manifest:
    container = objects.filled(
        name=kind,
        image=spec["image"],
        ports=[{"containerPort": port, "name": "http-web"}],
        resources=spec.get("resources"),
        volumeMounts=[
            *([objects.mount(f"{kind}-{name}-db", f"/{kind}")] if spec.get("storage") else []),
            *(
                objects.mount(f"secret-{each}", f"/etc/{kind}/secrets/{each}", read_only=True)
                for each in _secrets(spec)
            ),
        ],
    )
    return objects.filled(
        serviceAccountName=spec["serviceAccountName"],
        securityContext=spec["securityContext"],
        affinity=spec["affinity"],
        tolerations=spec.get("tolerations"),
        containers=[container],
        volumes=[{"name": f"secret-{each}", "secret": {"secretName": each}} for each in _secrets(spec)],
    )


def _secrets(spec: Mapping[str, Any]) -> list[str]:
    return list(spec.get("secrets") or [])


def _claims(kind: str, name: str, spec: Mapping[str, Any]) -> list[Manifest]:
    wanted = (spec.get("storage") or {}).get("volumeClaimTemplate")
    return [{"metadata": {"name": f"{kind}-{name}-db"}, "spec": wanted["spec"]}] if wanted else []
