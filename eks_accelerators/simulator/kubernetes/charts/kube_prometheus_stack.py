"""Stand-in for the chart `kube-prometheus-stack`: the Prometheus Operator, Prometheus, Alertmanager, exporters and Grafana.

Source: prometheus-community/helm-charts at cf408a2 (chart 88.5.3), `charts/kube-prometheus-stack` (values.yaml, `templates/`)
and `charts/prometheus-node-exporter` (4.56.1); grafana-community/helm-charts at 3386a11 (grafana 12.11.1); read 2026-11-22.
`tests/simulator/kubernetes/test_monitoring_charts.py` holds it against what helm renders. Left out: the chart's own rules and
dashboards, and the configurations of Grafana.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts import kube_state_metrics, prometheus_operator
from eks_accelerators.simulator.kubernetes.charts.kube_prometheus_values import DEFAULTS, SELECTORS
from eks_accelerators.simulator.kubernetes.charts.kube_state_metrics import NOBODY
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "kube-prometheus-stack"

_API = f"{prometheus_operator.GROUP}/v1"
_SERVER = {"fsGroup": 2000, **{key: value for key, value in NOBODY.items() if key != "fsGroup"}}
_SERVER |= {"runAsGroup": 2000, "runAsUser": 1000}
_NO_FARGATE = (
    objects.expression("eks.amazonaws.com/compute-type", "NotIn", "fargate"),
    objects.expression("type", "NotIn", "virtual-kubelet"),
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Definitions, the operator with both servers, kube-state-metrics, node-exporter; and Grafana where it is enabled."""
    made = StackRelease(version, release, namespace, values)
    found = [*(prometheus_operator.definitions() if made.value("crds.enabled") else []), *made.operator()]
    for server in (made.prometheus(), made.alertmanager()):
        found += [*server, *prometheus_operator.servers(server[-1])]
    found += [*made.kube_state_metrics(version, values), *made.node_exporter()]
    if made.value("grafana.enabled"):
        found += made.grafana()
    return [*found, *made.service_monitors()]


