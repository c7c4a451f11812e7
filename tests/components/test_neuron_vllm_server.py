"""A server on Neuron devices: the plugin's own keys, the cache, the Job that compiles ahead, and what is refused."""

import json

import pytest

from eks_accelerators.components import NeuronVllmServer
from tests.components.examples import SERVED, deployed, run

NAME = "llama"
TRN2, INF2 = {**SERVED, "instance_type": "trn2.48xlarge"}, {**SERVED, "instance_type": "inf2.xlarge"}
OLD = {"serves_on": INF2, "model": "meta-llama/Llama-3.1-8B-Instruct"}
SHARED = {"size_gib": 100, "storage_class": "efs"}
AHEAD = {"cache": SHARED, "compile_ahead": {"workers": 8}, "replicas": 2}


def deployment(changes=None, **options):
    return deployed(NeuronVllmServer, changes, name=NAME, **options)


def server(changes=None):
    return deployment(changes).one("Deployment").inputs


def pod(changes=None):
    return server(changes)["spec"]["template"]["spec"]


def container(changes=None):
    (only,) = pod(changes)["containers"]
    return only


def argument(changes, name):
    args = container(changes)["args"]
    return args[args.index(name) + 1]


def environment(changes=None):
    return {each["name"]: each.get("value") for each in container(changes)["env"]}


def neuron_config(changes=None):
    (config,) = json.loads(argument(changes, "--additional-config")).values()
    return config


CASES = {
    "one-device-of-trainium2": {},
    "a-whole-node": {"devices": 16, "model": "meta-llama/Llama-3.3-70B-Instruct", "greedy": True},
    "one-device-of-inferentia2": OLD,
    "compiled-ahead": AHEAD,
}


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
def test_everything_at_once(changes, snapshot):
    made = deployment(changes)

    assert [each.inputs for kind in ("Deployment", "Job") for each in made.of(kind)] == snapshot


def test_keys_of_the_new_plugin():
    """Prompts of any length in segments, so that prefixes are cached; the last buckets are the two arguments beside them."""
    assert neuron_config() == {
        "num_batched_tokens_buckets": [2048],
        "num_seqs_buckets": [1, 2, 4, 8],
        "kv_segment_size_buckets": [2048],
    }
    assert (argument({}, "--max-num-batched-tokens"), argument({}, "--max-num-seqs")) == ("2048", "8")
    assert "--enable-prefix-caching" in container()["args"]


def test_whole_prompts_in_several_buckets_leave_prefixes_uncached():
    changes = {"buckets": {"prompt_tokens": [1024, 4096], "context_tokens": [1024]}}

    assert neuron_config(changes) == {
        "num_batched_tokens_buckets": [1024, 4096],
        "num_seqs_buckets": [1, 2, 4, 8],
        "decode_context_length_buckets": [1024],
    }
    assert "--no-enable-prefix-caching" in container(changes)["args"]


def test_keys_of_the_old_plugin_are_its_own():
    assert set(json.loads(argument(OLD, "--additional-config"))) == {"override_neuron_config"}
    assert neuron_config(OLD)["context_encoding_buckets"][-1] == 4096
    assert not {"--gpu-memory-utilization", "--shutdown-timeout", "--max-num-batched-tokens"} & {
        *container(OLD)["args"]
    }


def test_each_plugin_has_its_image():
    assert ":0.24.0.1.1.0-neuronx-" in container()["image"]
    assert ":0.16.0-neuronx-" in container(OLD)["image"]


@pytest.mark.parametrize(
    ("changes", "size"),
    [
        pytest.param({}, "4", id="a-device-of-logical-cores"),
        pytest.param({"serves_on": {**TRN2, "logical_core_size": 1}}, "8", id="of-physical-cores"),
        pytest.param({"devices": 16}, "32", id="as-many-as-divide-the-heads"),
        pytest.param({"tensor_parallel_size": 2}, "2", id="as-written"),
        pytest.param(OLD, "2", id="inferentia2"),
    ],
)
def test_logical_cores_of_a_server(changes, size):
    assert argument(changes, "--tensor-parallel-size") == size


def test_a_pod_asks_for_whole_devices_and_never_for_cores_besides():
    requests = container({"devices": 16})["resources"]["requests"]

    assert {name: count for name, count in requests.items() if name.startswith("aws.amazon.com")} == {
        "aws.amazon.com/neuron": "16"
    }


def test_a_host_without_efa_is_not_searched_for_it():
    with_efa = {**TRN2, "efa": {"enabled": True}}

    assert environment()["NEURON_SKIP_EFA_AFFINITY"] == "1"
    assert "NEURON_SKIP_EFA_AFFINITY" not in environment({"serves_on": with_efa})


