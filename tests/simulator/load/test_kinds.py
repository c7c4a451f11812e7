"""Every kind of server under load: how fast it is, how long it takes to start, and what it shows of itself."""

from datetime import UTC, datetime

import pytest

from eks_accelerators.accel.simulate.load_question import LoadQuestionError, load_question
from eks_accelerators.accel.simulate.load_result import models_of
from eks_accelerators.accel.simulate.options import LoadOptions
from eks_accelerators.accelerators import durations
from eks_accelerators.monitoring.scraping import targets
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.workload_kinds import KINDS as WORKLOADS
from eks_accelerators.simulator.load.fleet import Fleet, Placed
from eks_accelerators.simulator.load.kinds import KINDS, REFUSED
from eks_accelerators.simulator.load.model_server import (
    HOST_SECONDS_PER_LAYER,
    HOST_SECONDS_PER_STEP,
    MEMORY_REACHED,
    UnknownSpeedError,
    one_at_a_time,
)
from eks_accelerators.simulator.load.parts import parts_of
from eks_accelerators.simulator.load.states import PacedStates
from eks_accelerators.simulator.metrics.cluster import ClusterObjects
from eks_accelerators.simulator.metrics.sources import SOURCES
from eks_accelerators.simulator.metrics.world import ScrapedWorld
from eks_accelerators.simulator.pace import Pace
from tests.docs.pages import ROOT
from tests.model_servers import ASKED
from tests.settings.example import check
from tests.settings.rules.workloads import ON_INSTANCES
from tests.simulator.metrics.worlds import pod

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SERVERS = [model for model in WORKLOADS if issubclass(model, Server)]
WHOLE = {"nodeGroups.gpu.instanceType": "g6e.xlarge"}
TRN2 = {"nodeGroups.gpu": {"instanceType": "trn2.48xlarge", "size": {"desired": 1, "max": 1}, "zones": ["us-east-2b"]}}
PROMETHEUS = {"monitoring.prometheus": "stack"}
QWEN, LLAMA = "Qwen/Qwen2.5-0.5B-Instruct", "meta-llama/Llama-3.2-1B-Instruct"
TOKEN = {"huggingFaceToken": {"existingSecret": "gated"}}
MODELS = {"storage.models": {"s3Bucket": {"bucket": "ours"}}}
VOLUME = {"volumes": {"models": {"mountPath": "/models", "readOnly": True}}}
VISION = {"repository": "/models/vision", **VOLUME}
SHOWN = {
    **{kind: ({**MODELS, "nodeGroups.gpu": group}, wanted) for kind, (group, wanted) in ASKED.items()},
    "vllm": ({}, {"model": QWEN}),
    "neuronVllm": (TRN2, {"model": LLAMA, **TOKEN}),
    "nim": (WHOLE, {"model": LLAMA, "ngcKey": {"existingSecret": "ngc", "existingPullSecret": "nvcr"}}),
    "triton": (MODELS, VISION),
}


def resolved(kind, more=None, **settings):
    patch, workload = SHOWN[kind]
    wanted = {"nodeGroup": "gpu", "replicas": 1, **workload, **settings}
    workloads = {kind: {"asked": {key: value for key, value in wanted.items() if value is not None}}}
    return check({**patch, "workloads": workloads, **(more or {})}).require()


def asked(kind, more=None, seconds=None, **settings):
    return load_question(resolved(kind, more, **settings), LoadOptions(request_seconds=seconds))


def test_every_kind_of_server_is_asked_or_refused_and_says_how_long_it_takes_to_start():
    assert {*KINDS, *REFUSED} == set(SERVERS)
    assert not set(KINDS) & set(REFUSED)
    assert all(WORKLOADS[model].server for model in SERVERS)
    assert {WORKLOADS[model].key for model in SERVERS} == set(SHOWN)


def test_every_kind_that_follows_its_load_can_be_put_under_one():
    assert {model for model in SERVERS if model.SCALES_BY} <= set(KINDS)


def test_a_kind_that_shows_no_load_is_refused_by_name_and_reason():
    with pytest.raises(LoadQuestionError) as raised:
        load_question(resolved("tfServing"), LoadOptions(server="asked"))

    assert str(raised.value) == (
        "--server: found 'asked', workloads.tfServing.asked; nothing follows its load: it counts no requests that wait, and how "
        "long its model takes for one is not known; allowed: none of this stack"
    )


@pytest.mark.parametrize("stack", ["staging", "prod"])
def test_by_default_the_only_one_of_the_first_kind_is_asked(stack):
    """Both have servers on Neuron devices too, which are asked by their names."""
    file = load_stack_file(ROOT / "stacks" / f"Pulumi.{stack}.yaml", NOW).require()

    assert load_question(file, LoadOptions()).server.path == "workloads.vllm.llama"


