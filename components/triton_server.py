"""Models served by Triton Inference Server on the GPUs of one node group."""

import json
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import TritonServerArgs
from eks_accelerators.components.charts import catalogue, name_of
from eks_accelerators.components.model_server import ModelServer
from eks_accelerators.components.server_inputs import ServerInputs, of_downloads
from eks_accelerators.components.server_pod import ServerDescription
from eks_accelerators.components.triton_pod import CONFIGURATION, described, engine_arguments
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.workload_component import Surroundings, load_source
from eks_accelerators.settings.language_models import language_model_fit
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload


@dataclass(frozen=True, slots=True)
class TritonInputs(ServerInputs):
    """A server of Triton. The token is a secret value, or stands in the Secret ``token_secret``."""

    workload: TritonWorkload
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None


class TritonServer(ModelServer[TritonInputs]):
    """Namespace, Deployment, Service, PodDisruptionBudget; ConfigMap and Secret for a language model, ScaledObject
    where servers follow their load.

    Needs KEDA in the cluster for a ScaledObject.

    Providers: Kubernetes.

    Alone: A model repository on a volume that is there, or one language model, on a node group that is described by
    `serves_on`.
    """

    service_name: pulumi.Output[str]
    """Name of the Service: port 80 is HTTP, 8001 gRPC."""
    namespace_name: pulumi.Output[str]
    """Namespace of all objects of the server."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    def __init__(self, name: str, args: TritonServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> TritonInputs:
        """With the token for gated models, from where the settings say."""
        return TritonInputs(**of_downloads(placed, around))

    def _described(self, inputs: TritonInputs) -> ServerDescription:
        workload = inputs.workload
        token = inputs.token_secret
        if token is None and inputs.token is not None:
            token = self._secret(f"{self._name}-hugging-face", {"token": inputs.token})
        pinned = catalogue()["tritonserver-vllm" if workload.vllm else "tritonserver"]["image"]
        return described(
            workload,
            inputs.group,
            inputs.fit,
            image=workload.image or pinned,
            token_secret=token,
            repository=self._repository(inputs),
        )

    def _repository(self, inputs: TritonInputs) -> pulumi.Output[str] | None:
        """The name of the ConfigMap with the repository of a language model: another for other contents, so that pods follow."""
        engine = engine_arguments(inputs.workload, inputs.group, inputs.fit)
        if engine is None:
            return None
        metadata: Any = {"namespace": self.namespace_name}
        made = k8s.core.v1.ConfigMap(
            f"{self._name}-repository",
            metadata=metadata,
            immutable=True,
            data={"config.pbtxt": CONFIGURATION, "model.json": json.dumps(engine, indent=2)},
            opts=self.child(depends_on=self._space),
        )
        return name_of(made)


def _parsed(name: str, args: TritonServerArgs) -> TritonInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    serves_on = args["serves_on"]
    group, workload = resolve_workload(TritonWorkload, name, args, serves_on)
    return TritonInputs(
        workload=workload,
        group=group,
        fit=language_model_fit(workload, group),
        namespace=args.get("namespace"),
        waits=args.get("wait_for_pods", True),
        node_selector=serves_on.get("node_selector"),
        token=args.get("hugging_face_token"),
        token_secret=args.get("existing_token_secret"),
        load=load_source(args),
    )
