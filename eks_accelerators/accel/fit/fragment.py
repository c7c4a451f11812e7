"""A candidate as a fragment of a stack file, where a stack file can say it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from eks_accelerators.accel.fit.question import FitQuestion
from eks_accelerators.accelerators.fit import Candidate, Kind
from eks_accelerators.settings import stack_file
from eks_accelerators.settings.load import PROJECT, parse
from eks_accelerators.settings.problems import errors

_GROUP_SUFFIX = {
    "exclusive": "",
    "fractional": "",
    "timeSlicing": "-time-sliced",
    "mps": "-mps",
    "mig": "-mig",
    "neuron": "",
}
_TOKEN = "huggingFaceToken"  # noqa: S105  (the name of a secret)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A way to share on some instance types, no worse by price, and why no stack file can have it."""

    sharing: Kind
    instance_types: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Best:
    """The first candidate that a stack file can say, with its settings; None where there is none."""

    candidate: Candidate | None
    values: dict[str, Any] | None
    passed_over: tuple[PassedOver, ...]

    @property
    def text(self) -> str | None:
        """The fragment, as a stack file has it."""
        if self.values is None:
            return None
        config = {f"{PROJECT}:{key}": value for key, value in self.values.items()}
        return stack_file.dump({"config": config})


def best(question: FitQuestion, in_order: Iterable[Candidate]) -> Best:
    """The first of the candidates whose fragment has no error."""
    passed_over: dict[tuple[Kind, str], list[str]] = {}
    for candidate in in_order:
        values = settings_of(question, candidate)
        reason = _refused(values, question.region)
        if reason is None:
            return Best(candidate, values, _passed_over(passed_over))
        names = passed_over.setdefault((candidate.way.kind, reason), [])
        if candidate.instance_type.name not in names:
            names.append(candidate.instance_type.name)
    return Best(None, None, _passed_over(passed_over))


def _passed_over(found: dict[tuple[Kind, str], list[str]]) -> tuple[PassedOver, ...]:
    return tuple(PassedOver(sharing, tuple(names), reason) for (sharing, reason), names in found.items())


def settings_of(question: FitQuestion, candidate: Candidate) -> dict[str, Any]:
    """`nodeGroups` and `workloads` of one node and the servers on it."""
    kind = "vllm"
    way, server, shape = candidate.way, question.server, question.server.shape
    group = f"{candidate.instance_type.family}{_GROUP_SUFFIX[way.kind]}"
    node_group: dict[str, Any] = {"instanceType": candidate.instance_type.name, "size": {"desired": 1, "max": 1}}
    if way.profile:
        node_group["sharing"] = {"strategy": "mig", "mig": {"layout": {way.profile: way.shares}}}
    elif way.shares > 1:
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
    if way.kind == "neuron":
        kind = "neuronVllm"
        workload["devices"] = way.gpus_per_server
    elif way.gpus_per_server > 1:
        workload["tensorParallelSize"] = way.gpus_per_server
    if shape.gated:
        workload[_TOKEN] = {"configSecret": _TOKEN}
    return {"nodeGroups": {group: node_group}, "workloads": {kind: {_workload_name(question.model): workload}}}


def _workload_name(model: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", model.rpartition("/")[2].lower()).strip("-")
    return (name if name[:1].isalpha() else f"model-{name}")[:40].strip("-")


def _refused(values: dict[str, Any], region: str) -> str | None:
    """What the rules find wrong with node group and workload; what else a stack needs is not asked here.

    Of several errors that of the strategy, from which the others follow.
    """
    network = {"create": {"zones": [f"{region}a", f"{region}b"]}}
    found = parse({"owner": "someone", "network": network, **values}, region)
    own = [problem for problem in errors(found.problems) if problem.path.startswith(("nodeGroups.", "workloads."))]
    own.sort(key=lambda problem: not problem.path.endswith(".strategy"))
    return f"{own[0].message} [{own[0].code}]" if own else None
