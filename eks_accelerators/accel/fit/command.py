"""The answer of `accel fit`, as plain data. The keys are those of the documented JSON (`docs/json.md`)."""

from typing import Any

from eks_accelerators.accel.fit.fragment import Best, best
from eks_accelerators.accel.fit.question import FitQuestion
from eks_accelerators.accel.report import money
from eks_accelerators.accelerators import data, fit
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.fit import Candidate

ROOM = (
    "of a node's processors, memory and pods: what nodeadm reserves, and an estimate for the pods of DaemonSets "
    "(eks_accelerators/accelerators/node_capacity.py)"
)
SPEED = "servers on one GPU share its compute: the price of a server says nothing about its speed"


def answer(question: FitQuestion) -> dict[str, Any]:
    """The documented JSON of a question."""
    refused: list[dict[str, str]] = []
    found: list[Candidate] = []
    for kind in question.types:
        reason = fit.not_considered(kind, question.region)
        ways = [] if reason else list(fit.candidates(question.server, kind, question.region))
        found += ways
        if not ways:
            refused.append({"instanceType": kind.name, "reason": reason or fit.refusal(question.server, kind)})
    rows = fit.best_of_each(found)
    # A stack file may be able to say a candidate that is not the best of its kind.
    chosen = best(question, fit.in_order(found))
    nothing = Finding("fit-nothing", "--instances", "not one server fits any of these instance types")
    return {
        **_question(question),
        "problems": [] if rows else [nothing.to_dict()],
        "rows": [_row(question, one) for one in rows],
        "refused": refused,
        "best": _best(question, chosen) if rows else None,
        "estimates": _estimates(),
    }


def unanswered(problems: list[Finding]) -> dict[str, Any]:
    """The documented JSON of a question with problems."""
    keys = ("model", "shape", "server", "region")
    return {
        **dict.fromkeys(keys),
        "problems": [problem.to_dict() for problem in problems],
        "rows": [],
        "refused": [],
        "best": None,
        "estimates": _estimates(),
    }


def _question(question: FitQuestion) -> dict[str, Any]:
    shape, need = question.server.shape, question.server.need()
    return {
        "model": question.model,
        "shape": {
            "parameters": shape.parameters,
            "bytesPerParameter": shape.bytes_per_parameter,
            "layers": shape.layers,
            "attentionHeads": shape.attention_heads,
            "kvHeads": shape.kv_heads,
            "headSize": shape.head_size,
            "maxModelLen": shape.max_model_len,
            "gated": shape.gated,
        },
        "server": {
            "context": question.server.max_model_len,
            "concurrency": question.server.concurrent_sequences,
            "weightsGib": round(need.weights_gib, 3),
            "overheadGib": need.overhead_gib,
            "kvCacheGib": round(need.kv_cache_gib, 3),
            "totalGib": round(need.total_gib, 3),
            "cpu": question.resources.cpu,
            "memoryGib": question.resources.memory_gib,
        },
        "region": question.region,
    }


def _row(question: FitQuestion, one: Candidate) -> dict[str, Any]:
    chip, way = one.instance_type.accelerator, one.way
    return {
        "instanceType": one.instance_type.name,
        "gpu": chip.name,
        "gpusPerNode": chip.count,
        "sharing": way.kind,
        "serversPerGpu": way.shares if way.gpus_per_server == 1 else None,
        "gpusPerServer": way.gpus_per_server,
        "migProfile": way.profile,
        "serversPerNode": one.servers,
        "gibEach": round(one.share.gib, 2),
        "neededGib": round(question.server.need(way.gpus_per_server).total_gib, 2),
        "kvTokensEach": one.kv_tokens,
        "isolation": {
            "memory": way.isolation.memory,
            "compute": way.isolation.compute,
            "fault": way.isolation.fault,
        },
        "limitedBy": one.limited_by,
        "usdPerHour": money(one.usd_per_hour),
        "usdPerServerHour": money(one.usd_per_server_hour),
    }


def _best(question: FitQuestion, chosen: Best) -> dict[str, Any]:
    return {
        "row": _row(question, chosen.candidate) if chosen.candidate else None,
        "fragment": chosen.text,
        "passedOver": [
            {"sharing": one.sharing, "instanceTypes": list(one.instance_types), "reason": one.reason}
            for one in chosen.passed_over
        ],
    }


def _estimates() -> list[str]:
    models, mig = data.load("models")["sources"], data.load("mig-profiles")["sources"]
    return [
        f"overhead of a server: {models['overhead_gib']}",
        f"memory of a MIG instance: {mig['instance_memory']}",
        ROOM,
        SPEED,
    ]
