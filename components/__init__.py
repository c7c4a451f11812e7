"""Pulumi components that provision Amazon EKS clusters with NVIDIA GPUs and AWS Trainium.

Each stands alone: it takes one dictionary of typed arguments, and needs nothing of the others but their outputs.
Written by `python -m eks_accelerators.settings.component_exports` from the modules beside this one.
"""

from eks_accelerators.components.accelerator_node_group import AcceleratorNodeGroup
from eks_accelerators.components.alert_topic_access import AlertTopicAccess, AlertTopicAccessArgs
from eks_accelerators.components.arguments import (
    AcceleratorNodeGroupArgs,
    CapacityBlockArgs,
    CapacityBlockPurchaseArgs,
    ClusterArgs,
    ClusterAutoscalerArgs,
    CollectiveTestArgs,
    CudaVectorAddArgs,
    DcgmExporterArgs,
    DcgmProfTesterArgs,
    DraDriverArgs,
    EfaDevicePluginArgs,
    EfsStorageArgs,
    ExternalSecretsArgs,
    GpuOperatorArgs,
    JobSetControllerArgs,
    KarpenterArgs,
    KarpenterNodePoolArgs,
    KedaArgs,
    KubeflowTrainerArgs,
    KubePrometheusStackArgs,
    KubeRayOperatorArgs,
    KubeStateMetricsArgs,
    LeaderWorkerSetControllerArgs,
    LustreStorageArgs,
    NetworkArgs,
    NeuronDevicePluginArgs,
    NeuronMonitorArgs,
    NeuronVllmServerArgs,
    NimServerArgs,
    NvidiaDevicePluginArgs,
    PytorchJobArgs,
    ReloaderArgs,
    S3FilesStorageArgs,
    SystemNodeGroupArgs,
    TfServingArgs,
    TritonServerArgs,
    VllmServerArgs,
)
from eks_accelerators.components.bucket_access import BucketAccess, BucketAccessArgs
from eks_accelerators.components.capacity_block import CapacityBlock
from eks_accelerators.components.capacity_block_purchase import CapacityBlockPurchase
from eks_accelerators.components.capacity_block_rotation import block_in_turn, end_in_turn
from eks_accelerators.components.cloudwatch_observability import CloudWatchObservability, CloudWatchObservabilityArgs
from eks_accelerators.components.cluster import Cluster
from eks_accelerators.components.cluster_addons import ClusterAddons, ClusterAddonsArgs
from eks_accelerators.components.cluster_autoscaler import ClusterAutoscaler
from eks_accelerators.components.collective_test import CollectiveTest
from eks_accelerators.components.cuda_vector_add import CudaVectorAdd
from eks_accelerators.components.dcgm_exporter import DcgmExporter
from eks_accelerators.components.dcgm_prof_tester import DcgmProfTester
from eks_accelerators.components.dra_driver import DraDriver
from eks_accelerators.components.efa_device_plugin import EfaDevicePlugin
from eks_accelerators.components.efs_storage import EfsStorage
from eks_accelerators.components.external_secrets import ExternalSecrets
from eks_accelerators.components.gpu_operator import GpuOperator
from eks_accelerators.components.job_set_controller import JobSetController
from eks_accelerators.components.karpenter import Karpenter
from eks_accelerators.components.karpenter_node_pool import KarpenterNodePool
from eks_accelerators.components.keda import Keda
from eks_accelerators.components.kube_prometheus_stack import KubePrometheusStack
from eks_accelerators.components.kube_ray_operator import KubeRayOperator
from eks_accelerators.components.kube_state_metrics import KubeStateMetrics
from eks_accelerators.components.kubeflow_trainer import KubeflowTrainer
from eks_accelerators.components.leader_worker_set_controller import LeaderWorkerSetController
from eks_accelerators.components.lustre_storage import LustreStorage
from eks_accelerators.components.managed_prometheus import ManagedPrometheus, ManagedPrometheusArgs
from eks_accelerators.components.managed_prometheus_access import ManagedPrometheusAccess, ManagedPrometheusAccessArgs
from eks_accelerators.components.network import Network
from eks_accelerators.components.neuron_device_plugin import NeuronDevicePlugin
from eks_accelerators.components.neuron_monitor import NeuronMonitor
from eks_accelerators.components.neuron_vllm_server import NeuronVllmServer
from eks_accelerators.components.nim_server import NimServer
from eks_accelerators.components.nvidia_device_plugin import NvidiaDevicePlugin
from eks_accelerators.components.prometheus_objects import PrometheusObjects, PrometheusObjectsArgs
from eks_accelerators.components.pytorch_job import PytorchJob
from eks_accelerators.components.reloader import Reloader
from eks_accelerators.components.s3_files_storage import S3FilesStorage
from eks_accelerators.components.storage_drivers import StorageDrivers, StorageDriversArgs
from eks_accelerators.components.storage_volume import StorageVolume, StorageVolumeArgs
from eks_accelerators.components.synced_secret import SyncedSecret, SyncedSecretArgs
from eks_accelerators.components.system_node_group import SystemNodeGroup
from eks_accelerators.components.tf_serving import TfServing
from eks_accelerators.components.triton_server import TritonServer
from eks_accelerators.components.vllm_server import VllmServer
from eks_accelerators.components.workload_namespace import WorkloadNamespace, WorkloadNamespaceArgs

