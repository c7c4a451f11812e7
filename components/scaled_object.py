"""What KEDA is told of a server: pure data, no resources.

Sources: KEDA v2.20.2, `apis/keda/v1alpha1` (fields, and what its webhook refuses), `pkg/scalers/prometheus_scaler.go`,
`pkg/scalers/cron_scaler.go`, `pkg/fallback`, `pkg/scaling/executor`; vLLM `v1/metrics/loggers.py` for the names of metrics; read
2026-11-22.
"""

from typing import Any

from eks_accelerators.settings.autoscaling import KV_CACHE_TARGET, Autoscaling, Policy
from eks_accelerators.settings.model.autoscaling import CONCURRENCY, KV_CACHE_USE, PENDING_REQUESTS

API_VERSION = "keda.sh/v1alpha1"

_FAILURES = 3
"""Questions without an answer, every 15 s, before the fallback: one missed scrape is no blindness."""
_POLLING_SECONDS = 15
"""How often KEDA looks whether a server that is away is wanted; one that is there is asked for by Kubernetes itself."""


def scaled_object_spec(
    name: str, namespace: str, scaling: Autoscaling, address: str, *, region: str | None = None
) -> dict[str, Any]:
    """The `spec` of the ScaledObject of the Deployment ``name``.

    ``address`` is that of a Prometheus, in ``region`` where its questions are signed. Values of triggers are text. Two fields
    are left out where there is always a server: KEDA warns that they mean nothing then.
    """
    asleep = {"pollingInterval": _POLLING_SECONDS, "cooldownPeriod": scaling.down.window_seconds}
    return {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
        "minReplicaCount": scaling.least,
        "maxReplicaCount": scaling.most,
        **(asleep if scaling.least == 0 else {}),
        # Whoever is blind takes nobody away. 0 would count as no fallback, and a server that is busy would go.
        "fallback": {
            "failureThreshold": _FAILURES,
            "replicas": scaling.fallback,
            "behavior": "currentReplicasIfHigher",
        },
        "advanced": {
            "horizontalPodAutoscalerConfig": {
                "behavior": {"scaleUp": _behavior(scaling.up), "scaleDown": _behavior(scaling.down)}
            }
        },
        "triggers": [*_by_load(name, namespace, scaling, address, region), *_by_hours(scaling)],
    }


def trigger_authentication_spec() -> dict[str, Any]:
    """The `spec` of a TriggerAuthentication: KEDA asks with the rights of its own service account, by EKS Pod Identity."""
    return {"podIdentity": {"provider": "aws"}}


def queries(name: str, namespace: str) -> dict[str, str]:
    """What is asked of Prometheus, of one server and no other, by the metric's name in the settings.

    Where no pod of it is ready there is nothing to measure, and that is no blindness: the answer is 0, as long as
    kube-state-metrics says that none is ready. Otherwise no answer is a failure.
    """
    # A pod of a Deployment is called after it, with two parts more.
    pods = f'namespace="{namespace}", pod=~"{name}-[a-z0-9]+-[a-z0-9]{{5}}"'
    none_ready = f'sum(kube_deployment_status_replicas_ready{{namespace="{namespace}", deployment="{name}"}}) == 0'
    return {
        CONCURRENCY: f"sum(vllm:num_requests_running{{{pods}}} + vllm:num_requests_waiting{{{pods}}}) or {none_ready}",
        KV_CACHE_USE: f"avg(vllm:kv_cache_usage_perc{{{pods}}}) or {none_ready}",
        PENDING_REQUESTS: f"sum(nv_inference_pending_request_count{{{pods}}}) or {none_ready}",
    }


def _by_load(name: str, namespace: str, scaling: Autoscaling, address: str, region: str | None) -> list[dict[str, Any]]:
    """By the requests of each server, whether the last ones are ready or not; by the part of the KV cache in use, of those
    that are.
    """
    asked = queries(name, namespace)
    triggers: list[dict[str, Any]] = []
    kinds = {
        CONCURRENCY: ("AverageValue", {"threshold": str(scaling.target)}),
        PENDING_REQUESTS: ("AverageValue", {"threshold": str(scaling.target)}),
        # It never decides whether a server is wanted at all.
        KV_CACHE_USE: ("Value", {"threshold": str(KV_CACHE_TARGET), "activationThreshold": str(KV_CACHE_TARGET)}),
    }
    for metric in scaling.metrics:
        metric_type, thresholds = kinds[metric]
        metadata = {"serverAddress": address, "query": asked[metric], **thresholds}
        # By default no answer counts as no load: who is blind would take servers away.
        metadata |= {"ignoreNullValues": "false", **({"awsRegion": region} if region else {})}
        triggers.append(
            {
                "type": "prometheus",
                "name": _plain(metric),
                "metricType": metric_type,
                "metadata": metadata,
                **({"authenticationRef": {"name": name}} if region else {}),
            }
        )
    return triggers


def _by_hours(scaling: Autoscaling) -> list[dict[str, Any]]:
    return [
        {
            "type": "cron",
            "name": f"hours-{index}",
            "metadata": {
                "timezone": hours.timezone,
                "start": hours.start,
                "end": hours.end,
                "desiredReplicas": str(hours.replicas),
            },
        }
        for index, hours in enumerate(scaling.schedule)
    ]


def _behavior(policy: Policy) -> dict[str, Any]:
    """How fast, as a HorizontalPodAutoscaler takes it: what allows most counts."""
    wanted = {"Pods": policy.pods, "Percent": policy.percent}
    return {
        "stabilizationWindowSeconds": policy.window_seconds,
        "selectPolicy": "Max",
        "policies": [
            {"type": kind, "value": value, "periodSeconds": policy.period_seconds}
            for kind, value in wanted.items()
            if value is not None
        ],
    }


def _plain(metric: str) -> str:
    """In lower case with dashes, as people read it in events."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in metric)
