"""The gRPC side of a provider: what the Pulumi engine calls, whoever answers."""

from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf import any_pb2, empty_pb2, struct_pb2
from pulumi.runtime.proto import (
    errors_pb2,  # noqa: F401  (registers the details of errors)
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
    status_pb2,
)

from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.providers.differences import Difference
from eks_accelerators.simulator.providers.kind import PartlyCreatedError
from eks_accelerators.simulator.providers.values import to_python, to_struct

_KINDS_OF_DIFFERENCE = {
    ("add", False): provider_pb2.PropertyDiff.ADD,
    ("add", True): provider_pb2.PropertyDiff.ADD_REPLACE,
    ("delete", False): provider_pb2.PropertyDiff.DELETE,
    ("delete", True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    ("update", False): provider_pb2.PropertyDiff.UPDATE,
    ("update", True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class ProviderServer(provider_pb2_grpc.ResourceProviderServicer):
    """What all our providers answer alike. What went in as a secret the engine marks again when it comes back."""

    version = "0.0.0"
    accepts_secrets = False
    """Whether secrets reach the provider with their mark; the engine demands it of one that constructs components."""
    accepts_resources = False
    """Whether a resource among the inputs reaches it as one; to others, the providers of AWS and of Kubernetes among them,
    the engine hands its ID. Source: pulumi/pulumi `pkg/resource/plugin/provider_plugin.go`."""

    def Attach(self, request: plugin_pb2.PluginAttach, context: grpc.ServicerContext) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ProviderHandshakeResponse(
            accept_resources=self.accepts_resources, accept_secrets=self.accepts_secrets
        )

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=self.version)

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.GetSchemaResponse(schema="{}")

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        changed = to_python(request.old_inputs or request.olds) != to_python(request.news)
        kind = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=kind)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ConfigureResponse(
            supportsPreview=True, acceptResources=self.accepts_resources, acceptSecrets=self.accepts_secrets
        )

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        return empty_pb2.Empty()


def checked(inputs: dict[str, Any], failures: list[tuple[str, str]]) -> Any:
    """A `CheckResponse`; each failure has the property and the reason."""
    return provider_pb2.CheckResponse(
        inputs=to_struct(inputs),
        failures=[provider_pb2.CheckFailure(property=name, reason=reason) for name, reason in failures],
    )


def diffed(found: list[Difference], replacing: Callable[[str], bool], *, delete_first: bool = False) -> Any:
    """A `DiffResponse` over differences of inputs."""
    if not found:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE, hasDetailedDiff=True)
    detailed = {
        each.path: provider_pb2.PropertyDiff(kind=_KINDS_OF_DIFFERENCE[each.kind, replacing(each.path)], inputDiff=True)
        for each in found
    }
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME,
        diffs=sorted({each.top for each in found}),
        replaces=sorted({each.top for each in found if replacing(each.path)}),
        deleteBeforeReplace=delete_first,
        detailedDiff=detailed,
        hasDetailedDiff=True,
    )


def answered(context: grpc.ServicerContext, work: Callable[[], Any], inputs: struct_pb2.Struct | None = None) -> Any:
    """The answer of ``work``; a refusal becomes a gRPC error that says only what AWS or the simulation said.

    A resource that is there and no good is told with its state, as providers do.
    """
    try:
        return work()
    except PartlyCreatedError as error:
        _abort_with_state(context, error, inputs)
    except (AwsError, NotSimulatedError) as error:
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
    return None


def _abort_with_state(
    context: grpc.ServicerContext, error: PartlyCreatedError, inputs: struct_pb2.Struct | None
) -> None:
    detail = any_pb2.Any()
    detail.Pack(
        provider_pb2.ErrorResourceInitFailed(
            id=error.created.id,
            properties=to_struct({**(to_python(inputs) if inputs else {}), **error.created.outputs}),
            reasons=[error.reason],
            inputs=inputs,
        )
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=error.reason, details=[detail])
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(grpc.StatusCode.UNKNOWN, error.reason)
