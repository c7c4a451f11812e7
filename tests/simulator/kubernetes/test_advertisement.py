"""What nodes say, from the components' own releases to resources: laws for every type, then case by case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators import components
from eks_accelerators.accelerators import instance_types, mig, sharing
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing
from eks_accelerators.components.mig_user_data import layout_text
from eks_accelerators.simulator.kubernetes import roles
from eks_accelerators.simulator.kubernetes.advertisement import NodeAdvertisement, advertised
from tests.simulator.kubernetes.paper_cluster import (
    CONFIG_MAP,
    configurations,
    daemon_sets,
    every_daemon_set,
    node,
    pods_on,
    released,
)

SHARED = Sharing("timeSlicing", 4)
RENAMED = Sharing("timeSlicing", 4, renamed=True)
MPS = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
LABEL = "nvidia.com/device-plugin.config"
OURS = [kind for kind in instance_types.every() if not kind.ami_types[0].startswith("BOTTLEROCKET")]
SHARINGS = st.builds(
    Sharing,
    strategy=st.sampled_from(["timeSlicing", "mps"]),
    replicas=st.integers(2, 10),
    renamed=st.booleans(),
    fail_requests_greater_than_one=st.just(True),
    allocation_policy=st.sampled_from([None, "packed", "distributed"]),
)


def settled(here, config_maps, sets=None):
    """What the node says once nothing changes any more: labels of discovery can bring further pods."""
    sets = every_daemon_set() if sets is None else sets
    for _ in range(3):
        found = advertised(here, pods_on(here, sets), config_maps)
        here["metadata"]["labels"] |= found.labels
    return found


def relabelled(here, value):
    here["metadata"]["labels"][LABEL] = value
    return here


# Laws.


@given(kind=st.sampled_from(OURS), shared=SHARINGS | st.just(EXCLUSIVE), with_efa=st.booleans())
def test_the_deployed_configuration_says_what_the_plan_promises(kind, shared, with_efa):
    """Two ways that know nothing of each other: the planner's law, and the ConfigMap that was really written."""
    shared = shared if kind.has_nvidia_gpu else EXCLUSIVE
    interfaces = (kind.network.max_efa_interfaces or 0) if with_efa else 0
    here = node(kind.name, shared, efa_interfaces=interfaces)

    found = settled(here, configurations(shared))

    assert found.resources == sharing.advertised(kind, shared, interfaces)
    assert found.notes == ()


@given(kind=st.sampled_from(instance_types.every()), shared=SHARINGS)
def test_replicas_multiply_and_a_new_name_changes_no_count(kind, shared):
    if not kind.has_nvidia_gpu:
        return
    found = settled(node(kind.name, shared, ami_type="CUSTOM"), configurations(shared))
    (name,) = found.resources

    assert found.resources[name] == kind.accelerator.count * shared.replicas
    assert name == ("nvidia.com/gpu.shared" if shared.renamed else "nvidia.com/gpu")


@given(kind=st.sampled_from(OURS), interfaces=st.integers(0, 32))
def test_without_a_pod_nothing(kind, interfaces):
    assert advertised(node(kind.name, efa_interfaces=interfaces), [], configurations(SHARED)) == NodeAdvertisement()


@given(kind=st.sampled_from([kind for kind in OURS if kind.has_nvidia_gpu]))
def test_claimed_gpus_are_devices_and_no_resource(kind):
    found = settled(node(kind.name, claimed=True), configurations())

    assert (found.resources, found.notes) == ({}, ())
    assert [device["name"] for device in found.devices] == [f"gpu-{n}" for n in range(kind.accelerator.count)]
    assert len({device["attributes"]["uuid"]["string"] for device in found.devices}) == kind.accelerator.count


def test_a_claimed_gpu_as_the_driver_describes_it():
    (device,) = settled(node("g6.2xlarge", claimed=True), configurations()).devices
    del device["attributes"]["uuid"]

    assert device == {
        "name": "gpu-0",
        "attributes": {
            "type": {"string": "gpu"},
            "productName": {"string": "NVIDIA L4"},
            "architecture": {"string": "Ada Lovelace"},
            "cudaComputeCapability": {"version": "8.9.0"},
        },
        "capacity": {"memory": {"value": "23034Mi"}},
    }


def test_a_driver_without_gpus_publishes_nothing():
    found = advertised(here := node("m7i.large"), pods_on(here, [tolerating_everything()]), {})

    assert found.devices == ()
    assert found.notes == ("dra-driver: the node has no NVIDIA GPU",)


