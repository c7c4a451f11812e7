"""What `accel fit` finds out."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from eks_accelerators.accel.reports.base import Gib, Report, ReportPart, Usd
from eks_accelerators.accel.reports.findings import FindingReport
from eks_accelerators.accelerators.fit import Kind

_Gib = Annotated[float, AfterValidator(lambda amount: round(amount, 3))]


class ShapeReport(ReportPart):
    """Shape of the model: what its memory follows from."""

    parameters: int = Field(description="Number of its parameters")
    bytes_per_parameter: float | int = Field(description="Bytes; the product of both are the weights")
    layers: int = Field(description="What the KV cache follows from, as the next three")
    attention_heads: int = Field(description="Heads that ask")
    kv_heads: int = Field(description="Heads that are cached")
    head_size: int = Field(description="Numbers of a head")
    max_model_len: int = Field(description="Longest context in tokens that the model was made for")
    gated: bool = Field(description="Hugging Face asks for a token; not known of a file")


class ServerReport(ReportPart):
    """Memory and CPU that one server of the model needs."""

    context: int = Field(description="Tokens of a sequence")
    concurrency: int = Field(description="Sequences at a time")
    weights_gib: _Gib = Field(description="Memory of the weights on one GPU, in GiB")
    overhead_gib: float = Field(description="Memory of what runs them, in GiB")
    kv_cache_gib: _Gib = Field(description="Memory of the KV cache, in GiB")
    total_gib: _Gib = Field(description="Their sum, in GiB")
    cpu: str = Field(description="CPU that the pod asks for")
    memory_gib: int = Field(description="Memory of the node that the pod asks for, in GiB")


class IsolationReport(ReportPart):
    """What keeps the servers of one GPU apart, in words."""

    memory: str = Field(description="Of their memory")
    compute: str = Field(description="Of their time")
    fault: str = Field(description="Of their faults")


class FitRow(ReportPart):
    """The best of an instance type and a kind of sharing."""

    instance_type: str = Field(description="EC2 instance type")
    gpu: str = Field(description="Name of its GPU or Neuron device")
    gpus_per_node: int = Field(description="GPUs or Neuron devices of a node")
    sharing: Kind = Field(description="How they are shared")
    servers_per_gpu: int | None = Field(
        description="Shares or MIG instances of a GPU; null where a server takes several GPUs"
    )
    gpus_per_server: int = Field(description="More than 1 with tensor parallelism; Neuron devices likewise")
    mig_profile: str | None = Field(description="Profile of all instances")
    servers_per_node: int = Field(description="Servers that a node takes")
    gib_each: Gib = Field(description="GPU memory of a server in GiB, on each of its GPUs or logical NeuronCores")
    needed_gib: Gib = Field(description="GiB that it needs there")
    kv_tokens_each: int = Field(description="Tokens that its KV cache holds")
    isolation: IsolationReport = Field(description="What keeps servers apart")
    limited_by: str = Field(
        description="What stops another server: `gpuMemory`, `gpus`, `devices`, `instances`, `replicas` (48, or what MPS takes), `shares`, "
        "or `cpu`, `memory` or `pods` of the node"
    )
    usd_per_hour: Usd | None = Field(description="Price of the node on demand")
    usd_per_server_hour: Usd | None = Field(description="The same, divided by its servers")


class RefusedType(ReportPart):
    """An instance type without a row."""

    instance_type: str = Field(description="EC2 instance type")
    reason: str = Field(description="Why it has none")


class PassedOverReport(ReportPart):
    """What is no worse by price, and no stack file can have."""

    sharing: Kind = Field(description="How GPUs are shared")
    instance_types: tuple[str, ...] = Field(description="Where it is so")
    reason: str = Field(description="What stands against it")


class BestFit(ReportPart):
    """The cheapest that a stack file can have."""

    as_they_are: ClassVar = frozenset({"fragment"})

    row: FitRow | None = Field(description="Null where no stack file can have any")
    fragment: str | None = Field(description="YAML with node group and workload")
    passed_over: tuple[PassedOverReport, ...] = Field(description="What is no worse by price and cannot be had")


class FitReport(Report):
    """`accel fit --model MODEL --json`. The exit status is 0 where a server fits anywhere, else 2.

    Codes of problems: `fit-model-unknown`, `fit-model-config` (the file gives no shape), `fit-context` (longer than the model
    was made for), `fit-instances`, `fit-region`, `fit-nothing` (no server fits anywhere). Their `path` is the option; `line`
    is null.
    """

    model: str | None = Field(
        None,
        description="Name of the model; of a `config.json` its folder's. Null where the question has problems, as are the next "
        "three",
    )
    shape: ShapeReport | None = Field(None, description="Numbers of the model")
    server: ServerReport | None = Field(None, description="What one server needs")
    region: str | None = Field(None, description="Region of the prices")
    problems: tuple[FindingReport, ...] = Field(description="What is wrong with the question, or the answer")
    rows: tuple[FitRow, ...] = Field(
        (),
        description="The best of each instance type and kind of sharing (each MIG profile is one), the cheapest for a server "
        "first, unknown prices last",
    )
    refused: tuple[RefusedType, ...] = Field((), description="Instance types without a row")
    best: BestFit | None = Field(None, description="The cheapest that a stack file can have; null without rows")
    estimates: tuple[str, ...] = Field(description="What is estimated, and from what")
