"""The values of kube-prometheus-stack that its stand-in reads, with the chart's own defaults.

Source: prometheus-community/helm-charts at cf408a2, `charts/kube-prometheus-stack/values.yaml`, read 2026-11-22.
"""

from typing import Any

from eks_accelerators.simulator.kubernetes.charts import kube_state_metrics

SELECTORS = ("ruleSelector", "serviceMonitorSelector", "podMonitorSelector", "probeSelector", "scrapeConfigSelector")
"""By what Prometheus selects each kind of object."""

_PLACED: dict[str, Any] = {"affinity": {}, "nodeSelector": {}, "tolerations": [], "resources": {}}
_OWN_LABEL = {f"{selector}NilUsesHelmValues": True for selector in SELECTORS}

DEFAULTS: dict[str, Any] = {
    "fullnameOverride": "",
    "crds": {"enabled": True},
    "defaultRules": {},
    **{name: {"enabled": True} for name in ("kubeEtcd", "kubeScheduler", "kubeControllerManager", "kubeProxy")},
    "thanosRuler": {"enabled": False},
    "prometheusOperator": {"admissionWebhooks": {"enabled": True}, "tls": {"enabled": True}, **_PLACED},
    "prometheus": {
        "prometheusSpec": {
            **_PLACED,
            **_OWN_LABEL,
            **{selector: {} for selector in SELECTORS},
            "externalLabels": {},
            "persistentVolumeClaimRetentionPolicy": {},
            "replicas": 1,
            "retention": "10d",
            "retentionSize": "",
            "scrapeInterval": "",
            "storageSpec": {},
        }
    },
    "alertmanager": {
        "config": {},
        "alertmanagerSpec": {**_PLACED, "replicas": 1, "secrets": [], "storage": {}},
    },
    "kube-state-metrics": kube_state_metrics.DEFAULTS,
    "prometheus-node-exporter": {
        "fullnameOverride": "",
        **_PLACED,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"effect": "NoSchedule", "operator": "Exists"}],
    },
    "grafana": {
        "enabled": True,
        "fullnameOverride": "",
        **_PLACED,
        "defaultDashboardsTimezone": "utc",
        "sidecar": {"dashboards": {"label": "grafana_dashboard", "labelValue": "1", "searchNamespace": "ALL"}},
    },
}
