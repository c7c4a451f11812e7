"""Whether each server of a stack answers: one completion, through the API server."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import ResolvedStack, StackWorkload
from eks_accelerators.verification.cluster import AskedCluster, ClusterError, ClusterState, is_ready, labels_of
from eks_accelerators.verification.findings import Subject, VerificationFinding

_CODE = "server-answers"
_PROMPT = {"prompt": "The capital of France is", "max_tokens": 8, "temperature": 0}
_EXPECTED = "a completion of a few tokens"


def server_findings(stack: ResolvedStack, state: ClusterState, cluster: AskedCluster) -> Iterator[VerificationFinding]:
    """One finding for each workload that serves a model by the API of OpenAI."""
    for each in stack.every_workload:
        if isinstance(each.workload, Server) and each.workload.served_model:
            yield _finding(each, each.workload, state, cluster)


def _finding(one: StackWorkload, server: Server, state: ClusterState, cluster: AskedCluster) -> VerificationFinding:
    namespace = one.workload.namespace
    pods = [
        pod
        for pod in state.pods
        if pod["metadata"].get("namespace") == namespace
        and labels_of(pod).get("app.kubernetes.io/instance") == one.name
    ]
    nodes = tuple(dict.fromkeys(str(pod["spec"]["nodeName"]) for pod in pods if pod["spec"].get("nodeName")))
    subject = Subject(one.path, nodes)
    ready = sum(map(is_ready, pods))
    if not ready:
        return subject.not_verified(_CODE, _EXPECTED, f"none of its {len(pods)} pods is ready")
    try:
        answer = cluster.ask_service(
            namespace, one.name, "v1/completions", {"model": one.workload.served_model, **_PROMPT}
        )
    except ClusterError as error:
        if (why := _why_unknown(error, server)) is not None:
            return subject.not_verified(_CODE, _EXPECTED, f"{why}: {error}")
        return subject.failed(_CODE, _EXPECTED, str(error))
    text = completion(answer)
    found = f"{text!r}, one of {ready} servers" if text else f"an answer without text: {answer!r}"[:200]
    return subject.judged(_CODE, _EXPECTED, found, holds=bool(text))


def _why_unknown(error: ClusterError, server: Server) -> str | None:
    """Why an error says nothing of the server; None where it does."""
    if error.status == 403:
        return "you may not ask through the API server"
    if error.status == 404:
        return "it has no completions as OpenAI's API has them"
    if server.network_policy is not None and error.status in (0, 502, 503, 504):
        return "its network policy may keep the API server away"
    return None


def completion(answer: Mapping[str, Any]) -> str:
    """The text of a completion; empty where there is none."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return str(first.get("text") or "") if isinstance(first, Mapping) else ""