def tolerating_everything():
    """The DRA driver's DaemonSet, on every node."""
    (driver,) = daemon_sets(*released(components.DraDriver, {"kubeletPlugin": {"affinity": {"nodeAffinity": None}}}))
    driver["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    return driver


def test_two_that_hand_out_the_same_gpus_are_told():
    here = node("g6.2xlarge")
    found = advertised(here, pods_on(here, [*every_daemon_set(), tolerating_everything()]), configurations())

    assert (found.resources, len(found.devices)) == ({"nvidia.com/gpu": 1}, 1)
    assert "dra-driver: the device plugin on this node hands out the same GPUs" in found.notes


# Pods that are not there.


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda pod: pod["spec"].update(nodeName="another"), id="elsewhere"),
        pytest.param(lambda pod: pod["status"].update(phase="Pending"), id="pending"),
        pytest.param(lambda pod: pod["metadata"].update(deletionTimestamp="2026-11-20T00:00:00Z"), id="going"),
        pytest.param(lambda pod: pod["metadata"]["labels"].pop(roles.ROLE_LABEL), id="another-program"),
    ],
)
def test_a_pod_that_does_not_run_here_adds_nothing(change):
    here = node()
    pods = pods_on(here, daemon_sets(*released(components.NvidiaDevicePlugin)))
    for pod in pods:
        change(pod)

    assert advertised(here, pods, configurations()) == NodeAdvertisement()


def test_a_taint_of_one_s_own_leaves_the_node_without_gpus():
    taints = [{"key": "team", "value": "ml", "effect": "NoSchedule"}]

    assert settled(node(taints=taints), configurations()).resources == {}


def test_two_plugins_on_one_node_are_said():
    here = node()
    pods = pods_on(here, every_daemon_set())

    assert f"{roles.NVIDIA_DEVICE_PLUGIN}: 2 pods on one node" in advertised(here, pods * 2, configurations()).notes


# NVIDIA.


@pytest.mark.parametrize(
    ("shared", "resources"),
    [
        pytest.param(EXCLUSIVE, {"nvidia.com/gpu": 4}, id="exclusive"),
        pytest.param(SHARED, {"nvidia.com/gpu": 16}, id="time-sliced"),
        pytest.param(RENAMED, {"nvidia.com/gpu.shared": 16}, id="renamed"),
    ],
)
def test_whole_nodes(shared, resources, snapshot):
    found = settled(node("g6.12xlarge", shared), configurations(SHARED, RENAMED))

    assert found.resources == resources
    assert found.labels == snapshot


def test_a_node_without_the_label_gets_the_default_where_a_plugin_reaches_it():
    """The components' own release does not: its affinity wants the label."""
    here = node(labels={"nvidia.com/gpu.present": "true"})
    chart_s_affinity = released(
        components.NvidiaDevicePlugin,
        {"affinity": {}, "config": {"name": CONFIG_MAP, "default": "time-slicing-4"}, "nfd": {"enabled": False}},
    )

    assert settled(node(labels={"nvidia.com/gpu.present": "true"}), configurations(SHARED)).resources == {}
    assert settled(here, configurations(SHARED), daemon_sets(*chart_s_affinity)).resources == {"nvidia.com/gpu": 4}


@pytest.mark.parametrize(
    ("here", "config_maps", "words"),
    [
        pytest.param(
            relabelled(node(), "time-slicing-9"),
            configurations(),
            "names 'time-slicing-9', which the ConfigMap nvidia-device-plugin/configs-1a2b3c4d does not have",
            id="unknown-key",
        ),
        pytest.param(node(), {}, "its containers are not created, since the ConfigMap", id="no-configmap"),
        pytest.param(
            relabelled(node(), "bad"),
            configurations(bad="sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}"),
            "refuses its configuration: sharing.timeSlicing.resources[0].replicas: 1",
            id="refused",
        ),
        pytest.param(node(ami_type="AL2023_x86_64_STANDARD"), configurations(), "has no NVIDIA driver", id="no-driver"),
        pytest.param(
            node("m7i.large", labels={"nvidia.com/gpu.present": "true", LABEL: "exclusive"}),
            configurations(),
            "the node has no NVIDIA GPU",
            id="no-gpu",
        ),
    ],
)
def test_a_plugin_that_adds_nothing_says_why(here, config_maps, words):
    found = settled(here, config_maps)
    by_role = dict(note.split(": ", 1) for note in found.notes)

    assert found.resources == {}
    assert not [label for label in found.labels if label.startswith("nvidia.com/")]
    # The plugin and GPU Feature Discovery read the same configuration and look at the same hardware.
    assert words in by_role[roles.NVIDIA_DEVICE_PLUGIN]
    assert words in by_role[roles.GPU_FEATURE_DISCOVERY]


