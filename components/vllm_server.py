"""A language model served by vLLM on the GPUs of one node group."""

from dataclasses import dataclass

import pulumi

from eks_accelerators.components.arguments import VllmServerArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.model_server import LoadSource, ModelServer, ServerInputs
from eks_accelerators.components.server_pod import ServerDescription
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.vllm_pod import described
from eks_accelerators.settings.fit import Fit, vllm_fit
from eks_accelerators.settings.model.vllm import VllmWorkload


@dataclass(frozen=True, slots=True)
class VllmInputs(ServerInputs):
    """A server of vLLM. The token is a secret value, or stands in the Secret ``token_secret``."""

    workload: VllmWorkload
    fit: Fit
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None


class VllmServer(ModelServer[VllmInputs]):
    """Namespace, Secret, Deployment, Service, PodDisruptionBudget; ResourceClaimTemplate where GPUs are claimed, ScaledObject
    where servers follow their load.

    Needs a Kubernetes provider in its options, and KEDA in the cluster for a ScaledObject.

    Memory per server follows from model, GPU and sharing; what does not fit is refused with the arithmetic.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of everything."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = "the vLLM image runs as root; everything else of the restricted profile holds"

    def __init__(self, name: str, args: VllmServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _described(self, inputs: VllmInputs) -> ServerDescription:
        workload = inputs.workload
        return described(
            workload,
            inputs.group,
            inputs.fit,
            image=workload.image or catalogue()["vllm"]["image"],
            token_secret=self._token_secret(inputs),
            claim=self._claimed_volume(workload.cache),
        )

    def _token_secret(self, inputs: VllmInputs) -> str | None:
        if inputs.token_secret is not None or inputs.token is None:
            return inputs.token_secret
        return self._secret(f"{self._name}-hugging-face", {"token": inputs.token})


def _parsed(name: str, args: VllmServerArgs) -> VllmInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    serves_on = args["serves_on"]
    group, workload = resolve_workload(VllmWorkload, name, args, serves_on)
    return VllmInputs(
        workload=workload,
        group=group,
        fit=vllm_fit(workload, group),
        namespace=args.get("namespace"),
        token=args.get("hugging_face_token"),
        token_secret=args.get("existing_token_secret"),
        waits=args.get("wait_for_pods", True),
        node_selector=serves_on.get("node_selector"),
        load=LoadSource(args["prometheus_address"], args.get("prometheus_region"))
        if "prometheus_address" in args
        else None,
    )
