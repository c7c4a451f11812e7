"""Servers of a load, made up and of shipped stacks."""

from datetime import UTC, datetime

from eks_accelerators.settings.fit import vllm_fit
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.load.fleet import Fleet, Placed
from eks_accelerators.simulator.load.model_server import ServerModel, server_model
from eks_accelerators.simulator.load.profile import LoadStep
from tests.docs.pages import ROOT

NOW = datetime(2026, 11, 22, tzinfo=UTC)

LLAMA = ServerModel(
    weight_bytes=2.5e9,
    kv_bytes_per_token=32768,
    operations_per_token=2.5e9,
    bytes_per_second=210e9,
    operations_per_second=60e12,
    host_seconds=0.005,
    slots=16,
    kv_tokens=60_000,
)
"""As Llama-3.2-1B on a quarter of an L4."""


def of_stack(stack: str, workload: str) -> ServerModel:
    """The servers of a workload of a shipped stack."""
    resolved = load_stack_file(ROOT / "stacks" / f"Pulumi.{stack}.yaml", NOW).stack
    found = resolved.settings.workloads.vllm[workload]
    group = resolved.groups[found.node_group]
    return server_model(f"workloads.vllm.{workload}", found, group, vllm_fit(found, group), slots=16)


def fleet(gpus: dict[str, int], model: ServerModel = LLAMA, **more) -> Fleet:
    """Servers that are ready; ``gpus`` says how many are on each."""
    servers = {("llm", f"{gpu}-{n}"): Placed(gpu, model) for gpu, count in gpus.items() for n in range(count)}
    made = Fleet(**more)
    made.place(servers, servers)
    return made


def loaded(gpus: dict[str, int], requests: int, seconds: float, model: ServerModel = LLAMA) -> Fleet:
    """Servers after so long with so many requests in flight."""
    made = fleet(gpus, model)
    made.follow(LoadStep(requests=requests))
    made.advance(seconds)
    return made


def tokens_per_second(made: Fleet) -> float:
    """What was answered."""
    return sum(request.output for request in made.requests if request.finished is not None) / made.now
