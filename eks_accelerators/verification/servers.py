"""Whether the servers of a stack answer: one question to each of their pods, and one by their Service, through the API server."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import ResolvedStack, StackWorkload
from eks_accelerators.settings.server_questions import ServerQuestion
from eks_accelerators.settings.workload_kinds import server_kind
from eks_accelerators.verification.cluster import (
    AskedCluster,
    ClusterError,
    ClusterState,
    KubernetesObject,
    is_ready,
    labels_of,
    name_of,
)
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.parallel_calls import in_parallel

_CODE = "server-answers"

_NO_COMPLETIONS = "does not support Completions API"
"""In the words of vLLM, of a model that embeds or classifies."""

_Answer = Mapping[str, Any] | ClusterError


@dataclass(frozen=True, slots=True)
class _Asked:
    """A workload whose pods are asked: those that are ``ready``, of as many as its Service ``leads`` to."""

    one: StackWorkload
    server: Server
    question: ServerQuestion
    service: KubernetesObject
    ready: Sequence[KubernetesObject]
    leads: int

    @property
    def subject(self) -> Subject:
        """The workload, with the nodes of its pods."""
        return Subject(self.one.path, tuple(dict.fromkeys(map(_node_of, self.ready))))

    def calls(self, cluster: AskedCluster) -> Iterator[Callable[[], _Answer]]:
        """A question to each pod, and at last one by the Service."""
        space, question = self.server.namespace, self.question
        for pod in self.ready:
            name, port = str(pod["metadata"]["name"]), _port(self.service, pod)
            yield partial(_answer, cluster.ask_pod, space, name, port, question.path, question.body)
        yield partial(_answer, cluster.ask_service, space, self.one.name, question.path, question.body)


def server_findings(stack: ResolvedStack, state: ClusterState, cluster: AskedCluster) -> Iterator[VerificationFinding]:
    """What is found of each workload that serves a model. All pods of all of them are asked at a time."""
    asked = list[_Asked]()
    for one in stack.every_workload:
        if isinstance(one.workload, Server):
            found = _asked(one, one.workload, state, cluster)
            if isinstance(found, _Asked):
                asked.append(found)
            else:
                yield found
    answers = iter(in_parallel([call for each in asked for call in each.calls(cluster)]))
    for each in asked:
        yield from _findings(each, [next(answers) for _ in each.ready], next(answers))


def _asked(
    one: StackWorkload, server: Server, state: ClusterState, cluster: AskedCluster
) -> _Asked | VerificationFinding:
    subject, question = Subject(one.path), server_kind(server).question(server)
    try:
        service = cluster.get("services", one.name, server.namespace)
    except ClusterError as error:
        if error.status == 403:
            return subject.not_verified(_CODE, question.expected, f"you may not read its Service: {error}")
        return subject.failed(_CODE, question.expected, str(error))
    selector = (service["spec"].get("selector") or {}).items()
    pods = [
        pod
        for pod in state.pods
        if pod["metadata"].get("namespace") == server.namespace and selector <= labels_of(pod).items()
    ]
    ready = [pod for pod in pods if is_ready(pod)]
    if not ready:
        return subject.not_verified(_CODE, question.expected, f"none of its {number_of(len(pods), 'pod')} is ready")
    return _Asked(one, server, question, service, ready, len(pods))


def _port(service: KubernetesObject, pod: KubernetesObject) -> int:
    """The port of a pod to which the first port of its Service leads."""
    first: Mapping[str, Any] = service["spec"]["ports"][0]
    target = first.get("targetPort") or first["port"]
    if isinstance(target, int):
        return target
    there = (port for each in pod["spec"]["containers"] for port in each.get("ports") or [])
    return int(next((port["containerPort"] for port in there if port.get("name") == target), first["port"]))


def _answer(ask: Callable[..., Mapping[str, Any]], *about: object) -> _Answer:
    try:
        return ask(*about)
    except ClusterError as error:
        return error


def _findings(asked: _Asked, answers: Sequence[_Answer], by_service: _Answer) -> Iterator[VerificationFinding]:
    """What fails node by node, as a cause on one node explains nothing on another; then what is not known, or that all is well."""
    subject, expected = asked.subject, asked.question.expected
    broken: dict[str, dict[str, list[str]]] = {}
    unknown: dict[str, list[str]] = {}
    said = ""
    for pod, answer in zip(asked.ready, answers, strict=True):
        if (why := _why_unknown(asked, answer)) is not None:
            unknown.setdefault(why, []).append(name_of(pod))
        elif (wrong := _wrong(asked, answer)) is not None:
            broken.setdefault(_node_of(pod), {}).setdefault(wrong, []).append(name_of(pod))
        elif not isinstance(answer, ClusterError):
            said = asked.question.said(answer)
    for node, told in broken.items():
        yield Subject(f"{asked.one.path} on {node}", (node,)).failed(_CODE, expected, _told(told))
    if unknown:
        yield subject.not_verified(_CODE, expected, _told(unknown))
    elif not broken:
        yield _of_service(asked, by_service, said)


def _of_service(asked: _Asked, answer: _Answer, said: str) -> VerificationFinding:
    """All pods answer: whether they do so by their Service, too."""
    subject, expected = asked.subject, asked.question.expected
    if (why := _why_unknown(asked, answer)) is not None:
        return subject.not_verified(_CODE, expected, f"by its Service: {why}")
    if (wrong := _wrong(asked, answer)) is not None:
        return subject.failed(_CODE, expected, f"its pods answer, and its Service does not: {wrong}")
    ready = len(asked.ready)
    pods = (
        f"each of {number_of(ready, 'pod')}"
        if ready == asked.leads
        else f"each of {number_of(ready, 'ready pod')}, of {asked.leads}"
    )
    return subject.passed(_CODE, expected, f"{said!r}, {pods}")


def _wrong(asked: _Asked, answer: _Answer) -> str | None:
    """What is wrong with an answer, in words; None where it is as it should be."""
    if isinstance(answer, ClusterError):
        return str(answer)
    return None if asked.question.said(answer) else f"an answer that does not say it: {answer!r}"[:200]


def _why_unknown(asked: _Asked, answer: _Answer) -> str | None:
    """Why an error says nothing of the server; None where it does, and of an answer."""
    if not isinstance(answer, ClusterError):
        return None
    if answer.by_server:
        return _why_refused(asked, answer)
    if answer.status in (401, 403):
        return f"you may not ask through the API server: {answer}"
    if answer.status == 404:
        return f"it has gone since: {answer}"
    if asked.server.network_policy is not None and answer.status in (0, 502, 503, 504):
        return f"its network policy may keep the API server away: {answer}"
    return None


def _why_refused(asked: _Asked, answer: ClusterError) -> str | None:
    """Why a server that runs refuses the question; None where it should have answered.

    A model that it does not have is a 404 that names it; where it has no completions at all, the path is not found (404), or
    they are not implemented (400 or 501): vLLM, `entrypoints/openai`, read 2026-11-23.
    """
    if answer.status in (401, 403):
        return f"it asks for a key, which a verification does not have: {answer}"
    if answer.status == 429:
        return f"it is busy: {answer}"
    names_model = str((asked.question.body or {}).get("model")) in str(answer)
    lacks_path = answer.status == 404 and not names_model
    if asked.question.of_openai and (lacks_path or _NO_COMPLETIONS in str(answer)):
        return f"it has no completions as OpenAI's API has them: {answer}"
    return None


def _told(pods_by_text: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{', '.join(pods)}: {text}" for text, pods in pods_by_text.items())


def _node_of(pod: KubernetesObject) -> str:
    return str(pod["spec"].get("nodeName") or "")
