"""Simulated exporters show what the catalogue of metrics knows, nothing else, and all of it."""

import subprocess

import pytest

from eks_accelerators.accelerators.sharing import Partitioning, Sharing
from eks_accelerators.components.charts import catalogue
from eks_accelerators.monitoring.metrics import Exporter, exporters, metrics, series
from eks_accelerators.simulator.metrics.exposition import page
from eks_accelerators.simulator.metrics.fault_kinds import OF_REAL_PROGRAMS
from eks_accelerators.simulator.metrics.sources import SOURCES
from tests.monitoring.promtool import PROMTOOL, needs_promtool
from tests.simulator.metrics.worlds import ALL_THREE, Paper, claim_of, pod, quota, vllm

LAYOUT = "".join(f"{index} 3g.40gb,3g.40gb\n" for index in range(8))
GPU, INSTANCE = "nvidia.com/gpu", "nvidia.com/mig-3g.40gb"


def exclusive():
    paper = Paper()
    here = paper.add(instance_type="p5.48xlarge", efa_interfaces=4)
    evicted = pod("evicted", here, {GPU: 1}, phase="Failed")
    evicted["status"]["reason"] = "Evicted"
    return paper.run(vllm("llama", here, {GPU: 1}), pod("waits", None, {GPU: 8}), evicted)


def shared():
    paper = Paper(exporter=ALL_THREE)
    here = paper.add(instance_type="p5.48xlarge", sharing=Sharing("timeSlicing", replicas=4, renamed=True))
    triton = pod("vision", here, {"nvidia.com/gpu.shared": 1}, app="triton", args=["--load-model=resnet50"])
    nim = pod("nim-llama", here, {"nvidia.com/gpu.shared": 1}, app="nim")
    env = [{"name": "NIM_MODEL_PATH", "value": "hf://meta-llama/Llama-3.2-1B-Instruct"}]
    nim_2 = pod("nim-2", here, {"nvidia.com/gpu.shared": 1}, app="nim")
    nim_2["spec"]["containers"][0]["env"] = env
    resnet = pod("resnet", here, {"nvidia.com/gpu.shared": 1}, app="tf-serving", args=["--model_name=resnet"])
    return paper.run(*(vllm(name, here, {"nvidia.com/gpu.shared": 1}) for name in "ab"), triton, nim, nim_2, resnet)


def mps():
    paper = Paper(exporter=ALL_THREE)
    here = paper.add(sharing=Sharing("mps", replicas=4))
    return paper.run(pod("a", here, {GPU: 1}))


def mig():
    paper = Paper()
    sharing = Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 2}]))
    here = paper.add(instance_type="p5.48xlarge", sharing=sharing, mig_layout=LAYOUT)
    return paper.run(pod("a", here, {INSTANCE: 1}))


def claimed():
    paper = Paper()
    here = paper.add(instance_type="p5.48xlarge", claimed=True)
    user = pod("a", here, resourceClaims=[{"name": "gpu", "resourceClaimName": "a-gpu"}])
    paper.claims.append(claim_of(user, here))
    return paper.run(user)


def neuron():
    paper = Paper("neuron-ecc=mem", "neuron=hardware")
    here = paper.add(instance_type="trn1.2xlarge")
    paper.quotas.append(
        quota("team", hard={"requests.aws.amazon.com/neuron": 2}, used={"requests.aws.amazon.com/neuron": 1})
    )
    paper.deployments.append({"metadata": {"name": "llama", "namespace": "llm"}, "status": {"readyReplicas": 2}})
    return paper.run(pod("training", here, {"aws.amazon.com/neuron": 1}))


def broken():
    paper = Paper("xid=79", "throttle=heat", "exporter-down=vllm")
    here = paper.add(instance_type="g6.12xlarge")
    return paper.run(vllm("llama", here, {GPU: 1}))


CLUSTERS = {make.__name__: make for make in (exclusive, shared, mps, mig, claimed, neuron, broken)}


@pytest.fixture(scope="module")
def pages():
    """Every page of every cluster, twice: counters have grown on the second."""
    made = {name: make() for name, make in CLUSTERS.items()}
    return {
        (name, target.id, seconds): (target, samples)
        for name, paper in made.items()
        for seconds in (0, 60)
        for target, samples in paper.shown(seconds)
    }


