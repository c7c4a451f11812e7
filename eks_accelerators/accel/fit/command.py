"""The answer of `accel fit`."""

from eks_accelerators.accel.fit.fragment import Best, best
from eks_accelerators.accel.fit.question import FitQuestion
from eks_accelerators.accel.reports.fit import BestFit, FitReport, FitRow, RefusedType, ServerReport
from eks_accelerators.accelerators import data, fit
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.fit import Candidate

NODE_CAPACITY = (
    "of a node's processors, memory and pods: what nodeadm reserves, and an estimate for the pods of DaemonSets "
    "(eks_accelerators/accelerators/node_capacity.py)"
)
SPEED = "servers on one GPU share its compute: the price of a server says nothing about its speed"


def answer(question: FitQuestion) -> FitReport:
    """The report of a question that can be answered."""
    refused: list[RefusedType] = []
    found: list[Candidate] = []
    considered = False
    for kind in question.types:
        reason = fit.not_considered(kind, question.region, None if question.from_file else question.model)
        of_type = fit.neuron_candidates if kind.neuron else fit.candidates
        considered = considered or reason is None
        ways = [] if reason else list(of_type(question.server, kind, question.region))
        found += ways
        if not ways:
            why = reason or fit.refusal(question.server, kind)
            refused.append(RefusedType(instance_type=kind.name, reason=why))
    rows = fit.best_of_each(found)
    # A stack file may be able to say a candidate that is not the best of its kind.
    chosen = best(question, fit.in_order(found))
    none = "not one server fits any of these instance types; try larger ones, or less of --context or --concurrency"
    if not considered:
        none = f"none of these instance types can serve this model in {question.region}; name others, or leave --instances out"
    nothing = Finding("fit-nothing", "--instances", none)
    return FitReport(
        model=question.model,
        shape=question.server.shape,
        server=_server(question),
        region=question.region,
        problems=() if rows else (nothing,),
        rows=tuple(_row(one) for one in rows),
        refused=refused,
        best=_best(chosen) if rows else None,
        estimates=_estimates(),
    )


def unanswered(problems: list[Finding]) -> FitReport:
    """The report of a question with problems."""
    return FitReport(problems=problems, estimates=_estimates())


def _server(question: FitQuestion) -> ServerReport:
    need = question.server.need()
    return ServerReport(
        context=question.server.max_model_len,
        concurrency=question.server.concurrent_sequences,
        weights_gib=need.weights_gib,
        overhead_gib=need.overhead_gib,
        kv_cache_gib=need.kv_cache_gib,
        total_gib=need.total_gib,
        cpu=question.resources.cpu,
        memory_gib=question.resources.memory_gib,
    )


def _row(one: Candidate) -> FitRow:
    chip, way = one.instance_type.accelerator, one.way
    return FitRow(
        instance_type=one.instance_type.name,
        gpu=chip.name,
        gpus_per_node=chip.count,
        sharing=way.kind,
        servers_per_gpu=way.shares if way.gpus_per_server == 1 else None,
        gpus_per_server=way.gpus_per_server,
        mig_profile=way.profile,
        servers_per_node=one.servers,
        gib_each=one.share.gib,
        needed_gib=one.needed_gib,
        kv_tokens_each=one.kv_tokens,
        isolation=way.isolation,
        limited_by=one.limited_by,
        usd_per_hour=one.usd_per_hour,
        usd_per_server_hour=one.usd_per_server_hour,
    )


def _best(chosen: Best) -> BestFit:
    row = _row(chosen.candidate) if chosen.candidate else None
    return BestFit(row=row, fragment=chosen.text, passed_over=chosen.passed_over)


def _estimates() -> list[str]:
    models, mig = data.load("models")["sources"], data.load("mig-profiles")["sources"]
    return [
        f"overhead of a server: {models['overhead_gib']}",
        f"CUDA graphs of a server that is alone on its GPUs or MIG instance: {models['cuda_graphs_gib']}",
        f"memory of a MIG instance: {mig['instance_memory']}",
        NODE_CAPACITY,
        SPEED,
    ]