def test_probes_wait_for_the_compiler():
    probe = container()["startupProbe"]

    assert probe["periodSeconds"] * probe["failureThreshold"] == 1800
    assert environment()["VLLM_NEURON_COMPILATION_TIMEOUT"] == "1200"


def test_a_new_pod_waits_for_the_devices_of_an_old_one():
    assert server()["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


@pytest.mark.parametrize(
    ("changes", "how"), [pytest.param({}, "sleep", id="by-itself"), pytest.param(OLD, "exec", id="by-our-program")]
)
def test_generations_are_finished(changes, how):
    """The new plugin's vLLM waits when it is told; the old one's ends at once, so it is told when nothing is under way."""
    grace = pod(changes)["terminationGracePeriodSeconds"]

    assert list(container(changes)["lifecycle"]["preStop"]) == [how]
    assert grace == 600


def test_compiled_programs_of_other_arguments_are_never_loaded():
    """The old plugin loads what it finds whatever its arguments are, so the folder changes with each of them."""
    kept = {**OLD, "cache": {"size_gib": 100}}
    others = ({}, {"max_model_len": 2048}, {"concurrent_sequences": 4}, {"image": "another"})
    folders = {environment({**kept, **more})["NEURON_COMPILED_ARTIFACTS"] for more in others}

    assert len(folders) == 4


def test_weights_and_programs_are_on_the_volume():
    changes = {"cache": SHARED}
    (claim,) = deployment(changes).of("PersistentVolumeClaim")
    (mount,) = [each for each in container(changes)["volumeMounts"] if each["name"] == "cache"]

    assert claim.inputs["spec"]["accessModes"] == ["ReadWriteMany"]
    assert pod(changes)["volumes"][0]["persistentVolumeClaim"] == {"claimName": claim.name}
    assert all(environment(changes)[name].startswith(mount["mountPath"]) for name in ("HF_HOME", "VLLM_CACHE_ROOT"))


class TestCompiledAhead:
    @pytest.fixture(scope="class")
    def made(self):
        return deployment(AHEAD)

    @pytest.fixture(scope="class")
    def job(self, made):
        return made.one("Job")

    def test_servers_wait_for_it(self, made, job):
        assert job.urn in made.one("Deployment").dependencies
        assert job.urn not in made.one("Service").dependencies

    def test_it_runs_where_no_accelerator_is_paid_for(self, job):
        spec = job.inputs["spec"]["template"]["spec"]
        (compiler,) = spec["containers"]

        assert "tolerations" not in spec
        assert not [name for name in compiler["resources"]["requests"] if "/" in name]
        assert spec["nodeSelector"]["kubernetes.io/arch"] == "amd64"

    def test_it_compiles_what_the_servers_run(self, made, job):
        (compiler,) = job.inputs["spec"]["template"]["spec"]["containers"]
        (server,) = made.one("Deployment").inputs["spec"]["template"]["spec"]["containers"]
        there = {each["name"]: each.get("value") for each in compiler["env"]}
        arguments = json.loads(there["ENGINE_ARGUMENTS"])
        by_flag = dict(zip(server["args"], server["args"][1:], strict=False))

        assert compiler["image"] == server["image"]
        assert (there["VLLM_NEURON_CPU_COMPILE"], there["NEURON_PLATFORM_TARGET_OVERRIDE"]) == ("1", "trn2")
        assert there["VLLM_CACHE_ROOT"] == environment(AHEAD)["VLLM_CACHE_ROOT"]
        assert json.loads(by_flag["--additional-config"]) == arguments["additional_config"]
        assert by_flag["--max-num-batched-tokens"] == str(arguments["max_num_batched_tokens"])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"serves_on": {**SERVED, "instance_type": "g6.2xlarge"}}, "workload-not-on-neuron", id="gpu"),
        pytest.param({"devices": 3}, "neuron-devices", id="devices-apart"),
        pytest.param({"max_model_len": 131072}, "neuron-memory", id="kv-cache"),
        pytest.param({"buckets": {"sequences": [3]}}, "neuron-buckets", id="buckets"),
        pytest.param({**OLD, "greedy": True}, "neuron-greedy", id="key-of-the-other-plugin"),
    ],
)
def test_refused(changes, code):
    refused = run(NeuronVllmServer, changes)

    assert code in {problem.code for problem in refused.error.problems}
    assert refused.of("NeuronVllmServer") == []


def test_a_server_tells_how_to_ask_it():
    made = deployment()

    assert "meta-llama/Llama-3.2-1B-Instruct" in made.component_outputs("NeuronVllmServer")["example_request"]
