"""Pulumi components that provision Amazon EKS clusters with NVIDIA GPUs and AWS Trainium.

Each stands alone: it takes one dictionary of typed arguments, and needs nothing of the others but their outputs.
"""

from components.accelerator_node_group import AcceleratorNodeGroup
from components.arguments import (
    AcceleratorNodeGroupArgs,
    CapacityBlockArgs,
    CapacityBlockPurchaseArgs,
    ClusterArgs,
    CudaVectorAddArgs,
    DcgmProfTesterArgs,
    NetworkArgs,
    SystemNodeGroupArgs,
    VllmServerArgs,
)
from components.capacity_block import CapacityBlock
from components.capacity_block_purchase import CapacityBlockPurchase
from components.capacity_block_rotation import block_in_turn
from components.cluster import Cluster
from components.cluster_addons import ClusterAddons, ClusterAddonsArgs
from components.cuda_vector_add import CudaVectorAdd
from components.dcgm_exporter import DcgmExporter, DcgmExporterArgs
from components.dcgm_prof_tester import DcgmProfTester
from components.dra_driver import DraDriver, DraDriverArgs
from components.efa_device_plugin import EfaDevicePlugin, EfaDevicePluginArgs
from components.gpu_operator import GpuOperator, GpuOperatorArgs
from components.network import Network
from components.neuron_device_plugin import NeuronDevicePlugin, NeuronDevicePluginArgs
from components.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs
from components.system_node_group import SystemNodeGroup
from components.vllm_server import VllmServer
from components.workload_namespace import WorkloadNamespace, WorkloadNamespaceArgs

ALL = (
    Network,
    Cluster,
    SystemNodeGroup,
    ClusterAddons,
    AcceleratorNodeGroup,
    CapacityBlock,
    CapacityBlockPurchase,
    NvidiaDevicePlugin,
    GpuOperator,
    NeuronDevicePlugin,
    EfaDevicePlugin,
    DraDriver,
    DcgmExporter,
    WorkloadNamespace,
    VllmServer,
    CudaVectorAdd,
    DcgmProfTester,
)
"""Every component, in the order in which a stack creates them."""

__all__ = [
    "ALL",
    "AcceleratorNodeGroup",
    "AcceleratorNodeGroupArgs",
    "CapacityBlock",
    "CapacityBlockArgs",
    "CapacityBlockPurchase",
    "CapacityBlockPurchaseArgs",
    "Cluster",
    "ClusterAddons",
    "ClusterAddonsArgs",
    "ClusterArgs",
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
    "GpuOperator",
    "GpuOperatorArgs",
    "Network",
    "NetworkArgs",
    "NeuronDevicePlugin",
    "NeuronDevicePluginArgs",
    "NvidiaDevicePlugin",
    "NvidiaDevicePluginArgs",
    "SystemNodeGroup",
    "SystemNodeGroupArgs",
    "VllmServer",
    "VllmServerArgs",
    "WorkloadNamespace",
    "WorkloadNamespaceArgs",
    "block_in_turn",
]
