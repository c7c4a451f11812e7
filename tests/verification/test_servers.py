"""Whether servers answer: what an answer, and what the lack of one, says of them."""

from functools import partial
from threading import Barrier

import pytest

from eks_accelerators import components
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.server_questions import completion
from eks_accelerators.settings.workload_kinds import KINDS, server_kind
from eks_accelerators.verification.cluster import ClusterError, look
from eks_accelerators.verification.servers import server_findings
from tests.components.examples import EXAMPLES, deployed
from tests.model_servers import patch
from tests.polls import PATIENCE_SECONDS
from tests.settings.example import check
from tests.verification.worlds import PORT, PaperCluster, stack_of, verification

POLICY = {"workloads.vllm.qwen.networkPolicy": {"namespaces": ["web"]}}


def asked(patch, error=None):
    stack = stack_of(patch)
    cluster = PaperCluster(stack)
    if error is not None:

        def refuse(*_):
            raise error

        cluster.ask_service = cluster.ask_pod = refuse
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


SHARED_BY_FOUR = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}


def on_two_nodes(*faults):
    """A cluster with four servers on each of its two nodes."""
    cluster = PaperCluster(stack_of(SHARED_BY_FOUR), *faults, nodes=2, number_of_servers=4)
    for number, each in enumerate(pod for pod in cluster.paper.pods if pod["metadata"]["namespace"] == "llm"):
        each["metadata"]["name"] = f"qwen-{number}"
    return cluster


def found_in(cluster):
    return list(server_findings(cluster.stack, look(cluster), cluster))


def failing(cluster, *pods):
    """Let these pods answer with an error."""
    real = cluster.ask_pod

    def ask(namespace, pod, *about):
        if pod in pods:
            raise ClusterError("CUDA error", 500)
        return real(namespace, pod, *about)

    cluster.ask_pod = ask


def test_each_pod_is_asked_once_and_all_at_a_time():
    cluster = on_two_nodes()
    asked, all_are_there = [], Barrier(9)
    by_service, of_pod = cluster.ask_service, cluster.ask_pod

    def ask(real, *about):
        asked.append(about[1])
        all_are_there.wait(timeout=PATIENCE_SECONDS)
        return real(*about)

    cluster.ask_pod, cluster.ask_service = partial(ask, of_pod), partial(ask, by_service)

    (found,) = found_in(cluster)

    assert sorted(asked) == ["qwen", *(f"qwen-{number}" for number in range(8))]
    assert (found.severity, found.found) == ("pass", "' Paris. It is the largest', each of 8 pods")


def test_the_pods_that_do_not_answer_are_named_node_by_node():
    cluster = on_two_nodes()
    failing(cluster, "qwen-1", "qwen-3", "qwen-6")

    assert [(each.where, each.nodes, each.found) for each in found_in(cluster)] == [
        (
            "workloads.vllm.qwen on ip-10-20-0-0.ec2.internal",
            ("ip-10-20-0-0.ec2.internal",),
            "llm/qwen-1, llm/qwen-3: CUDA error",
        ),
        ("workloads.vllm.qwen on ip-10-20-0-1.ec2.internal", ("ip-10-20-0-1.ec2.internal",), "llm/qwen-6: CUDA error"),
    ]


def test_what_explains_the_one_does_not_hide_the_other():
    cluster = on_two_nodes("xid=79:gpu")
    failing(cluster, "qwen-6")

    found = [each for each in verification(cluster.stack, cluster).findings() if each.severity.failed]

    assert [(each.code, each.nodes) for each in found] == [
        ("gpu-xid", ("ip-10-20-0-0.ec2.internal",)),
        ("server-answers", ("ip-10-20-0-1.ec2.internal",)),
    ]


def test_pods_that_are_not_ready_are_counted_and_not_asked():
    cluster = on_two_nodes()
    first = next(each for each in cluster.paper.pods if each["metadata"]["name"] == "qwen-0")
    first["status"] = {**first["status"], "conditions": [{"type": "Ready", "status": "False"}]}
    failing(cluster, "qwen-0")

    (found,) = found_in(cluster)

    assert (found.severity, found.found.partition(", ")[2]) == ("pass", "each of 7 ready pods, of 8")


def refused(error):
    def ask(*_):
        raise error

    return ask


@pytest.mark.parametrize(
    ("error", "severity"), [(ClusterError("no endpoints", 503), "monitor"), (ClusterError("no", 403), "notVerified")]
)
def test_a_service_that_leads_to_none_of_its_pods(error, severity):
    cluster = on_two_nodes()
    cluster.ask_service = refused(error)

    (found,) = found_in(cluster)

    assert (found.severity, "Service" in found.found) == (severity, True)


@pytest.mark.parametrize(("status", "severity"), [(404, "monitor"), (403, "notVerified")])
def test_a_service_that_is_not_there_or_may_not_be_read(status, severity):
    cluster = on_two_nodes()
    cluster.get = refused(ClusterError('services "qwen" not found', status))

    (found,) = found_in(cluster)

    assert (found.severity, 'services "qwen" not found' in found.found) == (severity, True)