# MPS.


def mps(replicas=4, **values):
    text = MPS.replace("replicas: 4", f"replicas: {replicas}")
    return (
        relabelled(node(), "mps"),
        configurations(mps=text),
        daemon_sets(*released(components.NvidiaDevicePlugin, values)),
    )


def test_mps_takes_its_control_daemon_which_discovery_brings():
    here, config_maps, sets = mps()
    first = advertised(here, pods_on(here, sets), config_maps)
    found = settled(here, config_maps, sets)

    assert first.resources == {}
    assert first.notes == ("nvidia-device-plugin: MPS needs the mps-control-daemon on this node, and it is not here",)
    assert first.labels["nvidia.com/mps.capable"] == "true"
    assert found.resources == {"nvidia.com/gpu": 4}
    assert found.labels["nvidia.com/gpu.sharing-strategy"] == "mps"
    assert found.notes == ()


def test_mps_without_discovery_never_starts():
    found = settled(*mps(gfd={"enabled": False}))

    assert found.resources == {}
    assert found.notes == (
        "nvidia-device-plugin: MPS needs the gpu-feature-discovery on this node, and it is not here",
    )


def test_mps_has_a_limit_of_clients():
    assert settled(*mps(48)).resources == {"nvidia.com/gpu": 48}
    assert "at most 48 clients" in settled(*mps(49)).notes[0]


# MIG.

MIXED = Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}] * 6 + [{}] * 2))
SINGLE = Sharing("mig", mig=Partitioning.of("single", [{"1g.10gb": 7}]))
MIXED_SHARED = Sharing("mig", 2, renamed=True, mig=Partitioning.of("mixed", [{"3g.40gb": 2}]))
MIG_SHARINGS = [
    pytest.param(
        MIXED, {"nvidia.com/gpu": 2, "nvidia.com/mig-3g.40gb": 6, "nvidia.com/mig-1g.10gb": 24}, id="mixed-and-whole"
    ),
    pytest.param(SINGLE, {"nvidia.com/gpu": 56}, id="single"),
    pytest.param(MIXED_SHARED, {"nvidia.com/mig-3g.40gb.shared": 32}, id="mixed-time-sliced"),
]


def divided(shared, wanted=None, **changes):
    """A node of eight H100, divided as ``wanted`` or else as its sharing says."""
    layout = layout_text(instance_types.get("p5.48xlarge"), (wanted or shared).mig)
    return node("p5.48xlarge", shared, mig_layout=layout, **changes)


@pytest.mark.parametrize(("shared", "resources"), MIG_SHARINGS)
def test_instances_of_mig(shared, resources, snapshot):
    found = settled(divided(shared), configurations(shared))

    assert found.resources == resources == sharing.advertised(instance_types.get("p5.48xlarge"), shared)
    assert {key: value for key, value in found.labels.items() if "mig" in key or "gpu." in key} == snapshot
    assert found.notes == ()


@given(
    kind=st.sampled_from([kind for kind in OURS if mig.gpu_of(kind)]),
    strategy=st.sampled_from(["single", "mixed"]),
    replicas=st.integers(1, 3),
    renamed=st.booleans(),
    data=st.data(),
)
def test_any_layout_of_any_gpu_is_advertised_as_the_plan_promises(kind, strategy, replicas, renamed, data):
    possible = [one for one in mig.layouts(mig.gpu_of(kind)) if strategy == "mixed" or len(one) == 1]
    partitioning = Partitioning.of(strategy, [data.draw(st.sampled_from(possible))])
    shared = Sharing("mig", replicas, renamed=renamed and replicas > 1, mig=partitioning)
    here = node(kind.name, shared, mig_layout=layout_text(kind, partitioning))

    assert settled(here, configurations(shared)).resources == sharing.advertised(kind, shared)


def test_single_refuses_gpus_that_are_not_alike():
    found = settled(divided(SINGLE, wanted=MIXED), configurations(SINGLE))

    assert found.resources == {}
    assert "single: 2 of the GPUs are not in MIG mode" in found.notes[0]


def test_mps_stays_off_divided_gpus():
    here = relabelled(divided(SINGLE), "mps-4")

    found = settled(here, configurations(Sharing("mps", 4)))

    assert found.resources == {}
    assert found.labels["nvidia.com/mps.capable"] == "false"


# Images that run a plugin of their own.

BOTTLEROCKET = {"ami_type": "BOTTLEROCKET_x86_64_NVIDIA", "labels": {"nvidia.com/gpu.present": "true"}}


