"""The `eks` provider: constructs the remote component `eks.Cluster`."""

from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, resource_pb2_grpc

from eks_accelerators.simulator import grpc_channels
from eks_accelerators.simulator.providers.eks_component import Construction
from eks_accelerators.simulator.providers.registrations import SimulatedClusterInputs
from eks_accelerators.simulator.providers.server import ProviderServer, answered
from eks_accelerators.simulator.providers.values import to_python, to_struct


class EksProvider(ProviderServer):
    """Constructs clusters; has no resources of its own."""

    version = "4.4.0"
    accepts_secrets = True
    accepts_resources = True

    def Construct(self, request: Any, context: grpc.ServicerContext) -> Any:
        return answered(context, lambda: _constructed(request))


def _constructed(request: Any) -> Any:
    wanted = SimulatedClusterInputs(
        type=request.type,
        name=request.name,
        parent=request.parent,
        inputs=to_python(request.inputs),
        depends={name: tuple(listed.urns) for name, listed in request.inputDependencies.items()},
        dependencies=tuple(request.dependencies),
        providers=dict(request.providers),
        protect=request.protect,
    )
    with grpc_channels.channel(request.monitorEndpoint) as channel:
        made = Construction(wanted, resource_pb2_grpc.ResourceMonitorStub(channel)).construct()
    depends = provider_pb2.ConstructResponse.PropertyDependencies(urns=[made.cluster])
    return provider_pb2.ConstructResponse(
        urn=made.urn, state=to_struct(made.outputs), stateDependencies=dict.fromkeys(made.outputs, depends)
    )
