"""Every pod is named, and no metric is 0 that is not: whatever groups a stack has, by the exporter's own code.

`answers.json` is what `PodMapper.Process` of NVIDIA's exporter made of one GPU's metrics, for each kind of sharing under
each environment; `source` and `asked` say of which version and when. The pods came from a kubelet's socket (`a`, and `b`
where they share); their processes were real ones in cgroups of pods, without `hostPID` such as its `/proc` does not
have. NVML said of the process of `a` 3000 MiB and a load of 30, of `b` 5000 MiB and 45; the GPU had 9000 MiB, a load of
80 and 300 W. Pods had UIDs where the chart mounts the account's token. The exporter's packages are internal to it, so no
program of another module can ask again: a change of the version in `charts.yaml` fails
`test_the_answers_are_those_of_the_chart_s_version` until somebody has asked.
"""

import itertools
import json
from pathlib import Path

import pytest

from eks_accelerators.accelerators.sharing_effects import effects
from eks_accelerators.components.charts import catalogue, values_of
from eks_accelerators.components.dcgm_exporter import exporter_values
from eks_accelerators.components.gpu_operator import operator_values
from eks_accelerators.settings import releases
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.simulator.kubernetes import charts, operator_labels, roles
from eks_accelerators.simulator.kubernetes.feature_labels import from_nfd
from eks_accelerators.simulator.kubernetes.placement import obstacles
from tests.settings.example import check

RECORDED = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))
ANSWERS = RECORDED["answers"]
ALL_THREE = "KUBERNETES_VIRTUAL_GPUS hostPID enablePodUID"

RENAMED = {"renameByDefault": True}
SLICED, MPS = {"strategy": "timeSlicing", "replicas": 4}, {"strategy": "mps", "replicas": 4}
MIXED = {"strategy": "mig", "mig": {"strategy": "mixed", "layout": {"3g.40gb": 2}}}
SINGLE = {"strategy": "mig", "mig": {"strategy": "single", "layout": {"3g.40gb": 2}}}
SHARINGS = {
    "exclusive": {},
    "timeSlicing": SLICED,
    "timeSlicing renamed": SLICED | RENAMED,
    "mps": MPS,
    "mps renamed": MPS | RENAMED,
    "mig": MIXED,
    "mig single": SINGLE,
    "mig shared": MIXED | {"replicas": 2},
    "mig shared renamed": MIXED | {"replicas": 2} | RENAMED,
    "mig single shared renamed": SINGLE | {"replicas": 2} | RENAMED,
}
CLAIMED, ON_THE_IMAGE = "claimed", "timeSlicing renamed of the image"
KINDS = (*SHARINGS, CLAIMED, ON_THE_IMAGE)


def group_of(kind):
    group = {"instanceType": "p5.4xlarge", "size": {"max": 1}}
    if kind == CLAIMED:
        return group | {"dynamicResourceAllocation": True, "size": {"min": 1, "desired": 1, "max": 1}}
    if kind == ON_THE_IMAGE:
        return group | {"ami": {"type": "BOTTLEROCKET_x86_64_NVIDIA"}, "sharing": SLICED | RENAMED}
    return group | ({"sharing": SHARINGS[kind]} if SHARINGS[kind] else {})


def stack_of(kinds, stack):
    """A stack with a group of each kind."""
    groups = {f"group{index}": group_of(kind) for index, kind in enumerate(kinds)}
    return resolve_stack(check({"nodeGroups": groups, "workloads": {}, "nvidia.stack": stack}).settings)


def exporters(stack):
    """The pods of every exporter of a stack, as the charts make them."""
    made_from = [
        ("dcgm-exporter", exporter_values(inputs))
        for make in (releases.dcgm_exporter, releases.dcgm_exporter_of_claims)
        if (inputs := make(stack))
    ]
    if operator := releases.gpu_operator(stack):
        made_from.append(("gpu-operator", operator_values(operator)))
    for chart, values in made_from:
        made = charts.manifests(
            chart, version=catalogue()[chart]["version"], release="r", namespace="n", values=values_of(chart, values)
        )
        for manifest in made:
            template = manifest.get("spec", {}).get("template", {})
            if template.get("metadata", {}).get("labels", {}).get(roles.ROLE_LABEL) == roles.DCGM_EXPORTER:
                yield template


def node_of(group):
    labels = {**group.labels, **from_nfd(group.type)}
    if group.served_by is GpuServer.GPU_OPERATOR:
        labels |= operator_labels.changes(labels)
    taints = [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in group.taints]
    return {"metadata": {"name": group.name, "labels": labels}, "spec": {"taints": taints}}


def environment_of(pod):
    """The exporter's environment in the words of the answers."""
    (container,) = pod["spec"]["containers"]
    given = {one["name"]: one.get("value") for one in container["env"]}
    words = {
        "KUBERNETES_VIRTUAL_GPUS": given.get("KUBERNETES_VIRTUAL_GPUS"),
        "hostPID": pod["spec"].get("hostPID"),
        "enablePodUID": given.get("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID"),
        "NVIDIA_RESOURCE_NAMES": given.get("NVIDIA_RESOURCE_NAMES"),
        "KUBERNETES_ENABLE_DRA": given.get("KUBERNETES_ENABLE_DRA"),
    }
    assert given.get("NVIDIA_RESOURCE_NAMES") in (None, "nvidia.com/gpu,nvidia.com/gpu.shared")
    return " ".join(word for word, value in words.items() if value)


