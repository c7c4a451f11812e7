"""What servers and API servers answer in the place of a completion, over HTTP, and what is found of it.

Recorded shapes: vLLM `entrypoints/openai` (an error with its message beside `object` until 0.9, below `error` since), FastAPI's
`detail`, and Kubernetes' `Status`.
"""

import pytest

from eks_accelerators.accel.verify.kubernetes_cluster import KubernetesCluster
from eks_accelerators.simulator.local_server import LocalServer
from eks_accelerators.verification.cluster import look
from eks_accelerators.verification.servers import server_findings
from tests.replies import reply
from tests.verification.http_cluster import kubeconfig
from tests.verification.worlds import PaperCluster, stack_of

MODEL = "Qwen/Qwen2.5-0.5B-Instruct"
NO_MODEL = f"The model `{MODEL}` does not exist."
NO_COMPLETIONS = "The model does not support Completions API"
TOO_LONG = "This model's maximum context length is 8 tokens. However, you requested 13 tokens (5 in the messages, 8 in the completion)."
POLICY = {"workloads.vllm.qwen.networkPolicy": {"namespaces": ["web"]}}
UNREACHED = "error trying to reach service: dial tcp 10.20.0.7:8000: i/o timeout"


def flat(message, kind, code):
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def nested(message, kind, code):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def of_kubernetes(message, code):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}


REFUSALS = {
    "another model": (404, flat(NO_MODEL, "NotFoundError", 404), "monitor", f"llm/qwen-0: {NO_MODEL}"),
    "another model, since 0.10": (404, nested(NO_MODEL, "NotFoundError", 404), "monitor", f"llm/qwen-0: {NO_MODEL}"),
    "no such path": (404, {"detail": "Not Found"}, "notVerified", "it has no completions as OpenAI's API has them: Not Found"),
    "no such path, since 0.10": (404, nested("Not Found", "Not Found", 404), "notVerified", "it has no completions"),
    "a model that embeds": (400, flat(NO_COMPLETIONS, "BadRequestError", 400), "notVerified", "it has no completions"),
    "a model that embeds, since 0.12": (501, nested(NO_COMPLETIONS, "NotImplementedError", 501), "notVerified", NO_COMPLETIONS),
    "a context of nothing": (400, flat(TOO_LONG, "BadRequestError", 400), "monitor", TOO_LONG),
    "it asks for a key": (401, {"error": "Unauthorized"}, "notVerified", "it asks for a key, which a verification does not have"),
    "a key of somebody else": (403, {"detail": "Forbidden"}, "notVerified", "it asks for a key"),
    "busy": (429, nested("Too many requests", "rate_limit", 429), "notVerified", "it is busy: Too many requests"),
    "broken": (500, nested("CUDA error", "InternalServerError", 500), "monitor", "llm/qwen-0: CUDA error"),
    "loading": (503, {"detail": "model is loading"}, "monitor", "llm/qwen-0: model is loading"),
    "not known here": (401, of_kubernetes("Unauthorized", 401), "notVerified", "the API server does not know who you are (401)"),
    "not allowed": (403, of_kubernetes("no", 403), "notVerified", "you may not ask through the API server: no"),
    "gone": (404, of_kubernetes('pods "qwen-0" not found', 404), "notVerified", 'it has gone since: pods "qwen-0" not found'),
    "not reached": (503, of_kubernetes(UNREACHED, 503), "monitor", UNREACHED),
    "words of a load balancer": (502, "Bad Gateway", "monitor", "llm/qwen-0: Bad Gateway"),
}  # fmt: skip
BEHIND_A_POLICY = {
    "not reached": (
        503,
        of_kubernetes(UNREACHED, 503),
        "notVerified",
        "its network policy may keep the API server away",
    ),
    "loading": (503, {"detail": "model is loading"}, "monitor", "llm/qwen-0: model is loading"),
}


def found_of(patch, status, body, folder):
    cluster = PaperCluster(stack_of(patch), number_of_servers=1)
    with LocalServer(lambda *_: reply(body, status), "API server") as server:
        asked = KubernetesCluster(kubeconfig(folder, f"http://{server.address}"))
        cluster.ask_pod, cluster.ask_service = asked.ask_pod, asked.ask_service
        (found,) = server_findings(cluster.stack, look(cluster), cluster)
        asked.close()
    return found


@pytest.mark.parametrize(
    ("patch", "case"),
    [*(({}, case) for case in REFUSALS.values()), *((POLICY, case) for case in BEHIND_A_POLICY.values())],
    ids=[*REFUSALS, *(f"behind a policy, {case}" for case in BEHIND_A_POLICY)],
)
def test_what_a_refusal_says(patch, case, tmp_path):
    status, body, severity, said = case
    found = found_of(patch, status, body, tmp_path)

    assert (found.code, found.severity.value) == ("server-answers", severity)
    assert said in found.found
