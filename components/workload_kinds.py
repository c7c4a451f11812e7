"""What deploys each kind of workload: one entry for each kind of `eks_accelerators.settings.workload_kinds`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi

from eks_accelerators.components import gang, gpu_test_job
from eks_accelerators.components.base import Component
from eks_accelerators.components.collective_test import CollectiveTest
from eks_accelerators.components.cuda_vector_add import CudaVectorAdd
from eks_accelerators.components.dcgm_prof_tester import DcgmProfTester
from eks_accelerators.components.gang import GangInputs
from eks_accelerators.components.gpu_test_job import GpuTestInputs
from eks_accelerators.components.model_server import LoadSource, ModelServer, ServerInputs
from eks_accelerators.components.neuron_vllm_server import NeuronVllmInputs, NeuronVllmServer
from eks_accelerators.components.nim_server import NimInputs, NimServer
from eks_accelerators.components.pytorch_job import PytorchJob
from eks_accelerators.components.tf_serving import TfServing, TfServingInputs
from eks_accelerators.components.triton_server import TritonInputs, TritonServer
from eks_accelerators.components.vllm_server import VllmInputs, VllmServer
from eks_accelerators.settings.model.gpu_tests import CudaVectorAddSettings, DcgmProfTesterSettings
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NGC_KEY, NGC_PULL, NimWorkload
from eks_accelerators.settings.model.secrets import HUGGING_FACE
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.training import CollectiveTestSettings, GangWorkload, PytorchJobSettings
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.training_fit import GangFit


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a stack gives to a workload: its namespace, the secrets of the configuration, and whether all workloads of its
    node group fit it at its desired size, so that a deployment can wait for the pods. ``load`` is what tells of their load,
    where there is something, and ``scrapers`` are the namespaces from which metrics are asked for. ``block_end`` is the end of
    the Capacity Block that its node group is on, where it is on one. ``rolls``: Reloader is there for those that ask for it.
    """

    namespace: pulumi.Output[str]
    config: pulumi.Config
    fits_now: bool
    load: LoadSource | None = None
    scrapers: tuple[str, ...] = ()
    block_end: pulumi.Output[str] | None = None
    rolls: bool = False


@dataclass(frozen=True, slots=True)
class DeployedKind:
    """How one kind is deployed.

    ``inputs`` makes what ``component`` takes. Its pods are admitted at the Pod Security level ``pod_security``, for the
    ``reason`` given. ``needs_addons``: it waits for names and volumes, and not only for what serves the GPUs. ``exported``
    are outputs of the stack, by what follows the workload's name.
    """

    component: type[Component[Any]]
    inputs: Callable[[PlacedWorkload, Surroundings], Any]
    pod_security: str
    reason: str
    needs_addons: bool
    exported: dict[str, str]


def _config_token(placed: PlacedWorkload, around: Surroundings) -> pulumi.Output[str] | None:
    """The token for gated models, where it is in the configuration."""
    token = placed.workload.token_source
    return around.config.require_secret(token.config_secret) if token and token.config_secret else None


def _existing_secret(placed: PlacedWorkload) -> str | None:
    """The Secret that the settings name for the token: its namespace is only made now, so nothing can wait for it."""
    token = placed.workload.token_source
    return token.existing_secret if token and not token.config_secret else None


def _synced(placed: PlacedWorkload, suffix: str) -> str | None:
    """The Secret that External Secrets makes; None where it makes none of that kind."""
    return f"{placed.name}-{suffix}" if suffix in placed.workload.synced_secrets else None


def _token_secret(placed: PlacedWorkload) -> str | None:
    """The Secret with the token that is there before the server: the one that the settings name, or one that is synced."""
    return _existing_secret(placed) or _synced(placed, HUGGING_FACE)


def _of_every_server(placed: PlacedWorkload, around: Surroundings) -> dict[str, Any]:
    """What every server takes. None is waited for whose token is in a Secret of a namespace that is only made now."""
    read = (f"{placed.name}-{suffix}" for suffix, secret in placed.workload.synced_secrets.items() if secret.is_read)
    return {
        "workload": placed.workload,
        "group": placed.group,
        "fit": placed.fit,
        "namespace": around.namespace,
        "waits": around.fits_now and _existing_secret(placed) is None,
        "load": around.load,
        "scrapers": around.scrapers,
        "rolls_with": tuple(read) if around.rolls else (),
    }


