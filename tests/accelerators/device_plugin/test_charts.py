"""What the charts refuse, and what they install although it cannot work."""

import pytest

from eks_accelerators.accelerators.device_plugin import ChartValues, judge_plugin_chart, operator_chart_problems

EXCLUSIVE = "version: v1"
SLICED = "sharing: {timeSlicing: {failRequestsGreaterThanOne: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
MPS = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"


def found(values, namespace="nvidia"):
    return [(one.severity, one.path, one.code) for one in judge_plugin_chart(ChartValues(values), namespace).problems]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({}, id="defaults"),
        pytest.param({"config": {"map": {"a": SLICED}}}, id="one-configuration"),
        pytest.param({"config": {"map": {"a": SLICED, "default": EXCLUSIVE}}}, id="one-called-default"),
        pytest.param({"config": {"map": {"a": SLICED, "b": EXCLUSIVE}, "default": "b"}}, id="a-default"),
        pytest.param(
            {"config": {"map": {"a": "", "b": ""}, "fallbackStrategies": ["empty"]}}, id="empty-where-no-label"
        ),
        pytest.param({"config": {"map": {"a": MPS}}, "gfd": {"enabled": True}}, id="mps-with-discovery"),
        pytest.param({"config": None}, id="null-for-the-defaults"),
    ],
)
def test_values_that_work(values):
    assert found(values) == []


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        pytest.param({"namespace": "n"}, ("error", "namespace", "chart-namespace"), id="namespace-as-value"),
        pytest.param(
            {"config": {"map": {"a": "", "b": ""}}}, ("error", "config.map", "chart-configurations"), id="no-default"
        ),
        pytest.param(
            {"config": {"map": {"a": ""}, "default": "b"}},
            ("error", "config.default", "chart-configurations"),
            id="V18-default-that-is-not-there",
        ),
        pytest.param(
            {"config": {"name": "mine"}}, ("warning", "config.name", "chart-configurations"), id="S8-not-watched"
        ),
        pytest.param(
            {"config": {"map": {"a": MPS}}}, ("warning", "gfd.enabled", "mps-without-discovery"), id="mps-alone"
        ),
        pytest.param(
            {"config": {"map": {"a": "version: v2"}}}, ("error", "config.map.a: version", "version"), id="a-bad-one"
        ),
        pytest.param(
            {"config": {"map": {"a": "flags: {migStrategy: none}"}}, "migStrategy": "dual"},
            ("error", "config.map.a: flags.migStrategy", "mig-strategy"),
            id="a-value-that-wins",
        ),
        pytest.param(
            {"config": {"map": {"a": ""}}, "migStrategy": ""},
            ("error", "config.map.a: flags.migStrategy", "mig-strategy"),
            id="an-empty-value-that-wins",
        ),
        pytest.param(
            {"config": {"map": {"a": MPS}}, "mps": {"root": ""}, "gfd": {"enabled": True}},
            ("error", "config.map.a: flags.mpsRoot", "mps-root"),
            id="no-root-for-mps",
        ),
        pytest.param(
            {"config": {"map": {"a": ""}}, "deviceIDStrategy": "name"},
            ("error", "config.map.a: flags.plugin.deviceIDStrategy", "device-id-strategy"),
            id="another-value-that-wins",
        ),
        pytest.param(
            {"config": {"map": {"a": "flags: {migStrategy: mixed}"}}, "migStrategy": "none"},
            ("warning", "config.map.a: flags.migStrategy", "overridden-flag"),
            id="a-strategy-that-loses",
        ),
        pytest.param(
            {"config": {"map": {"a": MPS}}, "gfd": {"enabled": True}, "migStrategy": "mixed"},
            ("error", "config.map.a: sharing.mps", "mps-with-mixed-mig"),
            id="V7-mps-beside-a-mixed-value",
        ),
        pytest.param(
            {"config": {"data": {"a": SLICED}}}, ("warning", "config.data", "unknown-key"), id="keys-of-the-operator"
        ),
        pytest.param({"config": ["a"]}, ("error", "config", "wrong-type"), id="a-list-for-config"),
        pytest.param({"config": {"map": ["a"]}}, ("error", "config.map", "wrong-type"), id="a-list-of-configurations"),
        pytest.param(
            {"config": {"map": {"a": {"version": "v1"}}}}, ("error", "config.map.a", "wrong-type"), id="no-text"
        ),
        pytest.param(
            {"config": {"map": {"a": EXCLUSIVE}, "fallbackStrategies": "single"}},
            ("error", "config.fallbackStrategies", "wrong-type"),
            id="one-fallback-strategy",
        ),
        pytest.param({"sharing": {}}, ("warning", "sharing", "unknown-key"), id="a-configuration-for-values"),
        pytest.param({"migStrategy": True}, ("error", "migStrategy", "wrong-type"), id="a-truth-value-for-a-strategy"),
    ],
)
def test_values_that_do_not_work(values, problem):
    assert found(values) == [problem]


def test_two_sources_of_configurations():
    values = {"config": {"map": {"a": ""}, "name": "mine"}}

    assert ("error", "config.name", "chart-configurations") in found(values)


def test_the_namespace_default():
    assert found({}, "default") == [("error", "", "chart-namespace")]
    assert found({"allowDefaultNamespace": True}, "default") == []


OFF = {"enabled": False}


@pytest.mark.parametrize(
    ("values", "image_runs_plugin", "paths"),
    [
        pytest.param({}, False, ["driver.enabled", "toolkit.enabled"], id="defaults"),
        pytest.param({}, True, ["driver.enabled", "toolkit.enabled", "devicePlugin.enabled"], id="bottlerocket"),
        pytest.param({"driver": OFF, "toolkit": OFF}, False, [], id="al2023"),
        pytest.param({"driver": OFF, "toolkit": OFF}, True, ["devicePlugin.enabled"], id="one-is-left"),
        pytest.param({"driver": OFF, "toolkit": OFF, "devicePlugin": OFF}, True, [], id="all-off"),
        pytest.param(
            {"driver": OFF, "toolkit": OFF, "gpuCluster": {"deployCR": True}},
            False,
            ["gpuCluster.deployCR"],
            id="two-stacks",
        ),
    ],
)
def test_the_operator_installs_nothing_twice(values, image_runs_plugin, paths):
    assert [problem.path for problem in operator_chart_problems(values, image_runs_plugin)] == paths
