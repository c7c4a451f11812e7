"""What DCGM exporter would show: whose name each series carries, by the exporter's own answers, and which figures."""

import json
from pathlib import Path

import pytest

from eks_accelerators.accelerators.device_plugin import Node
from eks_accelerators.accelerators.instance_types import get
from eks_accelerators.accelerators.sharing import Partitioning, Sharing
from eks_accelerators.simulator.metrics.devices import Claim, Device, Holder, devices_of
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.metrics.sources.dcgm_fields import _HEALTH_WATCHES
from eks_accelerators.simulator.metrics.sources.dcgm_labels import Configuration, copies
from tests.simulator.metrics.worlds import ALL_THREE, Paper, claim_of, pod, vllm

RECORDED = Path(__file__).parents[2] / "components" / "dcgm_exporter" / "answers.json"
ANSWERS = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]
GPU, SHARED, INSTANCE = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-3g.40gb"
RESOURCES = {
    "idle": ("", 0),
    "claimed": ("", 1),
    "exclusive": (GPU, 1),
    "timeSlicing": (GPU, 2),
    "timeSlicing renamed": (SHARED, 2),
    "mps": (GPU, 2),
    "mps renamed": (SHARED, 2),
    "mig": (INSTANCE, 1),
    "mig single": (GPU, 1),
    "mig shared": (INSTANCE, 2),
    "mig shared renamed": (f"{INSTANCE}.shared", 2),
    "mig single shared renamed": (SHARED, 2),
}
"""By which name pods ask, and how many do."""
WHOLE = {"DEV_FB_USED": "9000", "DEV_GPU_UTIL": "80", "DEV_POWER_USAGE": "300", "PROF_GR_ENGINE_ACTIVE": "0.8"}
OWN = {"DEV_FB_USED": {"a": "3000", "b": "5000"}, "DEV_GPU_UTIL": {"a": "30", "b": "45"}}


def exporter(environment):
    """A pod of the exporter, told what the words of the answers say."""
    told = {
        "KUBERNETES_VIRTUAL_GPUS": ("KUBERNETES_VIRTUAL_GPUS", "true"),
        "enablePodUID": ("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID", "true"),
        "NVIDIA_RESOURCE_NAMES": ("NVIDIA_RESOURCE_NAMES", f"{GPU},{SHARED}"),
        "KUBERNETES_ENABLE_DRA": ("KUBERNETES_ENABLE_DRA", "true"),
    }
    words = environment.split()
    given = [{"name": name, "value": value} for word, (name, value) in told.items() if word in words]
    spec = {"nodeName": "node", "hostPID": "hostPID" in words, "containers": [{"name": "exporter", "env": given}]}
    return {"metadata": {"namespace": "n", "name": "x"}, "spec": spec}


def holders(kind):
    resource, count = RESOURCES[kind]
    claim = Claim("c", "team", "node", "gpu-0") if kind == "claimed" else None
    return [Holder(pod(name), "main", resource, "0" if count > 1 else None, claim) for name in "ab"[:count]]


def answered(kind, field, configuration):
    """The value by pod that the model gives, in the words of the answers."""
    found = {}
    for labels, holder in copies(f"DCGM_FI_{field}", configuration, holders(kind)):
        own = OWN[field][holder.pod["metadata"]["name"]] if holder and configuration.processes else "0"
        found[labels.get("pod", "")] = WHOLE[field] if holder is None else own
    return found


@pytest.mark.parametrize("environment", ANSWERS)
def test_series_carry_the_names_that_the_exporter_gives_them(environment):
    configuration = Configuration.of(exporter(environment))

    found = {
        kind: {field: answered(kind, field, configuration) for field in ANSWERS[environment][kind]}
        for kind in RESOURCES
    }

    assert found == {kind: ANSWERS[environment][kind] for kind in RESOURCES}


def test_every_kind_of_the_answers_is_asked_but_what_the_driver_does_not_sample():
    assert {kind for answers in ANSWERS.values() for kind in answers} - set(RESOURCES) == {"mps, load not sampled"}


class Servers:
    def __init__(self, **states):
        self.states = states

    def state(self, namespace, name):
        return self.states.get(name)


