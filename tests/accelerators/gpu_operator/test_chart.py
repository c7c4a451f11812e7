"""Values of the GPU Operator's chart: what it installs again, and the configurations that it hands on."""

from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.device_plugin import ChartValues, Node, judge_plugin_chart
from eks_accelerators.accelerators.gpu_operator import judge_operator_chart

SLICED = "sharing: {timeSlicing: {failRequestsGreaterThanOne: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
MPS = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
OFF = {"enabled": False}
MIG = "version: v1\nmig-configs:\n  all-disabled: [{devices: all, mig-enabled: false}]\n"


def values(**others):
    return {"driver": OFF, "toolkit": OFF, **others}


def plugin(data, **others):
    return values(devicePlugin={"config": {"create": True, "name": "sharing", "default": "a", "data": data}}, **others)


def manager(text, **others):
    config = {"create": True, "name": "layouts", "data": {"config.yaml": text}}
    return values(migManager={"config": config | others}, mig={"strategy": "mixed"})


def found(written, nodes="al2023", node=None):
    judged = judge_operator_chart(ChartValues(written), nodes, node)
    return [(one.severity, one.path, one.code) for one in judged.problems]


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(values(), id="nothing-of-its-own"),
        pytest.param(plugin({"a": SLICED}), id="time-slicing"),
        pytest.param(plugin({"a": MPS}), id="mps-beside-single"),
        pytest.param(plugin({"a": MPS}, mig={"strategy": "none"}), id="mps-without-mig"),
        pytest.param(plugin({"a": "flags: {migStrategy: mixed}"}, mig={"strategy": ""}), id="the-file-decides"),
        pytest.param(plugin({"a": "flags: {migStrategy: mixed}"}, mig={"strategy": "mixed"}), id="both-say-the-same"),
        pytest.param(manager(MIG), id="layouts"),
        pytest.param(values(devicePlugin={"config": {"name": "elsewhere", "default": "a"}}), id="another-s-config-map"),
    ],
)
def test_values_that_work(written):
    assert found(written) == []


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        pytest.param(
            plugin({"a": MPS}, mig={"strategy": "mixed"}),
            ("error", "devicePlugin.config.data.a: sharing.mps", "mps-with-mixed-mig"),
            id="V7-the-strategy-overrides-each-configuration",
        ),
        pytest.param(
            plugin({"a": "flags: {migStrategy: none}"}),
            ("warning", "devicePlugin.config.data.a: flags.migStrategy", "overridden-flag"),
            id="a-strategy-that-loses",
        ),
        pytest.param(
            plugin({"a": "sharing: {timeSlicing: {}}"}),
            ("error", "devicePlugin.config.data.a: sharing.timeSlicing.resources", "no-resources"),
            id="V2-inside",
        ),
        pytest.param(
            values(sharing={}), ("warning", "sharing", "unknown-key"), id="a-configuration-of-the-plugin-for-values"
        ),
        pytest.param(
            values(devicePlugin={"config": {"map": {"a": SLICED}}}),
            ("warning", "devicePlugin.config.map", "unknown-key"),
            id="the-key-of-the-plugin-s-chart",
        ),
        pytest.param(
            plugin({"b": SLICED}),
            ("error", "devicePlugin.config.default", "chart-configurations"),
            id="V18-no-such-key",
        ),
        pytest.param(
            values(devicePlugin={"config": {"create": True, "name": "c", "data": {"a": SLICED}}}),
            ("warning", "devicePlugin.config.default", "chart-configurations"),
            id="no-default",
        ),
        pytest.param(
            values(devicePlugin={"config": {"create": True, "default": "a", "data": {"a": SLICED}}}),
            ("error", "devicePlugin.config.name", "no-config-map"),
            id="no-name",
        ),
        pytest.param(
            values(devicePlugin={"config": {"name": "c", "default": "a", "data": {"a": SLICED}}}),
            ("warning", "devicePlugin.config.data", "no-config-map"),
            id="nothing-is-made-of-the-data",
        ),
        pytest.param(
            values(devicePlugin={"config": {"create": True, "name": "c"}}),
            ("warning", "devicePlugin.config.create", "no-config-map"),
            id="no-data",
        ),
        pytest.param(
            plugin({"a": {"version": "v1"}}), ("error", "devicePlugin.config.data.a", "wrong-type"), id="no-text-block"
        ),
        pytest.param(values(devicePlugin=[]), ("error", "devicePlugin", "wrong-type"), id="a-list"),
        pytest.param(
            values(devicePlugin={"config": {"default": []}}),
            ("error", "devicePlugin.config.default", "wrong-type"),
            id="a-list-for-a-text-that-is-read-twice",
        ),
        pytest.param(values(gfd={"enabled": "no"}), ("error", "gfd.enabled", "wrong-type"), id="a-text-for-a-switch"),
        pytest.param(values(mig={"strategy": "all"}), ("error", "mig.strategy", "mig-strategy"), id="V11-strategy"),
        pytest.param(
            plugin({"a": MPS}, gfd=OFF), ("warning", "gfd.enabled", "mps-without-discovery"), id="mps-without-discovery"
        ),
        pytest.param(
            values(migManager={"config": {"create": True, "name": "c", "data": {"layouts.yaml": MIG}}}),
            ("warning", "migManager.config.data.layouts.yaml", "unknown-key"),
            id="another-key-than-config-yaml",
        ),
        pytest.param(
            manager(MIG, default="half"),
            ("error", "migManager.config.default", "mig-configurations"),
            id="no-such-layout",
        ),
        pytest.param(
            manager(MIG.replace("v1", "v2")),
            ("error", "migManager.config.data.config.yaml: version", "version"),
            id="a-layout-file-of-another-version",
        ),
        pytest.param(values(driver=None), ("error", "driver.enabled", "operator-installs-again"), id="52-the-driver"),
    ],
)
def test_values_that_do_not_work(written, problem):
    assert found(written)[:1] == [problem]