def answer(kind, environment):
    return ANSWERS[environment][kind.removesuffix(" of the image")]


def nameless(found, kind):
    pods = {"a", "b"} if any(word in kind for word in ("shared", "timeSlicing", "mps")) else {"a"}
    return {field: pods - set(values) for field, values in found.items() if pods - set(values)}


def zeros(found):
    return {(field, pod) for field, values in found.items() for pod, value in values.items() if value == "0"}


def measured(kinds, stack):
    """The answer for each kind, by the one exporter that runs on the nodes of its group."""
    made = stack_of(kinds, stack)
    pods = list(exporters(made))
    for kind, group in zip(kinds, made.groups.values(), strict=True):
        here = [pod for pod in pods if not obstacles(pod["spec"], node_of(group), daemon=True)]
        assert len(here) == 1, f"{len(here)} exporters on a node of {kind}"
        yield kind, answer(kind, environment_of(here[0]))


TOGETHER = [(kind,) for kind in KINDS] + list(itertools.combinations(KINDS, 2)) + [KINDS]


@pytest.mark.parametrize("stack", ["charts", "operator"])
@pytest.mark.parametrize("kinds", TOGETHER, ids=" beside ".join)
def test_every_pod_is_named_and_none_is_0(kinds, stack):
    found = dict(measured(kinds, stack))

    assert {kind: (nameless(one, kind), zeros(one)) for kind, one in found.items()} == dict.fromkeys(kinds, ({}, set()))


def test_the_answers_are_those_of_the_chart_s_version():
    """The GPU Operator and nodes with claims have 4.8.3: its mapping was read, and is the same but for v1 of the API."""
    version = catalogue()["dcgm-exporter"]["version"]

    assert RECORDED["source"].endswith(f"-{version}")
    assert charts.dcgm_exporter.DEFAULTS["image"]["tag"].removesuffix("-distroless") in RECORDED["source"]


@pytest.mark.parametrize(
    ("environment", "kind", "nobody", "nothing"),
    [
        pytest.param(
            "KUBERNETES_VIRTUAL_GPUS", "exclusive", False, True, id="whole GPUs too: 0 without their processes"
        ),
        pytest.param("KUBERNETES_VIRTUAL_GPUS hostPID", "exclusive", False, True, id="0 without UIDs"),
        pytest.param("KUBERNETES_VIRTUAL_GPUS enablePodUID", "exclusive", False, True, id="0 without host processes"),
        pytest.param("", "timeSlicing", True, False, id="one of the pods alone where shares are unknown"),
        pytest.param(ALL_THREE, "timeSlicing renamed", True, False, id="nobody under another name"),
        pytest.param(
            f"{ALL_THREE} KUBERNETES_ENABLE_DRA", "claimed", True, False, id="nobody who claims beside shares"
        ),
        pytest.param(ALL_THREE, "mps, load not sampled", False, True, id="0 where NVML has no sample"),
    ],
)
def test_it_tells_right_from_wrong(environment, kind, nobody, nothing):
    found = ANSWERS[environment][kind]

    assert (bool(nameless(found, kind)), bool(zeros(found))) == (nobody, nothing)


def of_one_pod(kind, environment):
    """Fields by what is known of a pod that shares: its own value, or the GPU's."""
    return {
        "own": {field for field, values in answer(kind, environment).items() if values["a"] != values["b"]},
        "the GPU's": {field for field, values in answer(kind, environment).items() if values["a"] == values["b"]},
    }


@pytest.mark.parametrize(
    ("kind", "own", "said"),
    [
        ("timeSlicing", {"DEV_GPU_UTIL", "DEV_FB_USED"}, "load and memory by pod; everything else is the whole GPU's"),
        (
            "mps",
            {"DEV_GPU_UTIL", "DEV_FB_USED"},
            "memory by pod, load not for certain; everything else is the whole GPU's",
        ),
        ("mig shared", {"DEV_FB_USED"}, "memory by pod; everything else is the instance's"),
    ],
)
def test_the_plan_says_what_is_known_of_one_pod(kind, own, said):
    groups = stack_of([kind], "charts").groups
    (group,) = groups.values()

    assert effects(group.type, group.sharing)["metrics"].startswith(said)
    assert of_one_pod(kind, ALL_THREE)["own"] == own
    # The GPU's own value of these is in the series without a pod.
    assert all("" in answer(kind, ALL_THREE)[field] for field in own)


def test_load_under_mps_is_the_driver_s_to_say():
    sampled, not_sampled = (ANSWERS[ALL_THREE][kind] for kind in ("mps", "mps, load not sampled"))

    assert sampled["DEV_GPU_UTIL"] == {"": "80", "a": "30", "b": "45"}
    assert not_sampled["DEV_GPU_UTIL"] == {"": "80", "a": "0", "b": "0"}
    assert sampled["DEV_FB_USED"] == not_sampled["DEV_FB_USED"] == {"": "9000", "a": "3000", "b": "5000"}


def test_a_gpu_that_nobody_uses_is_measured_too():
    assert {tuple(values) for environment in ANSWERS.values() for values in environment["idle"].values()} == {("",)}