def of(paper, name, *labels, seconds=0.0):
    """Values of a metric, by some labels."""
    return {tuple(found.get(label, "") for label in labels): value for found, value in paper.series(name, seconds)}


def test_a_gpu_works_as_its_server_does_and_any_other_pod_always():
    paper = Paper(servers=Servers(llama=ServerState(busy=0.4)))
    here = paper.add()
    paper.run(vllm("llama", here, {GPU: 1}), pod("training", here, {GPU: 2}))

    assert of(paper, "DCGM_FI_DEV_GPU_UTIL", "pod", "gpu") == {
        ("llama", "0"): 40,
        ("training", "1"): 100,
        ("training", "2"): 100,
        ("", "3"): 0,
    }


def test_memory_is_what_a_server_is_told_to_take_and_the_share_of_a_pod_that_nobody_knows():
    sharing = Sharing("timeSlicing", replicas=4)
    paper = Paper(exporter=ALL_THREE)
    here = paper.add(instance_type="g6.2xlarge", sharing=sharing)
    paper.run(vllm("llama", here, {GPU: 1}, "--gpu-memory-utilization", "0.23"), pod("notebook", here, {GPU: 1}))
    memory = 23034  # as the driver says of an L4; EC2 says 22888

    used = of(paper, "DCGM_FI_DEV_FB_USED", "pod", "vgpu")

    assert used == {
        ("llama", "0"): round(0.23 * memory),
        ("notebook", "1"): round(0.92 * memory / 2),
        ("", ""): round(0.23 * memory + 0.92 * memory / 2),
    }


@pytest.mark.parametrize(
    ("instance_type", "mib"),
    [("g4dn.xlarge", 15360), ("g6.2xlarge", 23034), ("p5.48xlarge", 81559), ("p4d.24xlarge", 40960)],
)
def test_memory_is_what_the_driver_says_whether_ec2_says_more_or_less(instance_type, mib):
    paper = Paper()
    here = paper.add(instance_type=instance_type)
    paper.run(vllm("llama", here, {GPU: 1}, "--gpu-memory-utilization", "0.5"))

    parts = (of(paper, f"DCGM_FI_DEV_FB_{part}", "gpu") for part in ("USED", "FREE", "RESERVED"))

    assert [sum(each) for each in zip(*(part.values() for part in parts), strict=True)] == [mib] * get(
        instance_type
    ).accelerator.count


def test_pods_share_the_gpu_that_fewest_have_and_keep_what_they_have():
    paper = Paper(exporter=ALL_THREE)
    here = paper.add(sharing=Sharing("timeSlicing", replicas=2))
    paper.run(*(pod(name, here, {GPU: 1}) for name in "abcde"))

    def held():
        return {
            found["pod"]: (found["gpu"], found["vgpu"])
            for found, _ in paper.series("DCGM_FI_DEV_POWER_USAGE")
            if "pod" in found
        }

    assert held() == {"a": ("0", "0"), "b": ("1", "0"), "c": ("2", "0"), "d": ("3", "0"), "e": ("0", "1")}

    paper.pods = [each for each in paper.pods if each["metadata"]["name"] not in ("a", "b")]
    paper.run(pod("f", here, {GPU: 1}))

    assert held() == {"c": ("2", "0"), "d": ("3", "0"), "e": ("0", "1"), "f": ("1", "0")}


def test_instances_have_their_profile_and_number_and_no_load():
    paper = Paper()
    sharing = Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 2}]))
    here = paper.add(instance_type="p5.4xlarge", sharing=sharing, mig_layout="0 3g.40gb:3g.40gb,3g.40gb:3g.40gb\n")
    paper.run(pod("a", here, {INSTANCE: 1}))

    assert of(paper, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "GPU_I_PROFILE", "GPU_I_ID", "pod") == {
        ("3g.40gb", "1", "a"): 1,
        ("3g.40gb", "2", ""): 0,
    }
    assert paper.series("DCGM_FI_DEV_GPU_UTIL") == []