def own_plugin(body):
    return f"[settings.kubelet-device-plugins.nvidia]\n{body}"


@pytest.mark.parametrize(
    ("settings", "resources", "notes"),
    [
        pytest.param("", {"nvidia.com/gpu": 1}, (), id="whole"),
        pytest.param(
            own_plugin(
                'device-sharing-strategy = "time-slicing"\n'
                "[settings.kubelet-device-plugins.nvidia.time-slicing]\nreplicas = 3\nrename-by-default = true\n"
            ),
            {"nvidia.com/gpu.shared": 3},
            (),
            id="time-sliced",
        ),
        pytest.param(
            own_plugin('device-partitioning-strategy = "mig"\n'),
            {"nvidia.com/gpu": 1},
            (),
            id="no-mig-to-divide-it-by",
        ),
    ],
)
def test_bottlerocket_needs_no_pod(settings, resources, notes):
    found = settled(node(**BOTTLEROCKET, bottlerocket_settings=settings), {})

    assert (found.resources, found.notes) == (resources, notes)


@pytest.mark.parametrize(
    ("profile", "resources", "notes"),
    [
        pytest.param("3g.40gb", {"nvidia.com/gpu": 16}, (), id="as-often-as-it-fits"),
        pytest.param("4g.40gb", {"nvidia.com/gpu": 8}, (), id="not-known-so-the-whole-gpu"),
        pytest.param(
            "1g.10gb+me",
            {},
            ("image: its settings take no profile 1g.10gb+me, and the node does not join",),
            id="refused",
        ),
    ],
)
def test_bottlerocket_divides_every_gpu_alike(profile, resources, notes):
    text = own_plugin(
        'device-partitioning-strategy = "mig"\n'
        f'[settings.kubelet-device-plugins.nvidia.mig.profile]\n"h100.80gb" = "{profile}"\n'
    )
    found = settled(node("p5.48xlarge", **BOTTLEROCKET, bottlerocket_settings=text), {})

    assert (found.resources, found.notes) == (resources, notes)


def test_a_second_plugin_on_bottlerocket_is_said():
    here = node(**{**BOTTLEROCKET, "labels": {"nvidia.com/gpu.present": "true", LABEL: "exclusive"}})
    found = settled(here, configurations())

    assert found.resources == {"nvidia.com/gpu": 1}
    assert "runs the plugin itself" in found.notes[0]


# Neuron, EFA.


@pytest.mark.parametrize(
    ("instance_type", "resources"),
    [
        pytest.param("trn1.32xlarge", {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 32}, id="trn1"),
        pytest.param("inf2.xlarge", {"aws.amazon.com/neuron": 1, "aws.amazon.com/neuroncore": 2}, id="inf2"),
        pytest.param(
            "trn2.48xlarge", {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 64}, id="trn2-logical"
        ),
    ],
)
def test_neuron_devices_and_cores(instance_type, resources):
    assert settled(node(instance_type), configurations()).resources == resources


def test_logical_cores_are_as_the_user_data_says():
    found = settled(node("trn2.48xlarge", logical_core_size="1"), configurations())

    assert found.resources == {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 128}


def test_without_the_neuron_driver_there_are_no_devices():
    found = settled(node("trn1.2xlarge", ami_type="AL2023_x86_64_STANDARD"), configurations())

    assert found.resources == {}
    assert found.notes == ("neuron-device-plugin: the image AL2023_x86_64_STANDARD has no Neuron driver",)


@pytest.mark.parametrize("image", ["AL2023_x86_64_NEURON", "BOTTLEROCKET_x86_64", "CUSTOM"])
def test_images_with_the_neuron_driver(image):
    assert settled(node("trn1.2xlarge", ami_type=image), configurations()).resources


def test_a_neuron_plugin_without_devices_says_so():
    here = node("trn1.2xlarge")
    pods = pods_on(here, every_daemon_set())
    here["metadata"]["labels"]["node.kubernetes.io/instance-type"] = "m7i.large"

    assert advertised(here, pods, {}).notes == ("neuron-device-plugin: the node has no Neuron device",)


def test_an_efa_plugin_without_an_interface_says_so():
    """A label promises what the launch template did not attach."""
    here = node("p5.48xlarge")
    here["metadata"]["labels"]["vpc.amazonaws.com/efa.present"] = "true"
    found = settled(here, configurations())

    assert found.resources == {"nvidia.com/gpu": 8}
    assert found.notes == ("efa-device-plugin: it restarts for ever, since no EFA interface is attached",)