@pytest.mark.parametrize(
    ("written", "nodes", "problems"),
    [
        pytest.param(values(), "bottlerocket", [("error", "devicePlugin.enabled", "operator-installs-again")], id="52"),
        pytest.param(
            values(
                devicePlugin={**OFF, "config": {"create": True, "name": "c", "default": "a", "data": {"a": SLICED}}}
            ),
            "bottlerocket",
            [("warning", "devicePlugin.config", "image-runs-plugin")],
            id="bottlerocket-has-settings-of-its-own",
        ),
        pytest.param(
            values(devicePlugin={**OFF, "config": {"create": True, "name": "c", "default": "a", "data": {"a": MPS}}}),
            "auto-mode",
            [
                ("error", "devicePlugin.config.data.a: sharing.mps", "auto-mode-sharing"),
                ("warning", "devicePlugin.config", "image-runs-plugin"),
            ],
            id="49-no-mps-on-auto-mode",
        ),
        pytest.param(
            manager(MIG) | {"devicePlugin": OFF},
            "auto-mode",
            [("error", "migManager.config.data", "auto-mode-sharing")],
            id="49-no-mig-on-auto-mode",
        ),
        pytest.param(
            values(devicePlugin=OFF, gpuCluster={"deployCR": True}, clusterPolicy={"deployCR": False}),
            "auto-mode",
            [("error", "gpuCluster.deployCR", "auto-mode-sharing")],
            id="49-no-resource-allocation-on-auto-mode",
        ),
    ],
)
def test_where_the_nodes_run(written, nodes, problems):
    assert found(written, nodes) == problems


def test_layouts_are_judged_for_the_gpus_of_the_node():
    text = MIG + "  half: [{devices: all, mig-enabled: true, mig-devices: {3g.40gb: 2, 1g.10gb: 1}}]\n"
    node = Node.of(instance_types.get("p5.48xlarge"))
    path = "migManager.config.data.config.yaml: mig-configs.half[0].mig-devices"

    assert found(manager(text)) == []
    assert found(manager(text), node=node) == [("error", path, "mig-placement")]


def test_lines_are_those_of_the_file():
    written = f"""\
driver: {{enabled: false}}
toolkit: {{enabled: false}}
devicePlugin:
  config:
    create: true
    name: sharing
    default: a
    data:
      a: |-
        version: v1
        sharing:
          timeSlicing:
            resources: [{{name: nvidia.com/gpu, replicas: "4"}}]
      b: 'version: v2'
migManager:
  config:
    create: true
    name: layouts
    data:
      config.yaml: |
{indent(MIG.replace("devices: all", "device: all"), " " * 8)}"""
    judged = judge_operator_chart(ChartValues.of_text(written))

    assert [(one.line, one.code) for one in judged.problems] == [
        (13, "replicas"),
        (14, "version"),
        (23, "unknown-key"),
        (20, "mig-configurations"),  # what is missing has no line of its own
    ]


def test_a_node_without_a_label_gets_the_default():
    judged = judge_operator_chart(ChartValues(plugin({"a": SLICED, "b": "version: v2"})))

    assert {key: one.effective is not None for key, one in judged.configurations.items()} == {"a": True, "b": False}
    assert judged.effective == judged.configurations["a"].effective


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from([SLICED, MPS, MIG, "{"])
KEYS = st.sampled_from(
    [
        *("config", "map", "data", "create", "name", "default", "fallbackStrategies", "enabled", "migStrategy", "mig"),
        *("strategy", "devicePlugin", "migManager", "driver", "gfd", "config.yaml", "gpuCluster", "deployCR", "a"),
    ]
)
VALUES = st.dictionaries(
    KEYS, st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4))
)


@given(VALUES, st.sampled_from(["al2023", "bottlerocket", "auto-mode"]))
def test_any_values_are_judged(written, nodes):
    judged = [judge_operator_chart(ChartValues(written), nodes), judge_plugin_chart(ChartValues(written), "n", nodes)]

    for one in judged:
        assert all(problem.code and problem.message for problem in one.problems)
        assert len(set(one.problems)) == len(one.problems)