@pytest.mark.parametrize(
    ("target", "port"),
    [("http", PORT), (9000, 9000), (None, 80), ("metrics", 80)],
    ids=["by name", "number", "none", "unknown"],
)
def test_the_port_is_that_to_which_the_service_leads(target, port):
    cluster, ports = on_two_nodes(), []
    described = cluster.get("services", "qwen", "llm")
    described["spec"]["ports"][0] = {"port": 80, **({"targetPort": target} if target else {})}
    cluster.get = lambda *_: described
    cluster.ask_pod = lambda *about: (ports.append(about[2]), {"choices": [{"text": "Paris"}]})[1]

    found_in(cluster)

    assert set(ports) == {port}


@pytest.mark.parametrize(
    "answer",
    [{}, {"choices": []}, {"choices": "text"}, {"choices": [{}]}, {"choices": [1]}, {"choices": [{"text": None}]}],
)
def test_an_answer_without_text(answer):
    assert completion(answer) == ""


STORED = {"storage.models.s3Bucket": {"bucket": "example-models"}, "workloads.vllm": {}}
ON_IT = {"nodeGroup": "gpu", "replicas": 1, "volumes": {"models": {"mountPath": "/models", "readOnly": True}}}
OF_EACH = {
    "vllm": ({}, "v1/completions", " Paris."),
    "triton, a repository": (
        {
            **STORED,
            "workloads.triton.one": {**ON_IT, "repository": "/models/r", "models": ["resnet50"], "gpuMemoryGib": 4},
        },
        "v2/models/resnet50",
        "resnet50",
    ),
    "triton, all of a repository": (
        {**STORED, "workloads.triton.one": {**ON_IT, "repository": "/models/r", "gpuMemoryGib": 4}},
        "v2",
        "triton",
    ),
    "triton, a language model": (
        {
            "workloads": {
                "triton": {"one": {"nodeGroup": "gpu", "replicas": 1, "vllm": {"model": "Qwen/Qwen2.5-0.5B-Instruct"}}}
            }
        },
        "v2/models/llm/generate",
        " Paris.",
    ),
    "tensorflow serving": (
        {
            **STORED,
            "workloads.tfServing.one": {
                **ON_IT,
                "modelName": "resnet",
                "modelPath": "/models/resnet",
                "gpuMemoryGib": 3,
            },
        },
        "v1/models/resnet",
        "version 1",
    ),
}


@pytest.mark.parametrize("case", OF_EACH)
def test_each_kind_is_asked_in_its_own_words(case):
    patch, path, said = OF_EACH[case]
    stack = stack_of(patch)
    cluster = PaperCluster(stack)
    by_service, of_pod, paths = cluster.ask_service, cluster.ask_pod, []
    cluster.ask_service = lambda *of: (paths.append(of[2]), by_service(*of))[1]
    cluster.ask_pod = lambda *of: (paths.append(of[3]), of_pod(*of))[1]

    (found,) = server_findings(stack, look(cluster), cluster)

    assert (found.severity, set(paths)) == ("pass", {path})
    assert said in found.found


def test_the_words_are_those_that_outputs_of_the_components_show():
    """Of Triton's own API, which names the model as the repository does that is made of `vllm`."""
    changes = {"vllm": {"model": "Qwen/Qwen2.5-0.5B-Instruct"}}
    made = deployed(
        components.TritonServer,
        changes,
        without=tuple({"repository", "models", "volumes"} & set(EXAMPLES[components.TritonServer])),
    )

    assert "/v2/models/llm/generate" in str(made.component_outputs("TritonServer"))


VERSIONS = {
    "none": {},
    "no list": {"model_version_status": "AVAILABLE"},
    "not loaded": {"model_version_status": [{"version": "1", "state": "LOADING"}, {"version": "2", "state": "END"}]},
    "an error": {"error": "Could not find any versions of model resnet"},
}


@pytest.mark.parametrize("answer", VERSIONS.values(), ids=VERSIONS)
def test_a_model_that_is_not_there_is_found(answer):
    stack = stack_of(OF_EACH["tensorflow serving"][0])
    cluster = PaperCluster(stack)
    cluster.ask_service = cluster.ask_pod = lambda *_: answer

    (found,) = server_findings(stack, look(cluster), cluster)

    assert (found.code, found.severity) == ("server-answers", "monitor")


@pytest.mark.parametrize("kind", [kind.key for kind in KINDS.values() if issubclass(kind.model, Server)])
def test_every_kind_of_server_is_asked_something(kind):
    (placed,) = check(patch(kind)).require().workloads
    question = server_kind(placed.workload).question(placed.workload)

    assert question.path.startswith("v")
    assert question.expected
    assert question.said({}) == ""
