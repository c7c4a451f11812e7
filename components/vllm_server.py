"""A language model served by vLLM on the GPUs of one node group."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import VllmServerArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.model_server import ModelServer
from eks_accelerators.components.server_group import API_VERSION, KIND, leader_worker_set_spec, set_name
from eks_accelerators.components.server_inputs import ServerInputs, of_downloads
from eks_accelerators.components.server_pod import ServerDescription
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.vllm_pod import described
from eks_accelerators.components.workload_component import Surroundings, load_source
from eks_accelerators.settings.fit import Fit, vllm_fit
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload


@dataclass(frozen=True, slots=True)
class VllmInputs(ServerInputs):
    """A server of vLLM. The token is a secret value, or stands in the Secret ``token_secret``."""

    workload: VllmWorkload
    fit: Fit
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None


class VllmServer(ModelServer[VllmInputs]):
    """Namespace, Secret, Deployment, Service, PodDisruptionBudget; ResourceClaimTemplate where GPUs are claimed,
    ScaledObject where servers follow their load, a LeaderWorkerSet in place of the Deployment where a server spans
    nodes.

    Needs KEDA in the cluster for a ScaledObject, and LeaderWorkerSet for its kind.

    Memory per server follows from model, GPU and sharing; what does not fit is refused with the arithmetic.

    Providers: Kubernetes.

    Alone: One model on a node group that is described by `serves_on`.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of all objects of the server."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = "the vLLM image runs as root; everything else of the restricted profile holds"

    def __init__(self, name: str, args: VllmServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> VllmInputs:
        """With the token for gated models, from where the settings say."""
        return VllmInputs(**of_downloads(placed, around))

    def _described(self, inputs: VllmInputs) -> ServerDescription:
        workload = inputs.workload
        return described(
            workload,
            inputs.group,
            inputs.fit,
            image=workload.image or catalogue()["vllm-efa" if workload.spans_nodes else "vllm"]["image"],
            token_secret=self._token_secret(inputs),
            cache=self._cache("models", workload.CACHE_PATH, workload.cache),
        )

    def _servers(
        self, spec: Any, account: k8s.core.v1.ServiceAccount, replicas: int, *, waits: bool, is_scaled: bool
    ) -> pulumi.Resource:
        size = self._inputs.workload.nodes_per_replica
        if size == 1:
            return super()._servers(spec, account, replicas, waits=waits, is_scaled=is_scaled)
        # No deployment waits for it: it starts for up to an hour, and where it takes the place of a Deployment, that holds
        # the GPUs until the end of the deployment.
        return k8s.apiextensions.CustomResource(
            self._name,
            api_version=API_VERSION,
            kind=KIND,
            metadata={**self._metadata(), "name": set_name(self._name)},
            spec=leader_worker_set_spec(replicas, size, self._labels, spec),
            opts=self.child(depends_on=[*self._space, account, *self._before_servers]),
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
        load=load_source(args),
    )