STARTS = {
    "vllm": [("weights", 18), ("compiler", 45), ("engine", 78)],
    "neuronVllm": [("weights", 46), ("compiler", 476), ("engine", 78)],
    "nim": [("weights", 46), ("compiler", 45), ("engine", 78)],
}


@pytest.mark.parametrize("kind", STARTS)
def test_the_way_to_a_server_that_answers(kind):
    server = asked(kind).server
    scaling = asked("vllm", PROMETHEUS, replicas=None, autoscaling={"max": 2}).scaling

    parts = [(part.name, round(part.seconds)) for part in parts_of(scaling, server.start, None)]
    assert parts[3:] == STARTS[kind]


def test_a_server_on_neuron_devices_compiles_unless_a_volume_has_its_programs():
    """Ten minutes are the longer end of what AWS publishes, 20 for the largest models."""
    cold, warm = (asked("neuronVllm", **each).server.start for each in ({}, {"cache": {"sizeGib": 100}}))
    shared = {"storage.shared": {"efs": {}}, "systemNodeGroup.instanceTypes": ["m7i.2xlarge"]}
    ahead = asked("neuronVllm", shared, cache={"storage": "shared"}, compileAhead={}).server.start
    largest = asked("neuronVllm", model="meta-llama/Llama-3.3-70B-Instruct", devices=16).server.start

    assert (cold.without_image, warm.compiler) == (600, 0)
    assert ahead == warm
    assert warm.without_image == pytest.approx(cold.without_image - cold.compiler)
    assert largest.without_image == pytest.approx(max(1200, largest.weights + 78))


def test_cuda_graphs_are_captured_at_every_start_and_compiled_where_no_volume_has_them():
    cold, warm, without = (
        asked("vllm", **each).server.start.compiler for each in ({}, {"cache": {"sizeGib": 9}}, {"cudaGraphs": False})
    )

    assert (cold, warm, without) == (45, 15, 0)


def test_the_timeline_knows_the_same_of_a_deployment():
    known = durations.seconds(
        "kubernetes:apps/v1:Deployment", "create", "public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:1"
    )

    assert asked("neuronVllm").server.start.without_image == known.seconds


def test_what_nobody_knows_is_said_and_what_was_measured_counts():
    unknown = asked("triton", seconds=0.05).server
    measured, short = (
        asked("triton", PROMETHEUS, 0.05, replicas=None, autoscaling={"max": 2, "startSeconds": each}).server
        for each in (400, 100)
    )

    assert unknown.start.unknown == "how long its models take to load"
    assert any("nobody knows it: how long its models take to load" in line for line in models_of(unknown))
    assert (measured.start.whole, short.start.whole) == pytest.approx((400, 100))
    assert not any("nobody knows" in line for line in models_of(measured))


def test_servers_are_added_no_faster_than_their_kind_starts():
    """One that compiles takes a quarter of an hour; by what was measured of vLLM, two would be added every six minutes."""
    scaled = {"replicas": None, "autoscaling": {"max": 2}}
    gpus, cores = (asked(kind, PROMETHEUS, **scaled).scaling for kind in ("vllm", "neuronVllm"))

    assert (gpus.start_seconds, gpus.up.period_seconds) == (366, 366)
    assert (cores.start_seconds, cores.up.period_seconds) == (824, 824)


def test_a_device_decodes_as_fast_as_its_memory_is_read():
    """A core of Trainium2 has a quarter of 2.9 TB/s, and Llama-3.2-1B on four of them a quarter of 2.47 GB each."""
    model = asked("neuronVllm").server.model

    assert model.gpu_seconds(1, 0) == pytest.approx(2.472e9 / 2900e9 / MEMORY_REACHED, rel=0.01)
    assert model.slots == 8


A100 = {"nodeGroups.gpu.instanceType": "p4de.24xlarge"}


@pytest.mark.parametrize(
    ("patch", "tokens"),
    [
        pytest.param({}, 2048, id="L4"),
        pytest.param(A100, 2048, id="A100-of-80-GB"),
        pytest.param({"nodeGroups.gpu.instanceType": "p5.48xlarge"}, 8192, id="H100"),
        pytest.param({"nodeGroups.gpu.instanceType": "p6-b200.48xlarge"}, 16384, id="B200"),
        pytest.param(ON_INSTANCES, 2048, id="instance-of-an-H100"),
    ],
)
def test_a_step_reads_as_many_tokens_of_prompts_as_vllm_does_by_default(patch, tokens):
    """What `get_batch_defaults` of vLLM 0.28 has by the memory of the device."""
    assert asked("vllm", patch).server.model.batched_tokens == tokens