class StackRelease:
    """Objects of one release of the chart `kube-prometheus-stack`."""

    def __init__(self, version: str, release: str, namespace: str, values: Mapping[str, Any]) -> None:
        self._release = ChartRelease(CHART, version, release, namespace, completed(CHART, DEFAULTS, values))
        self.value = self._release.value
        self._namespace = namespace
        self._name = self._release.full_name(CHART, self.value("fullnameOverride"))
        webhooks = ("prometheusOperator.admissionWebhooks.enabled", "prometheusOperator.tls.enabled")
        parts = ("kubeEtcd", "kubeScheduler", "kubeControllerManager", "kubeProxy", "thanosRuler")
        self._release.refuse(CHART, (*webhooks, *(f"{part}.enabled" for part in parts)))

    def operator(self) -> list[Manifest]:
        """Deployment, Service and rights of the Prometheus Operator."""
        name, value = f"{self._name}-operator", self.value
        rules = [
            objects.rule([prometheus_operator.GROUP], ["*"], ["*"]),
            objects.rule(["apps"], ["statefulsets"], ["*"]),
            objects.rule([""], ["configmaps", "secrets", "services", "services/finalizers"], ["*"]),
            objects.rule([""], ["pods", "nodes", "namespaces"], ["get", "list", "watch", "delete"]),
        ]
        container = objects.filled(
            name=CHART,
            image="quay.io/prometheus-operator/prometheus-operator:v0.93.1",
            ports=[{"containerPort": 8080, "name": "http"}],
            resources=value("prometheusOperator.resources"),
        )
        spec = objects.filled(
            serviceAccountName=name,
            affinity=value("prometheusOperator.affinity"),
            nodeSelector=value("prometheusOperator.nodeSelector"),
            tolerations=value("prometheusOperator.tolerations"),
            securityContext=NOBODY,
            containers=[container],
        )
        selector = {"app": f"{CHART}-operator", "release": self._release.name}
        labels = {**self._release.selector_labels(f"{CHART}-prometheus-operator"), **selector}
        return [
            *self._account(name, rules),
            self._service(name, selector, 8080),
            objects.deployment(
                self._metadata(name), replicas=1, selector=selector, template=objects.pod_template(labels, spec)
            ),
        ]

    def prometheus(self) -> list[Manifest]:
        """The server's account and Service, and last the object that the operator makes it of."""
        name, value = f"{self._name}-prometheus", self._below("prometheus.prometheusSpec")
        reads = [
            objects.rule([""], ["nodes", "nodes/metrics", "services", "endpoints", "pods"], ["get", "list", "watch"]),
            objects.rule(["discovery.k8s.io"], ["endpointslices"], ["get", "list", "watch"]),
        ]
        spec = {
            **self._server("prometheus", name, "quay.io/prometheus/prometheus:v3.14.0-distroless", value),
            **objects.filled(
                retention=value("retention"),
                retentionSize=value("retentionSize"),
                storage=value("storageSpec"),
                persistentVolumeClaimRetentionPolicy=value("persistentVolumeClaimRetentionPolicy"),
            ),
            **{selector: self._selector(selector) for selector in SELECTORS},
        }
        return [
            *self._account(name, reads),
            self._service(name, {"app.kubernetes.io/name": "prometheus", "operator.prometheus.io/name": name}, 9090),
            {"apiVersion": _API, "kind": "Prometheus", "metadata": self._metadata(name), "spec": spec},
        ]

    def alertmanager(self) -> list[Manifest]:
        """Its account, configuration and Service, and last the object that the operator makes it of."""
        name, value = f"{self._name}-alertmanager", self._below("alertmanager.alertmanagerSpec")
        configuration = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": self._metadata(f"alertmanager-{name}"),
            "stringData": {"alertmanager.yaml": json.dumps(self.value("alertmanager.config"), sort_keys=True)},
        }
        spec = {
            **self._server("alertmanager", name, "quay.io/prometheus/alertmanager:v0.34.0", value),
            **objects.filled(retention="120h", secrets=value("secrets")),
        }
        return [
            objects.service_account(self._metadata(name)),
            configuration,
            self._service(name, {"app.kubernetes.io/name": "alertmanager", "alertmanager": name}, 9093),
            {"apiVersion": _API, "kind": "Alertmanager", "metadata": self._metadata(name), "spec": spec},
        ]

    def kube_state_metrics(self, version: str, values: Mapping[str, Any]) -> list[Manifest]:
        """The chart inside, with this one's values for it."""
        monitored = {"monitor": {"enabled": True, "http": {"honorLabels": True}}}
        own = {"releaseLabel": True, "prometheusScrape": False, "prometheus": monitored}
        given = {**own, **(values.get("kube-state-metrics") or {})}
        return kube_state_metrics.manifests(version, self._release.name, self._namespace, given)

    def node_exporter(self) -> list[Manifest]:
        """One pod on every node, on the node's own network."""
        value = self._below("prometheus-node-exporter")
        name = self._release.full_name("prometheus-node-exporter", value("fullnameOverride"))
        labels = self._release.selector_labels("prometheus-node-exporter")
        container = objects.filled(
            name="node-exporter",
            image="quay.io/prometheus/node-exporter:v1.12.1-distroless",
            ports=[{"containerPort": 9100, "name": "http-metrics", "protocol": "TCP"}],
            resources=value("resources"),
            volumeMounts=[objects.mount(each, f"/host/{each}", read_only=True) for each in ("proc", "sys", "root")],
        )
        spec = objects.filled(
            serviceAccountName=name,
            automountServiceAccountToken=False,
            hostNetwork=True,
            hostPID=True,
            affinity=objects.required_node_affinity(_NO_FARGATE),
            nodeSelector=value("nodeSelector"),
            tolerations=value("tolerations"),
            securityContext={key: each for key, each in NOBODY.items() if key != "seccompProfile"},
            containers=[container],
            volumes=[
                objects.host_path("proc", "/proc"),
                objects.host_path("sys", "/sys"),
                objects.host_path("root", "/"),
            ],
        )
        marked = {**labels, "jobLabel": "node-exporter", "release": self._release.name}
        return [
            objects.service_account(self._metadata(name)),
            self._service(name, labels, 9100),
            objects.daemon_set(self._metadata(name), selector=labels, template=objects.pod_template(marked, spec)),
        ]

    def grafana(self) -> list[Manifest]:
        """Grafana with the sidecars that read dashboards and data sources, and a Secret with a password made up."""
        name = self._release.full_name("grafana", self.value("grafana.fullnameOverride"))
        labels = self._release.selector_labels("grafana")
        sidecar = "quay.io/kiwigrid/k8s-sidecar:2.10.1"
        spec = objects.filled(
            serviceAccountName=name,
            affinity=self.value("grafana.affinity"),
            nodeSelector=self.value("grafana.nodeSelector"),
            tolerations=self.value("grafana.tolerations"),
            securityContext={"fsGroup": 472, "runAsGroup": 472, "runAsNonRoot": True, "runAsUser": 472},
            containers=[
                {"name": "grafana-sc-dashboard", "image": sidecar},
                {"name": "grafana-sc-datasources", "image": sidecar},
                objects.filled(
                    name="grafana",
                    image="docker.io/grafana/grafana:13.2.0",
                    ports=[{"name": "grafana", "containerPort": 3000, "protocol": "TCP"}],
                    resources=self.value("grafana.resources"),
                ),
            ],
        )
        role = f"{name}-clusterrole"
        meta = objects.metadata(role, labels=labels)
        password = {"admin-user": "admin", "admin-password": "made-up-by-the-chart"}
        return [
            objects.service_account(self._metadata(name)),
            {"apiVersion": "v1", "kind": "Secret", "metadata": self._metadata(name), "stringData": password},
            objects.cluster_role(meta, [objects.rule([""], ["configmaps", "secrets"], ["get", "watch", "list"])]),
            objects.binding(objects.metadata(f"{role}binding", labels=labels), role, name, self._namespace),
            self._service(name, labels, 80),
            objects.deployment(
                self._metadata(name), replicas=1, selector=labels, template=objects.pod_template(labels, spec)
            ),
        ]

    def service_monitors(self) -> list[Manifest]:
        """What tells the operator of the chart's own parts, and of the API server, the kubelets and CoreDNS."""
        parts = ["alertmanager", "apiserver", "coredns", "kubelet", "operator", "prometheus"]
        names = [f"{self._name}-{part}" for part in parts]
        names.append(
            self._release.full_name("prometheus-node-exporter", self.value("prometheus-node-exporter.fullnameOverride"))
        )
        if self.value("grafana.enabled"):
            names.append(self._release.full_name("grafana", self.value("grafana.fullnameOverride")))
        found = [
            {
                "apiVersion": _API,
                "kind": "ServiceMonitor",
                "metadata": self._metadata(name),
                "spec": {"selector": {"matchLabels": {"app": name}}, "endpoints": [{"port": "http-web"}]},
            }
            for name in names
        ]
        dns = self._service(f"{self._name}-coredns", {"k8s-app": "kube-dns"}, 9153)
        dns["metadata"]["namespace"] = "kube-system"
        return [dns, *found]

    def _below(self, path: str) -> Callable[[str], Any]:
        """The values below ``path``, by their keys."""

        def value(key: str) -> Any:
            return self.value(f"{path}.{key}")

        return value

    def _server(self, kind: str, name: str, image: str, value: Any) -> Manifest:
        """What the objects of both servers have in common. Beside its own affinity each keeps off a node of its like."""
        told = {"alertmanager": name} if kind == "alertmanager" else {"app.kubernetes.io/instance": name}
        alike = [objects.expression(key, "In", each) for key, each in {"app.kubernetes.io/name": kind, **told}.items()]
        term = {"labelSelector": {"matchExpressions": alike}, "topologyKey": "kubernetes.io/hostname"}
        apart = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}
        return {
            "image": image,
            "replicas": value("replicas"),
            "serviceAccountName": name,
            "securityContext": _SERVER,
            "affinity": {**(value("affinity") or {}), "podAntiAffinity": apart},
            **objects.filled(resources=value("resources"), tolerations=value("tolerations")),
        }

    def _selector(self, name: str) -> Manifest:
        """Every object, or those with the label of this release: what an empty selector means is a value of the chart."""
        own = self.value(f"prometheus.prometheusSpec.{name}NilUsesHelmValues")
        return {"matchLabels": {"release": self._release.name}} if own else {}

    def _account(self, name: str, rules: list[Manifest]) -> list[Manifest]:
        of_cluster = objects.metadata(name, labels=self._labels())
        return [
            objects.service_account(self._metadata(name)),
            objects.cluster_role(of_cluster, rules),
            objects.binding(of_cluster, name, name, self._namespace),
        ]

    def _service(self, name: str, selector: Mapping[str, str], port: int) -> Manifest:
        spec = {"ports": [{"name": "http-web", "port": port}], "selector": dict(selector)}
        return {"apiVersion": "v1", "kind": "Service", "metadata": self._metadata(name), "spec": spec}

    def _labels(self) -> dict[str, str]:
        chart = {"chart": f"{CHART}-{self._release.version}", "release": self._release.name, "heritage": "Helm"}
        return {"app.kubernetes.io/part-of": CHART, "app.kubernetes.io/instance": self._release.name, **chart}

    def _metadata(self, name: str) -> Manifest:
        return self._release.metadata(name, self._labels(), self._namespace)
