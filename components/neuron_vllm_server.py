"""A language model served by vLLM on the Neuron devices of one node group."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import NeuronVllmServerArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.model_server import ModelServer
from eks_accelerators.components.neuron_pod import (
    CACHE,
    IMAGES,
    PATIENCE_SECONDS,
    NeuronPodParts,
    compile_pod,
    described,
)
from eks_accelerators.components.server_inputs import ServerInputs, existing_secret, of_downloads
from eks_accelerators.components.server_pod import ServerDescription, labels
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.workload_component import Surroundings, load_source
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit, neuron_fit
from eks_accelerators.settings.resolved_stack import PlacedWorkload

_COMPILER = "vllm-neuron-compiler"
_RETRIES = 1


@dataclass(frozen=True, slots=True)
class NeuronVllmInputs(ServerInputs):
    """A server on Neuron devices. The token is a secret value, or stands in the Secret ``token_secret``. A deployment waits for what
    compiles ahead where ``waits_for_compiler``, also where it does not wait for servers.
    """

    workload: NeuronVllmWorkload
    fit: NeuronFit
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None
    waits_for_compiler: bool = True


class NeuronVllmServer(ModelServer[NeuronVllmInputs]):
    """Namespace, Secret, Deployment, Service, PodDisruptionBudget; PersistentVolumeClaim where weights and compiled
    programs are kept, a Job where the model is compiled ahead, for which the servers wait, and ScaledObject where
    servers follow their load.

    Needs KEDA in the cluster for a ScaledObject.

    The instance type decides which plugin serves; cores, memory and buckets that would not do are refused with the
    arithmetic.

    Providers: Kubernetes.

    Alone: One model on Neuron devices that are described by `serves_on`. Cores, memory and buckets that would not do
    are refused with the arithmetic.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of all objects of the server."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = "the Neuron image runs as root; everything else of the restricted profile holds"

    def __init__(self, name: str, args: NeuronVllmServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> NeuronVllmInputs:
        """What is compiled ahead is waited for whenever it can end: it needs no node of the group."""
        return NeuronVllmInputs(**of_downloads(placed, around), waits_for_compiler=existing_secret(placed) is None)

    def _described(self, inputs: NeuronVllmInputs) -> ServerDescription:
        workload = inputs.workload
        parts = NeuronPodParts(
            workload,
            inputs.group,
            inputs.fit,
            image=workload.image or catalogue()[IMAGES[inputs.fit.plugin]]["image"],
            token_secret=self._token_secret(inputs),
            cache=self._cache("cache", CACHE, workload.cache),
        )
        if workload.compile_ahead:
            self._compile_ahead(parts, waits=inputs.waits_for_compiler)
        return described(parts)

    def _token_secret(self, inputs: NeuronVllmInputs) -> str | None:
        if inputs.token_secret is not None or inputs.token is None:
            return inputs.token_secret
        return self._secret(f"{self._name}-hugging-face", {"token": inputs.token})

    def _compile_ahead(self, parts: NeuronPodParts, *, waits: bool) -> None:
        """The Job that fills the cache. Servers that follow it find their programs there."""
        name = f"{self._name}-compile"
        own = labels(_COMPILER, self._name)
        pod = compile_pod(parts, self._name)
        # Typed as Any: mypy compares dictionaries with all shapes of the SDK, which takes it more memory than machines have.
        spec: Any = {
            "backoffLimit": _RETRIES,
            "activeDeadlineSeconds": 2 * PATIENCE_SECONDS,
            "template": {"metadata": {"labels": own}, "spec": pod},
        }
        annotations = {} if waits else {"pulumi.com/skipAwait": "true"}
        metadata: Any = {
            "name": name,
            "namespace": self.namespace_name,
            "labels": own,
            "annotations": annotations,
        }
        patience = f"{2 * PATIENCE_SECONDS}s"
        job = k8s.batch.v1.Job(
            name,
            metadata=metadata,
            spec=spec,
            opts=self.child(
                depends_on=self._space, custom_timeouts=pulumi.CustomTimeouts(create=patience, update=patience)
            ),
        )
        self._before_servers.append(job)


def _parsed(name: str, args: NeuronVllmServerArgs) -> NeuronVllmInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    serves_on = args["serves_on"]
    group, workload = resolve_workload(NeuronVllmWorkload, name, args, serves_on)
    return NeuronVllmInputs(
        workload=workload,
        group=group,
        fit=neuron_fit(workload, group),
        namespace=args.get("namespace"),
        token=args.get("hugging_face_token"),
        token_secret=args.get("existing_token_secret"),
        waits=args.get("wait_for_pods", True),
        waits_for_compiler=args.get("wait_for_pods", True),
        node_selector=serves_on.get("node_selector"),
        load=load_source(args),
    )