def test_every_exporter_is_simulated_or_real():
    assert set(SOURCES) | set(OF_REAL_PROGRAMS) == set(Exporter)
    assert not set(SOURCES) & set(OF_REAL_PROGRAMS)


def test_every_series_is_one_of_the_catalogue_with_labels_that_it_has(pages):
    wrong = {
        (sample.name, *sorted(set(sample.labels) - series()[sample.name].series[sample.name]))
        for target, samples in pages.values()
        for sample in samples
        if sample.name not in series()
        or series()[sample.name].exporter is not target.exporter
        or set(sample.labels) - series()[sample.name].series[sample.name]
    }

    assert wrong == set()


def test_every_metric_of_the_catalogue_is_shown_somewhere(pages):
    shown = {sample.name for _, samples in pages.values() for sample in samples}
    wanted = {name for metric in metrics().values() if metric.exporter in SOURCES for name in metric.series}

    assert wanted - shown == set()


def test_every_label_of_the_catalogue_is_shown_somewhere(pages):
    seen = {}
    for target, samples in pages.values():
        for sample in samples:
            seen.setdefault(sample.name, set()).update(sample.labels, target.labels)
    missing = {
        (name, label)
        for metric in metrics().values()
        if metric.exporter in SOURCES
        for name, labels in metric.series.items()
        for label in labels - seen[name]
    }

    # A load is not reported of an instance, and whole GPUs are checked.
    assert missing == {
        (name, label)
        for name in ("DCGM_FI_DEV_GPU_UTIL", "DCGM_EXP_GPU_HEALTH_STATUS")
        for label in ("GPU_I_PROFILE", "GPU_I_ID")
    }


@pytest.mark.parametrize(("image", "tells"), [("vllm", True), ("vllm-neuron", True), ("vllm-neuron-old", False)])
def test_the_vllm_of_older_neuron_devices_does_not_tell_why_requests_wait(image, tells):
    paper = Paper()
    server = vllm("llama", paper.add("trn", "trn1.32xlarge"), {"aws.amazon.com/neuron": 1})
    server["spec"]["containers"][0]["image"] = catalogue()[image]["image"]

    shown = {sample.name for _, samples in paper.run(server).shown() for sample in samples}

    assert "vllm:num_requests_waiting" in shown
    assert ("vllm:num_requests_waiting_by_reason" in shown) is tells


def test_nim_2_shows_what_the_vllm_in_it_shows(pages):
    ((target, samples),) = [pages[key] for key in pages if key[1:] == ("vllm.team.nim-2", 0)]
    vllm_samples = pages["shared", "vllm.team.a", 0][1]

    assert {each.name for each in samples} == {each.name for each in vllm_samples}
    assert {each.labels["model_name"] for each in samples} == {"meta-llama/Llama-3.2-1B-Instruct"}
    assert (target.exporter, target.labels["job"]) == (Exporter.VLLM, "team/nim")


def test_targets_have_the_labels_that_the_scrape_adds(pages):
    assert {
        (target.id, tuple(target.labels))
        for target, _ in pages.values()
        if set(target.labels) != set(exporters()[target.exporter].target_labels)
    } == set()


def test_no_series_is_there_twice(pages):
    for (name, target, _), (_, samples) in pages.items():
        keys = [(sample.name, *sorted(sample.labels.items())) for sample in samples]
        assert len(keys) == len(set(keys)), (name, target)


def test_addresses_of_targets_are_plain():
    for make in CLUSTERS.values():
        ids = [target.id for target, _ in make().shown()]
        assert len(ids) == len(set(ids))
        assert all(set(each) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-_") for each in ids)


class TestByPromtool:
    pytestmark = needs_promtool

    def test_it_can_read_every_page(self, pages):
        for target, samples in pages.values():
            asked = [PROMTOOL, "check", "metrics", "--lint=none", "--extended"]
            done = subprocess.run(asked, input=page(samples), capture_output=True, text=True, check=False)
            assert done.returncode == 0, (target.id, done.stderr)
