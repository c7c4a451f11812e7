"""Which configuration the plugin chooses, and what it reads in it."""

import pytest

from eks_accelerators.simulator.kubernetes.plugin_configuration import (
    PluginConfiguration,
    UnusableConfigurationError,
    configuration_of,
    parse,
)
from tests.simulator.kubernetes.paper_cluster import node

LABEL = "nvidia.com/device-plugin.config"


def pod(*, config_map="c", default="", strategies="named,single", **environment):
    env = [
        {"name": "DEFAULT_CONFIG", "value": default},
        {"name": "FALLBACK_STRATEGIES", "value": strategies},
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        *({"name": name, "value": value} for name, value in environment.items()),
    ]
    volumes = [{"name": "available-configs", "configMap": {"name": config_map}}] if config_map else []
    return {
        "metadata": {"namespace": "n", "name": "p"},
        "spec": {"containers": [{"name": "main", "env": env}], "volumes": volumes},
    }


def shared(replicas):
    return f"sharing: {{timeSlicing: {{resources: [{{name: nvidia.com/gpu, replicas: {replicas}}}]}}}}"


def labelled(value):
    return node(labels={} if value is None else {LABEL: value})


def chosen(made, label, **texts):
    return configuration_of(made, labelled(label), {("n", "c"): {"data": texts}}).replicas


@pytest.mark.parametrize(
    ("made", "label", "texts", "replicas"),
    [
        pytest.param(pod(), "b", {"a": shared(2), "b": shared(3)}, 3, id="label"),
        pytest.param(pod(default="a"), "b", {"a": shared(2), "b": shared(3)}, 3, id="label-before-default"),
        pytest.param(pod(default="a"), None, {"a": shared(2), "b": shared(3)}, 2, id="default"),
        pytest.param(pod(), None, {"a": shared(2), "default": shared(3)}, 3, id="named"),
        pytest.param(pod(), None, {"a": shared(2)}, 2, id="single"),
        pytest.param(pod(strategies="single,named"), None, {"default": shared(4)}, 4, id="order-of-strategies"),
        pytest.param(pod(strategies="empty"), None, {"a": shared(2), "b": shared(3)}, 1, id="empty"),
        pytest.param(pod(config_map=None), "b", {}, 1, id="no-configmap"),
    ],
)
def test_which_one_is_chosen(made, label, texts, replicas):
    assert chosen(made, label, **texts) == replicas


@pytest.mark.parametrize(
    ("made", "label", "texts", "words"),
    [
        pytest.param(
            pod(), "x", {"a": ""}, "label nvidia.com/device-plugin.config names 'x'.*it has: a", id="unknown-label"
        ),
        pytest.param(pod(default="x"), None, {"a": ""}, "config.default names 'x'", id="unknown-default"),
        pytest.param(pod(), None, {"a": "", "b": ""}, "no default is given", id="several-without-default"),
        pytest.param(pod(config_map="gone"), "a", {"a": ""}, "ConfigMap n/gone does not exist", id="no-such-configmap"),
        pytest.param(pod(), "a", {"a": "sharing: ["}, "no YAML", id="no-yaml"),
    ],
)
def test_where_none_is_found_the_pod_does_not_run(made, label, texts, words):
    with pytest.raises(UnusableConfigurationError, match=words):
        chosen(made, label, **texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", PluginConfiguration(), id="empty"),
        pytest.param("version: v1", PluginConfiguration(), id="exclusive"),
        pytest.param("version: ''", PluginConfiguration(), id="version-empty"),
        pytest.param(shared(4), PluginConfiguration("time-slicing", 4), id="time-slicing"),
        pytest.param(
            "sharing: {timeSlicing: {renameByDefault: true, resources: [{name: gpu, replicas: 3}]}}",
            PluginConfiguration("time-slicing", 3, renamed=True),
            id="renamed-and-without-prefix",
        ),
        pytest.param(
            "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}, "
            "timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}",
            PluginConfiguration("mps", 4),
            id="mps-wins",
        ),
        # Ignored without a word.
        pytest.param("unknown: 1", PluginConfiguration(), id="unknown-key"),
        pytest.param(
            "sharing: {timeSlicing: {renamebyDefault: true, resources: [{name: nvidia.com/gpu, replicas: 2}]}}",
            PluginConfiguration("time-slicing", 2),
            id="misspelt-key",
        ),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2, rename: x, devices: 1}]}}",
            PluginConfiguration("time-slicing", 2),
            id="rename-and-devices",
        ),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: nvidia.com/mig-1g.10gb, replicas: 2}]}}",
            PluginConfiguration(),
            id="resource-that-is-not-there",
        ),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}, {name: gpu, replicas: 5}]}}",
            PluginConfiguration("time-slicing", 5),
            id="twice",
        ),
        pytest.param("resources: {gpus: []}", PluginConfiguration(), id="resources"),
    ],
)
def test_what_is_read(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("version: v2", "version: 'v2' is not v1", id="V1"),
        pytest.param("sharing: {timeSlicing: {}}", "no resources specified", id="V2"),
        pytest.param("sharing: {timeSlicing: {resources: [{replicas: 2}]}}", "no resource name", id="V3"),
        pytest.param("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 1}]}}", "at least 2", id="V4"),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: gpu, replica: 2}]}}", "replicas: missing", id="V4-misspelt"
        ),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: amd.com/gpu, replicas: 2}]}}", "no NVIDIA resource", id="V5"
        ),
        pytest.param(
            "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2, devices: x}]}}", "neither all", id="V6"
        ),
        pytest.param(
            "{flags: {migStrategy: mixed}, sharing: {mps: {resources: [{name: gpu, replicas: 2}]}}}",
            "does not go with",
            id="V7",
        ),
        pytest.param("flags: {migStrategy: dual}", "'dual' is none of", id="V11"),
        pytest.param("flags: {plugin: {sharedDevicesAllocationPolicy: x}}", "none of distributed, packed", id="V14"),
        pytest.param("[]", "no mapping", id="list"),
        pytest.param("sharing: 3", "sharing: 3 is no mapping", id="sharing-a-number"),
        pytest.param("flags: [a]", "flags: a list is no mapping", id="flags-a-list"),
        pytest.param("flags: {plugin: a}", "flags.plugin: 'a' is no mapping", id="plugin-a-text"),
        pytest.param("sharing: {mps: [a]}", "sharing.mps: a list is no mapping", id="section-a-list"),
        pytest.param("sharing: {timeSlicing: {resources: 3}}", "resources: 3 is no list", id="resources-a-number"),
        pytest.param("sharing: {timeSlicing: {resources: [gpu]}}", "'gpu' is no mapping", id="resources-of-texts"),
    ],
)
def test_what_is_refused(text, words):
    with pytest.raises(UnusableConfigurationError, match=words):
        parse(text)


def test_a_flag_overrides_the_configuration():
    made = pod(config_map="c", MIG_STRATEGY="none")
    texts = {("n", "c"): {"data": {"a": "flags: {migStrategy: mixed}"}}}

    assert configuration_of(made, labelled("a"), texts).mig_strategy == "none"
    assert configuration_of(pod(), labelled("a"), texts).mig_strategy == "mixed"
