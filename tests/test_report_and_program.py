"""What `accel check` reports of any stack, the program registers: replicas, resources, tolerations, selectors.

The program gets its configuration as an engine hands it over, so that both ways to the settings are compared too.
"""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from eks_accelerators.accel.report import check_settings
from eks_accelerators.accelerators import scheduling
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.rules import RULES
from eks_accelerators.settings.rules.registry import Rule
from tests.accel.plans import planned
from tests.conftest import EXHAUSTIVE, NOW
from tests.settings.example import check
from tests.test_program import deployed

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
HUGE_PAGES_LIMIT = {
    f"{GROUP}.instanceType": "p5.48xlarge",
    f"{GROUP}.ami.type": "BOTTLEROCKET_x86_64_NVIDIA",
    f"{GROUP}.zones": ["us-east-2a"],
    f"{GROUP}.efa.enabled": True,
    f"{GROUP}.size": {"desired": 1, "max": 2},
    f"{QWEN}.efaInterfaces": 4,
}
"""How many servers fit follows from the image: Bottlerocket keeps fewer huge pages for EFA."""

TEST = {"workloads.cudaVectorAdd.probe.nodeGroup": "gpu"}
LOAD = {"workloads.dcgmProfTester.load": {"nodeGroup": "gpu", "pods": 2}}

SHARINGS = [
    {"strategy": "exclusive"},
    {"strategy": "timeSlicing", "replicas": 4},
    {"strategy": "timeSlicing", "replicas": 2, "renameByDefault": True},
    {"strategy": "mps", "replicas": 3},
    {"strategy": "mps", "memoryGib": 5},
    {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}},
    {"strategy": "mig", "mig": {"strategy": "single", "layout": {"1g.10gb": 7}}},
]
PATCHES = st.fixed_dictionaries(
    {
        f"{GROUP}.instanceType": st.sampled_from(
            ["g6.2xlarge", "g6.12xlarge", "g6.48xlarge", "p5.48xlarge", "p4d.24xlarge"]
        ),
        f"{GROUP}.size": st.tuples(st.integers(0, 3), st.integers(0, 2)).map(
            lambda sizes: {"desired": sizes[0], "max": sum(sizes)}
        ),
        f"{GROUP}.sharing": st.sampled_from(SHARINGS),
    },
    optional={
        f"{GROUP}.ami.type": st.just("BOTTLEROCKET_x86_64_NVIDIA"),
        f"{GROUP}.taints": st.just([{"key": "team", "value": "ml"}]),
        f"{GROUP}.dynamicResourceAllocation": st.just(True),
        f"{GROUP}.efa.enabled": st.just(True),
        f"{GROUP}.zones": st.just(["us-east-2a"]),
        "nvidia.stack": st.just("operator"),
        f"{QWEN}.replicas": st.integers(1, 6),
        f"{QWEN}.tensorParallelSize": st.sampled_from([1, 2, 4]),
        f"{QWEN}.efaInterfaces": st.sampled_from([1, 4]),
        f"{QWEN}.resources": st.just({"cpu": "500m", "memoryGib": 4, "memoryLimitGib": 8}),
        f"{QWEN}.tolerations": st.just([{"operator": "Exists"}]),
        **{path: st.just(value) for path, value in (TEST | LOAD).items()},
    },
)


def reported(patch):
    """Of each workload what the report says of its pods; None where the stack has errors."""
    checked = check(patch)
    if errors(checked.problems):
        return None
    data = check_settings("test", checked, NOW.date()).report.as_data()
    groups = {group["name"]: group for group in data["nodeGroups"]}
    found = {}
    for placed in checked.stack.workloads:
        workload = next(one for one in data["workloads"] if (one["kind"], one["name"]) == (placed.kind, placed.name))
        group = groups[workload["nodeGroup"]]
        found[placed.name] = {
            "replicas": workload["replicas"],
            "accelerators": {workload["resource"]: placed.workload.accelerators},
            "selector": {scheduling.NODE_GROUP_LABEL: workload["nodeGroup"]},
            "untolerated": [] if placed.workload.tolerations else group["taints"],
        }
    return found


def registered(patch):
    """The same of what the program registers."""
    resources = {(each.kind, each.name): each for each in deployed(patch).resources}
    claims = {
        name: each.inputs["spec"]["spec"]["devices"]["requests"][0]["exactly"]
        for (kind, name), each in resources.items()
        if kind == "ResourceClaimTemplate"
    }
    found = {}
    for (kind, name), resource in resources.items():
        if kind not in ("Deployment", "Job"):
            continue
        spec = resource.inputs["spec"]
        pod = spec["template"]["spec"]
        limits = pod["containers"][0]["resources"]["limits"]
        asked = {key: int(count) for key, count in limits.items() if key.startswith(("nvidia.com/", "aws.amazon.com/"))}
        claim = claims.get(f"{name}-gpus")
        found[name] = {
            "replicas": spec.get("replicas", spec.get("completions")),
            "accelerators": {claim["deviceClassName"]: claim["count"]} if claim else asked,
            "selector": pod["nodeSelector"],
            "untolerated": [tolerated(each) for each in pod["tolerations"] if "key" in each],
        }
    return found


def tolerated(toleration):
    return f"{toleration['key']}={toleration.get('value', '')}:{toleration['effect']}"


def test_huge_pages_of_the_image_limit_the_servers_in_both():
    assert reported(HUGE_PAGES_LIMIT)["qwen"]["replicas"] == 1
    assert registered(HUGE_PAGES_LIMIT)["qwen"]["replicas"] == 1


@pytest.mark.slow
# Most patches break a rule, as they are drawn from all there are; those that break none are what is compared.
@settings(max_examples=60 if EXHAUSTIVE else 20, suppress_health_check=list(HealthCheck))
@given(patch=PATCHES)
def test_the_program_registers_what_the_report_says(patch):
    expected = reported(patch)
    assume(expected is not None)

    assert registered(patch) == expected


def test_every_rule_is_asked_once_in_a_plan(tmp_path, monkeypatch):
    asked = []
    problems = Rule.problems

    def counted(rule, context):
        asked.append(rule.code)
        return problems(rule, context)

    monkeypatch.setattr(Rule, "problems", counted)
    planned(tmp_path, {**TEST, **LOAD, f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4}})

    assert sorted(asked) == sorted(RULES)