def _of_downloads(placed: PlacedWorkload, around: Surroundings) -> dict[str, Any]:
    """What a server takes that downloads a model: its token comes from where the settings say."""
    token, secret = _config_token(placed, around), _token_secret(placed)
    return {**_of_every_server(placed, around), "token": token, "token_secret": secret}


def _with_token(inputs: Callable[..., ServerInputs]) -> Callable[[PlacedWorkload, Surroundings], ServerInputs]:
    return lambda placed, around: inputs(**_of_downloads(placed, around))


def _neuron_inputs(placed: PlacedWorkload, around: Surroundings) -> NeuronVllmInputs:
    """What is compiled ahead is waited for whenever it can end: it needs no node of the group."""
    return NeuronVllmInputs(**_of_downloads(placed, around), waits_for_compiler=_existing_secret(placed) is None)


def _nim_inputs(placed: PlacedWorkload, around: Surroundings) -> NimInputs:
    """One key of NGC becomes both Secrets."""
    workload, taken = placed.workload, _of_downloads(placed, around)
    assert isinstance(workload, NimWorkload)
    key = workload.ngc_key
    return NimInputs(
        **{**taken, "waits": taken["waits"] and key.existing_secret is None},
        key=around.config.require_secret(key.config_secret) if key.config_secret else None,
        key_secret=key.existing_secret or _synced(placed, NGC_KEY),
        pull_secret=key.existing_pull_secret or _synced(placed, NGC_PULL),
    )


def _tf_serving_inputs(placed: PlacedWorkload, around: Surroundings) -> TfServingInputs:
    return TfServingInputs(**_of_every_server(placed, around))


def _gpu_test_inputs(placed: PlacedWorkload, around: Surroundings) -> GpuTestInputs[Any]:
    waits = None if around.fits_now else False
    return GpuTestInputs(placed.workload, placed.group, placed.fit, namespace=around.namespace, waits=waits)


def _gpu_test(component: type[Component[Any]]) -> DeployedKind:
    level, reason = gpu_test_job.POD_SECURITY, gpu_test_job.POD_SECURITY_REASON
    return DeployedKind(component, _gpu_test_inputs, level, reason, needs_addons=False, exported={})


def _gang_inputs(placed: PlacedWorkload, around: Surroundings) -> GangInputs[Any]:
    workload, fit = placed.workload, placed.fit
    assert isinstance(workload, GangWorkload)
    assert isinstance(fit, GangFit)
    return GangInputs(workload, placed.group, fit, namespace=around.namespace, block_end=around.block_end)


def _gang(component: type[Component[Any]], exported: dict[str, str]) -> DeployedKind:
    """Its pods find each other by name, and mount volumes."""
    level, reason = gang.POD_SECURITY, gang.POD_SECURITY_REASON
    return DeployedKind(component, _gang_inputs, level, reason, needs_addons=True, exported=exported)


def _server(component: type[ModelServer[Any]], inputs: Callable[[PlacedWorkload, Surroundings], Any]) -> DeployedKind:
    return DeployedKind(
        component,
        inputs,
        component.POD_SECURITY,
        component.POD_SECURITY_REASON,
        needs_addons=True,
        exported={"Service": "service_name", "Request": "example_request"},
    )


KINDS: dict[type[Workload], DeployedKind] = {
    VllmWorkload: _server(VllmServer, _with_token(VllmInputs)),
    NeuronVllmWorkload: _server(NeuronVllmServer, _neuron_inputs),
    NimWorkload: _server(NimServer, _nim_inputs),
    TritonWorkload: _server(TritonServer, _with_token(TritonInputs)),
    TfServingWorkload: _server(TfServing, _tf_serving_inputs),
    CudaVectorAddSettings: _gpu_test(CudaVectorAdd),
    DcgmProfTesterSettings: _gpu_test(DcgmProfTester),
    PytorchJobSettings: _gang(PytorchJob, {}),
    CollectiveTestSettings: _gang(CollectiveTest, {"Expected": "expected"}),
}
"""How each kind is deployed, by its model."""


def add_workload(placed: PlacedWorkload, around: Surroundings, opts: pulumi.ResourceOptions) -> Component[Any]:
    """The component of a workload. Its outputs that people use are exported by its name."""
    kind = KINDS[type(placed.workload)]
    component = kind.component.of(placed.name, kind.inputs(placed, around), opts)
    for suffix, output in kind.exported.items():
        pulumi.export(f"{placed.name}{suffix}", getattr(component, output))
    return component
