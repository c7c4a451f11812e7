"""One valid set of arguments for each component, and a way to deploy it."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from eks_accelerators import components
from eks_accelerators.settings.releases import RELEASES
from tests.components.harness import CLUSTER_GROUP, REGION, SUBNETS, TAGS, VPC, Deployment, attempt

RESERVATION_ID, OFFERING_ID = "cr-0123456789abcdef0", "cb-0123456789abcdef0"

TRAINED: dict[str, Any] = {
    "name": "gpu",
    "instance_type": "p5.48xlarge",
    "size": {"desired": 4, "max": 4},
    "efa": {"enabled": True},
}

SERVED: dict[str, Any] = {
    "name": "gpu",
    "instance_type": "g6.2xlarge",
    "size": {"desired": 1, "max": 2},
}

Changes = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None
"""Arguments in place of an example's; a function where they have outputs, which belong to one run's event loop."""

EXAMPLES: dict[type[pulumi.ComponentResource], dict[str, Any]] = {
    components.Network: {
        "region": REGION,
        "cidr": "10.20.0.0/16",
        "zones": ["us-east-2a", "us-east-2b"],
        "gateway_endpoints": ["s3"],
        "interface_endpoints": ["ecr.api"],
        "tags": TAGS,
    },
    components.Cluster: {
        "region": REGION,
        "vpc_id": VPC,
        "subnet_ids": [subnet["id"] for subnet in SUBNETS],
        "kubernetes_version": "1.35",
        "tags": TAGS,
    },
    components.SystemNodeGroup: {
        "region": REGION,
        "cluster_name": "ml",
        "cluster_security_group_id": CLUSTER_GROUP,
        "subnet_ids": [subnet["id"] for subnet in SUBNETS],
        "kubernetes_version": "1.35",
        "instance_types": ["m7i.large"],
        "size": {"min": 2, "desired": 2, "max": 3},
        "tags": TAGS,
    },
    components.ClusterAddons: {"region": REGION, "cluster_name": "ml", "tags": TAGS},
    components.AcceleratorNodeGroup: {
        "cluster_name": "ml",
        "cluster_security_group_id": CLUSTER_GROUP,
        "vpc_id": VPC,
        "subnets": SUBNETS,
        "kubernetes_version": "1.35",
        "instance_type": "g6.2xlarge",
        "size": {"min": 0, "desired": 1, "max": 2},
        "tags": TAGS,
    },
    components.CapacityBlock: {
        "reservation_id": RESERVATION_ID,
        "instance_type": "p5.48xlarge",
        "max_size": 4,
        "zones": ["us-east-2a", "us-east-2b"],
        "notification_email": "ml@example.com",
        "tags": TAGS,
    },
    components.CapacityBlockPurchase: {
        "region": REGION,
        "offering_id": OFFERING_ID,
        "instance_type": "p5.48xlarge",
        "instance_count": 4,
        "duration_hours": 48,
        "start": "2026-12-01T11:30:00Z",
        "max_upfront_fee_usd": "9000",
        "confirmation": f"Buy {OFFERING_ID} for at most 9000 USD; I know it cannot be cancelled or refunded.",
        "tags": TAGS,
    },
    components.NvidiaDevicePlugin: {"sharings": [{"strategy": "timeSlicing", "replicas": 4}]},
    components.GpuOperator: {
        "sharings": [
            {"strategy": "timeSlicing", "replicas": 4},
            {"strategy": "mig", "mig": {"layout": {"3g.40gb": 1, "1g.10gb": 4}}},
        ]
    },
    components.NeuronDevicePlugin: {},
    components.EfaDevicePlugin: {},
    components.DraDriver: {},
    components.DcgmExporter: {},
    components.ClusterAutoscaler: {
        "region": REGION,
        "cluster_name": "ml",
        "version": "1.35.2",
        "spot_node_groups": ["gpu-spot"],
        "tags": TAGS,
    },
    components.Karpenter: {
        "region": REGION,
        "cluster_name": "ml",
        "node_role_arn": "arn:aws:iam::111122223333:role/nodes",
        "tags": TAGS,
    },
    components.KarpenterNodePool: {
        "node_role_arn": "arn:aws:iam::111122223333:role/nodes",
        "cluster_security_group_id": CLUSTER_GROUP,
        "subnets": SUBNETS,
        "kubernetes_version": "1.35",
        "instance_type": "g6.2xlarge",
        "size": {"max": 4},
        "tags": TAGS,
    },
    components.LustreStorage: {
        "vpc_id": VPC,
        "subnets": SUBNETS,
        "cluster_security_group_id": CLUSTER_GROUP,
        "zone": "us-east-2a",
        "deployment_type": "PERSISTENT_2",
        "throughput_mibps_per_tib": 125,
        "tags": TAGS,
    },
    components.EfsStorage: {
        "vpc_id": VPC,
        "subnets": SUBNETS,
        "cluster_security_group_id": CLUSTER_GROUP,
        "tags": TAGS,
    },
    components.S3FilesStorage: {
        "region": REGION,
        "vpc_id": VPC,
        "subnets": SUBNETS,
        "cluster_security_group_id": CLUSTER_GROUP,
        "bucket": "example-shared",
        "tags": TAGS,
    },
    components.StorageDrivers: {
        "cluster_name": "ml",
        "policies": {"aws-fsx-csi-driver": {"checkpoints": "{}"}},
        "tags": TAGS,
    },
    components.StorageVolume: {
        "namespace": "llm",
        "driver": "s3.csi.aws.com",
        "volume_attributes": {"bucketName": "example-models"},
    },
    components.BucketAccess: {
        "region": REGION,
        "cluster_name": "ml",
        "namespace": "llm",
        "service_account": "qwen",
        "bucket": "example-models",
        "prefix": "qwen/",
        "tags": TAGS,
    },
    components.ExternalSecrets: {
        "region": REGION,
        "cluster_name": "ml",
        "secrets": ["ml/hugging-face"],
        "tags": TAGS,
    },
    components.SyncedSecret: {"region": REGION, "namespace": "llm", "secret": "ml/hugging-face", "key": "token"},
    components.Keda: {},
    components.Reloader: {"namespaces": ["llm"]},
    components.JobSetController: {},
    components.LeaderWorkerSetController: {},
    components.KubeflowTrainer: {},
    components.KubeRayOperator: {},
    components.KubePrometheusStack: {"slack_channel": "#gpu-alerts", "grafana": True},
    components.KubeStateMetrics: {},
    components.NeuronMonitor: {},
    components.AlertTopicAccess: {
        "cluster_name": "ml",
        "topic_arn": "arn:aws:sns:us-east-2:111122223333:gpu-alerts",
        "tags": TAGS,
    },
    components.ManagedPrometheusAccess: {
        "cluster_name": "ml",
        "workspace_arn": "arn:aws:aps:us-east-2:111122223333:workspace/ws-0123",
        "tags": TAGS,
    },
    components.PrometheusObjects: {
        "pod_monitors": {"vllm": {"selector": {}, "podMetricsEndpoints": [{"portNumber": 8000}]}},
        "rules": {
            "groups": [{"name": "recorded", "rules": [{"record": "gpus", "expr": "count(DCGM_FI_DEV_GPU_TEMP)"}]}]
        },
        "dashboards": {"fleet": "{}"},
        "labels": {"release": "prometheus"},
        "slack_webhook": "https://example.com/hook",
        "alertmanager_namespace": "monitoring",
    },
    components.ManagedPrometheus: {
        "cluster_arn": "arn:aws:eks:us-east-2:111122223333:cluster/ml",
        "subnet_ids": [subnet["id"] for subnet in SUBNETS],
        "scrape_configuration": {"scrape_configs": [{"job_name": "vllm"}]},
        "rules": "groups: []",
        "alertmanager": {"route": {"receiver": "null"}, "receivers": [{"name": "null"}]},
        "retention_days": 30,
        "tags": TAGS,
    },
    components.CloudWatchObservability: {"region": REGION, "cluster_name": "ml", "tags": TAGS},
    components.WorkloadNamespace: {},
    components.VllmServer: {"model": "Qwen/Qwen2.5-0.5B-Instruct", "serves_on": SERVED},
    components.NeuronVllmServer: {
        "model": "meta-llama/Llama-3.2-1B-Instruct",
        "serves_on": {**SERVED, "instance_type": "trn2.48xlarge"},
        "existing_token_secret": "token",
    },
    components.NimServer: {
        "model": "meta-llama/Llama-3.2-1B-Instruct",
        "serves_on": {**SERVED, "instance_type": "g6e.xlarge"},
        "ngc_api_key": "nvapi-example",
    },
    components.TritonServer: {
        "serves_on": SERVED,
        "repository": "/models/vision",
        "volumes": {"models": {"mount_path": "/models", "read_only": True}},
    },
    components.TfServing: {
        "serves_on": {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": 4}},
        "model_name": "resnet",
        "model_path": "/models/resnet",
        "volumes": {"models": {"mount_path": "/models", "read_only": True}},
        "replicas": 4,
        "gpu_memory_gib": 3.0,
    },
    components.CudaVectorAdd: {"runs_on": SERVED},
    components.DcgmProfTester: {"runs_on": {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": 2}}},
    components.PytorchJob: {
        "nodes": 4,
        "accelerators_per_node": 8,
        "efa_interfaces": 32,
        "runs_on": TRAINED,
    },
    components.CollectiveTest: {
        "nodes": 2,
        "accelerators_per_node": 8,
        "efa_interfaces": 32,
        "runs_on": TRAINED,
    },
}
"""Every component with what it requires, and its tags."""

REGISTERS: dict[str, str] = {
    "Network": "VpcEndpoint",
    "Cluster": "Addon",
    "SystemNodeGroup": "NodeGroup",
    "ClusterAddons": "StorageClass",
    "AcceleratorNodeGroup": "NodeGroup",
    "CapacityBlock": "TopicSubscription",
    "CapacityBlockPurchase": "CapacityBlockReservation",
    "NeuronMonitor": "DaemonSet",
    "AlertTopicAccess": "PodIdentityAssociation",
    "ManagedPrometheusAccess": "PodIdentityAssociation",
    "PrometheusObjects": "PrometheusRule",
    "ManagedPrometheus": "Scraper",
    "CloudWatchObservability": "Addon",
    "KarpenterNodePool": "NodePool",
    "WorkloadNamespace": "Namespace",
    "LustreStorage": "LustreFileSystem",
    "EfsStorage": "AccessPoint",
    "S3FilesStorage": "FilesMountTarget",
    "StorageDrivers": "Addon",
    "StorageVolume": "PersistentVolumeClaim",
    "BucketAccess": "PodIdentityAssociation",
    "SyncedSecret": "ExternalSecret",
    "VllmServer": "Deployment",
    "NeuronVllmServer": "Deployment",
    "NimServer": "Deployment",
    "TritonServer": "Deployment",
    "TfServing": "Deployment",
    "CudaVectorAdd": "Job",
    "DcgmProfTester": "Job",
    "PytorchJob": "Job",
    "CollectiveTest": "Job",
    **{each.component: "Release" for each in RELEASES},
}
"""A kind of resource that each component makes."""

NAMES = {component: component.__name__.lower() for component in EXAMPLES}


def run(
    component: type[Any],
    changes: Changes = None,
    *,
    name: str | None = None,
    opts: pulumi.ResourceOptions | None = None,
    without: tuple[str, ...] = (),
    **options: Any,
) -> Deployment:
    """Deploy the example of one component with some arguments changed, in a cluster. The failure is kept."""

    def program() -> None:
        changed = changes() if callable(changes) else changes or {}
        args = {key: value for key, value in {**EXAMPLES[component], **changed}.items() if key not in without}
        cluster = k8s.Provider("in-cluster", kubeconfig="{}")
        given = pulumi.ResourceOptions(providers={"kubernetes": cluster})
        made = component(name or NAMES[component], args, pulumi.ResourceOptions.merge(given, opts))
        pulumi.export("made", made.urn)

    return attempt(program, **options)


def deployed(component: type[Any], changes: Changes = None, **options: Any) -> Deployment:
    """Deploy as `run` does, and raise the failure."""
    deployment = run(component, changes, **options)
    if deployment.error:
        raise deployment.error
    return deployment


def takes_tags(token: str) -> bool:
    """Whether AWS takes tags on resources of this type, by the provider's own classes."""
    package, module, kind = token.split(":")
    return package == "aws" and hasattr(getattr(getattr(aws, module.partition("/")[0]), kind), "tags")
