"""What tells the API server of KEDA's servers, which run beside it: an APIService, and webhooks.

A Service of type ExternalName leads to a port of this machine; Endpoints with its address would be refused.
"""

import base64
from collections.abc import Sequence

from eks_accelerators.simulator.kubernetes.api import Object
from eks_accelerators.simulator.kubernetes.control_plane import EXTENSION

METRICS_API = "external.metrics.k8s.io/v1beta1"
SERVICE, NAMESPACE = "keda-metrics-beside-the-cluster", "kube-system"
DNS_NAME = f"{SERVICE}.{NAMESPACE}.svc"
"""What the API server expects the certificate to be of."""

JUDGED = ("scaledobject", "scaledjob", "triggerauthentication", "clustertriggerauthentication")
"""Kinds that KEDA's webhooks judge."""

_LABELS = {EXTENSION: "keda"}


def metrics_api(port: int, authority: bytes) -> tuple[Object, Object]:
    """The Service and the APIService of the metrics server."""
    group, version = METRICS_API.split("/")
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": SERVICE, "namespace": NAMESPACE, "labels": _LABELS},
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }
    api = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"{version}.{group}", "labels": _LABELS},
        "spec": {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "service": {"name": SERVICE, "namespace": NAMESPACE, "port": port},
            "caBundle": base64.b64encode(authority).decode(),
        },
    }
    return service, api


def admission(port: int, authority: bytes, kinds: Sequence[str] = JUDGED) -> Object:
    """Webhooks as KEDA's release has them, except that a judge who does not answer is not passed over."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "keda-beside-the-cluster", "labels": _LABELS},
        "webhooks": [_webhook(kind, port, authority) for kind in kinds],
    }


def _webhook(kind: str, port: int, authority: bytes) -> Object:
    return {
        "name": f"v{kind}.kb.io",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {
            "url": f"https://127.0.0.1:{port}/validate-keda-sh-v1alpha1-{kind}",
            "caBundle": base64.b64encode(authority).decode(),
        },
        "failurePolicy": "Fail",
        "rules": [
            {
                "apiGroups": ["keda.sh"],
                "apiVersions": ["v1alpha1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": [f"{kind}s"],
            }
        ],
        "sideEffects": "None",
        "timeoutSeconds": 10,
    }
