"""Whether servers answer: what an answer, and what the lack of one, says of them."""

import pytest

from eks_accelerators.verification.cluster import ClusterError, look
from eks_accelerators.verification.servers import completion, server_findings
from tests.verification.worlds import PaperCluster, stack_of

POLICY = {"workloads.vllm.qwen.networkPolicy": {"namespaces": ["web"]}}


def asked(patch, error=None):
    stack = stack_of(patch)
    cluster = PaperCluster(stack)
    if error is not None:

        def refuse(*_):
            raise error

        cluster.ask_service = refuse
    (found,) = server_findings(stack, look(cluster), cluster)
    return found


def test_a_server_that_completes_a_prompt():
    found = asked({})

    assert (found.severity, found.where) == ("pass", "workloads.vllm.qwen")
    assert "Paris" in found.found


@pytest.mark.parametrize(
    ("patch", "status", "severity"),
    [
        ({}, 500, "monitor"),
        ({}, 503, "monitor"),
        ({}, 0, "monitor"),
        ({}, 403, "notVerified"),
        ({}, 404, "notVerified"),
        (POLICY, 503, "notVerified"),
        (POLICY, 500, "monitor"),
    ],
)
def test_what_the_lack_of_an_answer_says(patch, status, severity):
    assert asked(patch, ClusterError("no", status)).severity == severity


@pytest.mark.parametrize(
    "answer",
    [{}, {"choices": []}, {"choices": "text"}, {"choices": [{}]}, {"choices": [1]}, {"choices": [{"text": None}]}],
)
def test_an_answer_without_text(answer):
    assert completion(answer) == ""