def test_nim_takes_as_many_sequences_as_vllm_does_by_default():
    small, large = (
        asked("nim", {"nodeGroups.gpu.instanceType": kind}).server.model for kind in ("g6e.xlarge", "p5.48xlarge")
    )

    assert (small.slots, large.slots) == (256, 1024)


def test_a_host_starts_the_kernels_of_each_layer_unless_they_are_one_cuda_graph():
    """Qwen2.5-0.5B has 24 layers."""
    shares = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 2}}
    alone, sharing = (asked("vllm", patch).server.model for patch in ({}, shares))

    assert alone.host_seconds == HOST_SECONDS_PER_STEP
    assert sharing.host_seconds == pytest.approx(HOST_SECONDS_PER_STEP + 24 * HOST_SECONDS_PER_LAYER)


@pytest.mark.parametrize(
    ("kind", "seconds", "said"),
    [
        (
            "triton",
            None,
            "workloads.triton.asked.repository: how long its models take for a request is not known; write --request",
        ),
        ("vllm", 0.05, "--request-seconds: found 0.05; allowed: nothing for workloads.vllm.asked"),
        ("triton", 0.0, "--request-seconds: found 0; allowed: 0.001 to 600"),
    ],
)
def test_seconds_of_a_request_are_for_models_that_nobody_knows(kind, seconds, said):
    with pytest.raises((UnknownSpeedError, LoadQuestionError)) as raised:
        asked(kind, seconds=seconds)

    assert said in str(raised.value)


def test_longer_requests_than_a_model_takes_are_refused_where_it_is_written():
    """512 tokens and 256 on average are up to 1152."""
    with pytest.raises(LoadQuestionError, match=r"workloads\.triton\.asked\.vllm\.maxModelLen allows 1024"):
        asked("triton", repository=None, volumes={}, vllm={"model": QWEN, "maxModelLen": 1024})


def test_one_request_after_the_other_is_answered():
    """Four users of a server that takes 0.1 s: ten answers per second, three requests wait at any time."""
    fleet = Fleet()
    servers = {("triton", "a"): Placed("n/0", one_at_a_time(0.1))}
    fleet.place(servers, servers)
    fleet.follow(asked("triton", seconds=0.1).profile.steps[0].model_copy(update={"requests": 4}))
    fleet.advance(60.0)

    answered = sum(request.finished is not None for request in fleet.requests)
    assert answered == pytest.approx(600, abs=2)
    assert (fleet.state().running, fleet.state().waiting) == (1, 3)


def after_a_minute(kind, seconds):
    """What a server shows after a minute with ten users, by the names of its own exporter; and the fleet that it is of."""
    question = asked(kind, seconds=seconds)
    fleet, program = Fleet(), question.server.workload.PROGRAM
    servers = {("team", "asked"): Placed("n/0", question.server.model)}
    fleet.place(servers, servers)
    fleet.follow(question.profile.steps[0].model_copy(update={"requests": 10}))
    fleet.advance(60.0)
    here = {"metadata": {"name": "n"}}
    shows = pod("asked", here, app=program, args=["--model", "m", "--model-repository=/models/vision"])
    world = ScrapedWorld(ClusterObjects(pods=[shows]), 0.0, servers=PacedStates(fleet, Pace(1)))
    (target,) = [each for each in targets(resolved(kind, PROMETHEUS)) if each.name == program]
    ((_, samples),) = SOURCES[target.exporter](world)
    return {sample.name: sample.value for sample in samples if len(sample.labels) < 3}, fleet


@pytest.mark.parametrize(
    ("kind", "seconds", "running", "waiting", "done"),
    [
        pytest.param("vllm", None, "vllm:num_requests_running", "vllm:num_requests_waiting", None, id="vllm"),
        pytest.param("neuronVllm", None, "vllm:num_requests_running", "vllm:num_requests_waiting", None, id="neuron"),
        pytest.param("nim", None, "num_requests_running", "num_requests_waiting", "request_success_total", id="nim"),
        pytest.param(
            "triton", 0.1, None, "nv_inference_pending_request_count", "nv_inference_request_success", id="triton"
        ),
    ],
)
def test_each_shows_its_load_in_its_own_names(kind, seconds, running, waiting, done):
    shown, fleet = after_a_minute(kind, seconds)

    state, answered = fleet.state(), sum(request.finished is not None for request in fleet.requests)
    assert state.running + state.waiting == 10
    assert answered > 0
    assert running is None or shown[running] == state.running
    assert shown[waiting] == state.waiting
    assert done is None or shown[done] == answered
