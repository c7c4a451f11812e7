"""Every rule, tripped and nearly tripped. The snapshots show each problem as a user reads it."""

import datetime

import pytest

from eks_accelerators.accelerators import device_plugin
from eks_accelerators.settings import parse
from eks_accelerators.settings.rules import RULES
from tests.settings import example
from tests.settings.example import check
from tests.settings.rules import (
    amis,
    autoscaling,
    caches,
    capacity_blocks,
    cluster,
    cost,
    disks,
    dynamic_resource_allocation,
    efa,
    gpu_operator,
    gpu_tests,
    images,
    instance_types,
    karpenter,
    model_repositories,
    monitoring,
    networks,
    neuron_vllm,
    nim,
    node_autoscaling,
    node_groups,
    pasted_secrets,
    plugins,
    scheduled_scaling,
    servers,
    servers_across_nodes,
    sharing,
    storage,
    training,
    training_engines,
    workloads,
)

TABLES = [
    amis,
    autoscaling,
    caches,
    capacity_blocks,
    cluster,
    cost,
    disks,
    dynamic_resource_allocation,
    efa,
    gpu_tests,
    gpu_operator,
    images,
    instance_types,
    karpenter,
    model_repositories,
    monitoring,
    networks,
    neuron_vllm,
    nim,
    node_autoscaling,
    node_groups,
    pasted_secrets,
    plugins,
    scheduled_scaling,
    servers,
    servers_across_nodes,
    sharing,
    storage,
    training,
    training_engines,
    workloads,
]
CASES = [case for table in TABLES for case in table.CASES]
TESTED_BELOW = {
    "device-plugin-config",
    "facts-file-outdated",
    "instance-type-described-twice",
    "kubernetes-version-ended",
}


def test_the_base_has_no_problem():
    assert check({}).problems == ()


def test_every_rule_has_a_case():
    assert {case.code for case in CASES} | TESTED_BELOW == set(RULES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tripped(case, snapshot):
    found = [p for p in check(case.patch).problems if (p.code, p.path) == (case.code, case.at)]

    assert found, [str(problem) for problem in check(case.patch).problems]
    assert {problem.severity.value for problem in found} == {case.severity}
    assert "\n".join(map(str, found)) == snapshot


@pytest.mark.parametrize("case", CASES, ids=str)
def test_nearly_tripped(case):
    checked = check(case.near)

    assert checked.settings is not None, [str(problem) for problem in checked.problems]
    assert case.code not in {problem.code for problem in checked.problems}


@pytest.mark.parametrize(
    ("day", "ended"), [pytest.param(26, False, id="last-day"), pytest.param(27, True, id="day-after")]
)
def test_kubernetes_version_ended(day, ended, snapshot):
    """Depends on the day, not on the settings."""
    values = example.patched({"cluster.kubernetesVersion": "1.31"})
    now = datetime.datetime(2026, 11, day, 12, tzinfo=datetime.UTC)
    found = [p for p in parse(values, values.pop("region"), now=now).problems if p.code == "kubernetes-version-ended"]

    assert bool(found) is ended
    assert [str(problem) for problem in found] == snapshot


def test_device_plugin_config(monkeypatch, snapshot):
    """Guards our own writing: no settings trip it while that is right."""
    shared = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}
    assert "device-plugin-config" not in {p.code for p in check(shared).problems}

    monkeypatch.setattr(device_plugin, "configuration", lambda _: {"version": "v2"})

    found = [p for p in check(shared).problems if p.code == "device-plugin-config"]
    assert [str(problem) for problem in found] == snapshot


def test_a_mistake_of_the_stack_file_is_not_called_ours():
    problems = check({"nodeGroups.gpu.sharing": {"strategy": "mps", "replicas": 49}}).problems

    assert {p.code for p in problems} & {"mps-clients", "device-plugin-config"} == {"mps-clients"}


def test_errors_come_before_warnings():
    problems = check({"cluster.kubernetesVersion": "1.36", "nodeGroups.gpu.disk.sizeGib": 20}).problems

    assert [problem.severity.value for problem in problems] == ["error", "warning"]
