"""A server that scales: its Deployment, and the ScaledObject that follows what waits and runs."""

NVIDIA_TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
IN_THE_CLUSTER = "http://prometheus-operated.monitoring.svc:9090"
QUERY = (
    'sum(max by (pod) (max_over_time(vllm:num_requests_running{namespace="%s"}[1m])))'
    ' + sum(max by (pod) (max_over_time(vllm:num_requests_waiting{namespace="%s"}[1m])))'
)


def deployment(namespace, name="llama"):
    """One GPU for each replica; the number of replicas is left to who scales."""
    labels = {"app": name}
    container = {"name": "vllm", "image": "vllm/vllm-openai", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    pod = {
        "containers": [container],
        "tolerations": [{"key": NVIDIA_TAINT["key"], "operator": "Exists"}],
        "terminationGracePeriodSeconds": 0,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }


def scaled_object(namespace, name="llama", **spec):
    """Up as soon as more than 5 requests are with each replica, down after 10 quiet minutes; 4 where nobody answers."""
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "scaleTargetRef": {"name": name},
            "minReplicaCount": 1,
            "maxReplicaCount": 8,
            "fallback": {"failureThreshold": 3, "replicas": 4, "behavior": "currentReplicasIfHigher"},
            "advanced": {
                "horizontalPodAutoscalerConfig": {
                    "behavior": {
                        "scaleUp": {
                            "stabilizationWindowSeconds": 0,
                            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}],
                        },
                        "scaleDown": {
                            "stabilizationWindowSeconds": 600,
                            "policies": [{"type": "Percent", "value": 100, "periodSeconds": 60}],
                        },
                    }
                }
            },
            "triggers": [
                {
                    "type": "prometheus",
                    "metricType": "AverageValue",
                    "metadata": {
                        "serverAddress": IN_THE_CLUSTER,
                        "query": QUERY % (namespace, namespace),
                        "threshold": "5",
                        "ignoreNullValues": "false",
                    },
                }
            ],
            **spec,
        },
    }