ALL = (
    AcceleratorNodeGroup,
    AlertTopicAccess,
    BucketAccess,
    CapacityBlock,
    CapacityBlockPurchase,
    CloudWatchObservability,
    Cluster,
    ClusterAddons,
    ClusterAutoscaler,
    CollectiveTest,
    CudaVectorAdd,
    DcgmExporter,
    DcgmProfTester,
    DraDriver,
    EfaDevicePlugin,
    EfsStorage,
    ExternalSecrets,
    GpuOperator,
    JobSetController,
    Karpenter,
    KarpenterNodePool,
    Keda,
    KubeflowTrainer,
    KubePrometheusStack,
    KubeRayOperator,
    KubeStateMetrics,
    LeaderWorkerSetController,
    LustreStorage,
    ManagedPrometheus,
    ManagedPrometheusAccess,
    Network,
    NeuronDevicePlugin,
    NeuronMonitor,
    NeuronVllmServer,
    NimServer,
    NvidiaDevicePlugin,
    PrometheusObjects,
    PytorchJob,
    Reloader,
    S3FilesStorage,
    StorageDrivers,
    StorageVolume,
    SyncedSecret,
    SystemNodeGroup,
    TfServing,
    TritonServer,
    VllmServer,
    WorkloadNamespace,
)
"""Every component."""

__all__ = [
    "ALL",
    "AcceleratorNodeGroup",
    "AcceleratorNodeGroupArgs",
    "AlertTopicAccess",
    "AlertTopicAccessArgs",
    "BucketAccess",
    "BucketAccessArgs",
    "CapacityBlock",
    "CapacityBlockArgs",
    "CapacityBlockPurchase",
    "CapacityBlockPurchaseArgs",
    "CloudWatchObservability",
    "CloudWatchObservabilityArgs",
    "Cluster",
    "ClusterAddons",
    "ClusterAddonsArgs",
    "ClusterArgs",
    "ClusterAutoscaler",
    "ClusterAutoscalerArgs",
    "CollectiveTest",
    "CollectiveTestArgs",
    "CudaVectorAdd",
    "CudaVectorAddArgs",
    "DcgmExporter",
    "DcgmExporterArgs",
    "DcgmProfTester",
    "DcgmProfTesterArgs",
    "DraDriver",
    "DraDriverArgs",
    "EfaDevicePlugin",
    "EfaDevicePluginArgs",
    "EfsStorage",
    "EfsStorageArgs",
    "ExternalSecrets",
    "ExternalSecretsArgs",
    "GpuOperator",
    "GpuOperatorArgs",
    "JobSetController",
    "JobSetControllerArgs",
    "Karpenter",
    "KarpenterArgs",
    "KarpenterNodePool",
    "KarpenterNodePoolArgs",
    "Keda",
    "KedaArgs",
    "KubePrometheusStack",
    "KubePrometheusStackArgs",
    "KubeRayOperator",
    "KubeRayOperatorArgs",
    "KubeStateMetrics",
    "KubeStateMetricsArgs",
    "KubeflowTrainer",
    "KubeflowTrainerArgs",
    "LeaderWorkerSetController",
    "LeaderWorkerSetControllerArgs",
    "LustreStorage",
    "LustreStorageArgs",
    "ManagedPrometheus",
    "ManagedPrometheusAccess",
    "ManagedPrometheusAccessArgs",
    "ManagedPrometheusArgs",
    "Network",
    "NetworkArgs",
    "NeuronDevicePlugin",
    "NeuronDevicePluginArgs",
    "NeuronMonitor",
    "NeuronMonitorArgs",
    "NeuronVllmServer",
    "NeuronVllmServerArgs",
    "NimServer",
    "NimServerArgs",
    "NvidiaDevicePlugin",
    "NvidiaDevicePluginArgs",
    "PrometheusObjects",
    "PrometheusObjectsArgs",
    "PytorchJob",
    "PytorchJobArgs",
    "Reloader",
    "ReloaderArgs",
    "S3FilesStorage",
    "S3FilesStorageArgs",
    "StorageDrivers",
    "StorageDriversArgs",
    "StorageVolume",
    "StorageVolumeArgs",
    "SyncedSecret",
    "SyncedSecretArgs",
    "SystemNodeGroup",
    "SystemNodeGroupArgs",
    "TfServing",
    "TfServingArgs",
    "TritonServer",
    "TritonServerArgs",
    "VllmServer",
    "VllmServerArgs",
    "WorkloadNamespace",
    "WorkloadNamespaceArgs",
    "block_in_turn",
    "end_in_turn",
]
