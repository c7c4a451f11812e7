"""A candidate as a fragment of a stack file, where a stack file can say it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from accel.fit.question import Question
from accelerators.fit import Candidate
from settings.load import PROJECT, parse
from settings.problems import errors

_GROUP_SUFFIX = {"exclusive": "", "fractional": "", "timeSlicing": "-time-sliced", "mps": "-mps"}
_TOKEN = "huggingFaceToken"  # noqa: S105  (the name of a secret)


@dataclass(frozen=True, slots=True)
class Best:
    """The first candidate that a stack file can say. ``passed_over`` are those before it, with the reason."""

    candidate: Candidate
    values: dict[str, Any]
    passed_over: tuple[tuple[Candidate, str], ...]

    @property
    def text(self) -> str:
        """The fragment, as a stack file has it."""
        config = {f"{PROJECT}:{key}": value for key, value in self.values.items()}
        return yaml.safe_dump({"config": config}, sort_keys=False, width=120)


def best(question: Question, in_order: Iterable[Candidate]) -> Best | None:
    """The first of the candidates whose fragment has no error; None where there is none."""
    passed_over: list[tuple[Candidate, str]] = []
    for candidate in in_order:
        values = settings_of(question, candidate)
        reason = "a stack file cannot divide GPUs with MIG yet" if values is None else _refused(values, question.region)
        if values is not None and reason is None:
            return Best(candidate, values, tuple(passed_over))
        passed_over.append((candidate, reason or ""))
    return None


def settings_of(question: Question, candidate: Candidate) -> dict[str, Any] | None:
    """`nodeGroups` and `workloads` of one node and the servers on it; None where no setting says it."""
    way, server, shape = candidate.way, question.server, question.server.shape
    if way.kind not in _GROUP_SUFFIX:
        return None
    group = f"{candidate.instance_type.family}{_GROUP_SUFFIX[way.kind]}"
    node_group: dict[str, Any] = {"instanceType": candidate.instance_type.name, "size": {"desired": 1, "max": 1}}
    if way.shares > 1:
        node_group["sharing"] = {"strategy": way.kind, "replicas": way.shares}
    workload: dict[str, Any] = {"model": question.model}
    if question.from_file:
        workload["modelShape"] = {
            "parameters": shape.parameters,
            "layers": shape.layers,
            "attentionHeads": shape.attention_heads,
            "kvHeads": shape.kv_heads,
            "headSize": shape.head_size,
            "maxModelLen": shape.max_model_len,
        }
    workload |= {
        "nodeGroup": group,
        "replicas": candidate.servers,
        "maxModelLen": server.max_model_len,
        "concurrentSequences": server.concurrent_sequences,
    }
    if way.gpus_per_server > 1:
        workload["tensorParallelSize"] = way.gpus_per_server
    if shape.gated:
        workload[_TOKEN] = {"configSecret": _TOKEN}
    return {"nodeGroups": {group: node_group}, "workloads": {"vllm": {_workload_name(question.model): workload}}}


def _workload_name(model: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", model.rpartition("/")[2].lower()).strip("-")
    return (name if name[:1].isalpha() else f"model-{name}")[:40].strip("-")


def _refused(values: dict[str, Any], region: str) -> str | None:
    """The errors that the rules find of node group and workload; what else a stack needs is not asked here."""
    network = {"create": {"zones": [f"{region}a", f"{region}b"]}}
    found = parse({"owner": "someone", "network": network, **values}, region)
    own = [problem for problem in errors(found.problems) if problem.path.startswith(("nodeGroups.", "workloads."))]
    return "; ".join(f"{problem.message} [{problem.code}]" for problem in own) or None