def test_a_claimed_gpu_has_the_names_of_its_claim():
    paper = Paper()
    here = paper.add(instance_type="g6.2xlarge", claimed=True)
    user = pod("a", here, resourceClaims=[{"name": "gpu", "resourceClaimName": "a-gpu"}])
    paper.run(user)
    paper.claims.append(claim_of(user, here))

    names = (
        "pod",
        "container",
        "dra_claim_name",
        "dra_claim_namespace",
        "dra_driver_name",
        "dra_pool_name",
        "dra_device_name",
    )
    claimed = ("a", "main", "a-gpu", "team", "gpu.nvidia.com", here["metadata"]["name"], "gpu-0")
    assert of(paper, "DCGM_FI_DEV_GPU_UTIL", *names) == {claimed: 100}


def test_an_xid_is_counted_for_five_minutes_and_named_for_good():
    paper = Paper("xid=79")
    paper.add(instance_type="g6.2xlarge")

    def counted(seconds):
        return of(paper, "DCGM_EXP_XID_ERRORS_COUNT", "xid", "window_size_in_ms", seconds=seconds)

    assert counted(0) == {("79", "300000"): 1}
    assert counted(299) == {("79", "300000"): 1}
    assert counted(300) == {("", "300000"): 0}
    assert of(paper, "DCGM_FI_DEV_XID_ERRORS", "err_code", seconds=900) == {("79",): 79}


def test_a_gpu_is_well_by_every_check_that_dcgm_has():
    paper = Paper()
    paper.add(instance_type="g6.2xlarge")

    found = of(paper, "DCGM_EXP_GPU_HEALTH_STATUS", "health_watch", "health_error_code")

    assert found == {(watch, "DCGM_FR_OK"): 0 for watch in _HEALTH_WATCHES}


def test_a_divided_gpu_is_checked_as_a_whole():
    paper = Paper("xid=95")
    sharing = Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 2}]))
    here = paper.add(instance_type="p5.4xlarge", sharing=sharing, mig_layout="0 3g.40gb:3g.40gb,3g.40gb:3g.40gb\n")
    paper.run(pod("a", here, {INSTANCE: 1}))

    found = paper.series("DCGM_EXP_GPU_HEALTH_STATUS")

    assert len(found) == len(_HEALTH_WATCHES)
    assert not {label for labels, _ in found for label in labels} & {"GPU_I_ID", "GPU_I_PROFILE", "pod"}
    assert max(value for _, value in found) == 20


def test_energy_grows_by_the_power_of_the_gpu_for_each_second_of_the_wall_clock():
    paper = Paper()
    here = paper.add(instance_type="g6.2xlarge")
    paper.run(pod("a", here, {GPU: 1}))
    (power,) = of(paper, "DCGM_FI_DEV_POWER_USAGE").values()

    seen = [of(paper, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", seconds=seconds) for seconds in (0, 60)]

    assert [round(value) for (value,) in (each.values() for each in seen)] == [0, round(power * 60_000)]


def test_traffic_of_nvlink_is_a_rate_already():
    paper = Paper()
    here = paper.add(instance_type="p5.48xlarge")
    paper.run(pod("a", here, {GPU: 8}))

    seen = [of(paper, "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", seconds=seconds) for seconds in (0, 60)]

    assert seen[0] == seen[1]
    assert set(seen[0].values()) == {100_000}  # of 1000 KiB a second


@pytest.mark.parametrize(
    ("instance_type", "has", "lacks"),
    [
        ("p5.48xlarge", {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_DEV_MEMORY_TEMP"}, set()),
        ("g6.12xlarge", {"DCGM_FI_DEV_ROW_REMAP_PENDING"}, {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"}),
        ("g4dn.xlarge", {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"}, {"DCGM_FI_DEV_ROW_REMAP_PENDING"}),
    ],
)
def test_a_gpu_shows_what_it_has(instance_type, has, lacks):
    paper = Paper()
    paper.add(instance_type=instance_type)

    names = {sample.name for _, samples in paper.shown() for sample in samples}

    assert has <= names
    assert not lacks & names


def test_the_devices_of_a_node_are_those_of_its_resource_slice():
    kind = get("g6.12xlarge")

    found = devices_of("node", Node.of(kind))

    assert [device.gpu.index for device in found] == [0, 1, 2, 3]
    assert len({device.gpu.uuid for device in found}) == 4
    assert all(isinstance(device, Device) and device.memory_mib == 23034 for device in found)
