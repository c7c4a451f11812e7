"""What the stand-ins make of values: of the components' own, of none, and of wrong ones."""

import kubernetes_validate
import pytest

from eks_accelerators import components
from eks_accelerators.accelerators import data, instance_types, kubernetes_versions, scheduling
from eks_accelerators.components.charts import catalogue
from eks_accelerators.simulator.kubernetes import charts, roles
from tests.simulator.kubernetes.monitoring_charts import CASES as MONITORING
from tests.simulator.kubernetes.paper_cluster import CONFIG_MAP, NVIDIA_NAMESPACE, RELEASED, daemon_sets, released

NVIDIA, EFA, DCGM = "nvidia-device-plugin", "aws-efa-k8s-device-plugin", "dcgm-exporter"
DRA = "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
GPUS_CLAIMED = {"gpuResourcesEnabledOverride": True, "resources": {"computeDomains": {"enabled": False}}}
NEURON = "oci://public.ecr.aws/neuron/neuron-helm-chart"
VERSION = kubernetes_versions.default()
OF_A_CHART = ("nvidia.com/", "monitoring.coreos.com/")
"""Kinds that charts bring."""
OFF = {"npd": {"enabled": False}}
OPERATOR, KEDA = "gpu-operator", "keda"
HOST_HAS_IT = {
    "driver": {"enabled": False},
    "toolkit": {"enabled": False},
    "dcgmExporter": {"serviceMonitor": {"enabled": False}},
}


def rendered(chart, values=None, *, release="r", namespace="n"):
    return charts.manifests(chart, version="0.20.0", release=release, namespace=namespace, values=values or {})


def of(manifests, kind, name=None):
    return [m for m in manifests if m["kind"] == kind and name in (None, m["metadata"]["name"])]


def pod(manifests, role):
    (found,) = [
        one["spec"]["template"]["spec"]
        for one in daemon_sets(*manifests)
        if one["spec"]["template"]["metadata"]["labels"][roles.ROLE_LABEL] == role
    ]
    return found


def test_every_chart_of_the_catalogue_has_a_stand_in():
    assert {entry["chart"] for entry in catalogue().values() if "chart" in entry} == set(charts.CHARTS)


@pytest.mark.parametrize("component", RELEASED)
def test_what_the_components_release_is_what_it_was(component, snapshot):
    assert released(component) == snapshot


VALUES = [
    pytest.param(NVIDIA, {}, id="nvidia-alone"),
    pytest.param(NVIDIA, {"gfd": {"enabled": True}}, id="nvidia-with-discovery"),
    pytest.param(NVIDIA, {"config": {"map": {"a": "version: v1"}}}, id="nvidia-own-configuration"),
    pytest.param(NVIDIA, {"devicePlugin": {"enableHostNetwork": True}, "compatWithCPUManager": True}, id="nvidia-host"),
    pytest.param(NEURON, OFF, id="neuron"),
    pytest.param(EFA, {}, id="efa"),
    pytest.param(DRA, GPUS_CLAIMED, id="dra"),
    pytest.param(DCGM, {"serviceMonitor": {"enabled": False}}, id="dcgm"),
    pytest.param(KEDA, {}, id="keda"),
    pytest.param(OPERATOR, HOST_HAS_IT, id="operator"),
    *(pytest.param(*case, id=name.replace(" ", "-")) for name, case in MONITORING.items()),
    pytest.param(
        OPERATOR,
        {**HOST_HAS_IT, "migManager": {"config": {"name": "layouts"}}, "mig": {"strategy": ""}},
        id="operator-with-layouts",
    ),
    pytest.param(
        DCGM,
        {
            "serviceMonitor": {"enabled": False},
            "hostNetwork": True,
            "kubernetes": {"enablePodLabels": True},
            "kubernetesDRA": {"enabled": True},
        },
        id="dcgm-all",
    ),
]


@pytest.mark.parametrize(("chart", "values"), VALUES)
def test_every_object_is_valid(chart, values):
    made = rendered(chart, values)

    assert made
    for manifest in made:
        if manifest["apiVersion"].startswith(OF_A_CHART):
            continue
        kubernetes_validate.validate(manifest, VERSION, strict=True)


@pytest.mark.parametrize(("chart", "values"), VALUES)
def test_pods_are_selected_by_their_own_workload(chart, values):
    for manifest in rendered(chart, values):
        if manifest["kind"] in ("DaemonSet", "Deployment"):
            labels = manifest["spec"]["template"]["metadata"]["labels"]
            assert manifest["spec"]["selector"]["matchLabels"].items() <= labels.items()
            assert {"app.kubernetes.io/name", "app.kubernetes.io/instance"} <= labels.keys()


@pytest.mark.parametrize(("chart", "values"), VALUES)
def test_every_account_that_a_pod_uses_is_made(chart, values):
    made = rendered(chart, values)
    accounts = {account["metadata"]["name"] for account in of(made, "ServiceAccount")}

    for manifest in (*of(made, "DaemonSet"), *of(made, "Deployment")):
        used = manifest["spec"]["template"]["spec"].get("serviceAccountName")
        assert used in accounts or (used is None and chart == EFA)
    for manifest in (*of(made, "RoleBinding"), *of(made, "ClusterRoleBinding")):
        assert manifest["subjects"][0]["name"] in accounts


def test_definitions_and_accounts_come_before_what_needs_them():
    kinds = [manifest["kind"] for manifest in rendered(NVIDIA, {"gfd": {"enabled": True}})]

    assert kinds.index("ServiceAccount") < kinds.index("CustomResourceDefinition") < kinds.index("DaemonSet")


def test_an_object_has_the_release_s_namespace_unless_it_belongs_to_the_cluster():
    for manifest in rendered(NVIDIA, {"gfd": {"enabled": True}}, namespace="there"):
        of_cluster = manifest["kind"].startswith("Cluster") or manifest["kind"] == "CustomResourceDefinition"
        assert manifest["metadata"].get("namespace") == (None if of_cluster else "there")


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        pytest.param("r", "r-nvidia-device-plugin", id="short"),
        pytest.param("nvidia-device-plugin-1a2b", "nvidia-device-plugin-1a2b", id="has-the-chart-s-name"),
        pytest.param("r" * 50, f"{'r' * 50}-nvidia-devic", id="cut"),
    ],
)
def test_names_follow_the_release(release, expected):
    assert of(rendered(NVIDIA, release=release), "DaemonSet")[0]["metadata"]["name"] == expected


# The device plugin.


def test_without_values_the_plugin_goes_where_discovery_or_a_label_says():
    required = pod(rendered(NVIDIA), roles.NVIDIA_DEVICE_PLUGIN)["affinity"]["nodeAffinity"]
    terms = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [term["matchExpressions"][0]["key"] for term in terms] == [
        "feature.node.kubernetes.io/pci-10de.present",
        "feature.node.kubernetes.io/cpu-model.vendor_id",
        "nvidia.com/gpu.present",
    ]


def test_affinity_given_is_merged_as_helm_does():
    """A mapping is merged, so pod affinity alone leaves the chart's node affinity in place."""
    affinity = pod(rendered(NVIDIA, {"affinity": {"podAffinity": {}}}), roles.NVIDIA_DEVICE_PLUGIN)["affinity"]
    none = pod(rendered(NVIDIA, {"affinity": {"nodeAffinity": None}}), roles.NVIDIA_DEVICE_PLUGIN)

    assert set(affinity) == {"podAffinity", "nodeAffinity"}
    assert "affinity" not in none


def test_the_discovery_worker_tolerates_a_taint_that_nobody_sets():
    worker = pod(rendered(NVIDIA, {"gfd": {"enabled": True}}), roles.NODE_FEATURE_DISCOVERY_WORKER)

    assert not any(scheduling.tolerates(given, scheduling.NVIDIA.taint) for given in worker["tolerations"])
    assert {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"} in worker[
        "tolerations"
    ]


@pytest.mark.parametrize(
    ("values", "discovered", "described"),
    [
        pytest.param({}, False, False, id="neither"),
        pytest.param({"gfd": {"enabled": True}}, True, True, id="gfd-brings-nfd"),
        pytest.param({"gfd": {"enabled": True}, "nfd": {"enabled": False}}, False, True, id="nfd-off"),
        pytest.param({"nfd": {"enabled": True}}, True, False, id="nfd-alone"),
    ],
)
def test_discovery_is_installed_where_values_say_so(values, discovered, described):
    made = rendered(NVIDIA, values)
    present = {one["spec"]["template"]["metadata"]["labels"][roles.ROLE_LABEL] for one in daemon_sets(*made)}

    assert (roles.NODE_FEATURE_DISCOVERY_WORKER in present) is discovered
    assert (roles.GPU_FEATURE_DISCOVERY in present) is described
    assert len(of(made, "CustomResourceDefinition")) == (3 if discovered else 0)
    assert len(of(made, "Deployment")) == (2 if discovered else 0)
    assert {roles.NVIDIA_DEVICE_PLUGIN, roles.MPS_CONTROL_DAEMON} <= present


def test_without_the_plugin_there_is_no_control_daemon():
    made = rendered(NVIDIA, {"devicePlugin": {"enabled": False}, "gfd": {"enabled": True}})

    assert {one["metadata"]["name"] for one in of(made, "DaemonSet")} == {
        "r-nvidia-device-plugin-gpu-feature-discovery",
        "r-node-feature-discovery-worker",
    }


def test_the_control_daemon_waits_for_discovery_s_label():
    made = rendered(NVIDIA, {"nodeSelector": {"a": "b"}})

    assert pod(made, roles.MPS_CONTROL_DAEMON)["nodeSelector"] == {"nvidia.com/mps.capable": "true", "a": "b"}


def test_pods_mount_the_configurations_that_a_value_names():
    made = released(components.NvidiaDevicePlugin)

    for role in (roles.NVIDIA_DEVICE_PLUGIN, roles.GPU_FEATURE_DISCOVERY, roles.MPS_CONTROL_DAEMON):
        volumes = {volume["name"]: volume for volume in pod(made, role)["volumes"]}
        assert volumes["available-configs"]["configMap"]["name"] == CONFIG_MAP
    assert of(made, "ConfigMap", CONFIG_MAP) == []


def test_the_chart_s_own_configmap_restarts_the_pods_when_it_changes():
    def checksum(text):
        made = rendered(NVIDIA, {"config": {"map": {"a": text}}})
        assert of(made, "ConfigMap", "r-nvidia-device-plugin-configs")[0]["data"] == {"a": text}
        return of(made, "DaemonSet")[0]["spec"]["template"]["metadata"]["annotations"]["checksum/config"]

    assert checksum("version: v1") == checksum("version: v1") != checksum("version: v1\nflags: {}")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}, id="nothing-to-share"),
        pytest.param({"config": {"name": "c"}}, {"capabilities": {"add": ["SYS_ADMIN"]}}, id="any-configuration"),
        pytest.param(
            {"config": {"name": "c"}, "migStrategy": "none"},
            {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            id="never-mig",
        ),
        pytest.param({"migStrategy": "mixed"}, {"capabilities": {"add": ["SYS_ADMIN"]}}, id="mig"),
        pytest.param({"compatWithCPUManager": True}, {"privileged": True}, id="cpu-manager"),
        pytest.param({"securityContext": {"runAsUser": 0}}, {"runAsUser": 0}, id="given"),
    ],
)
def test_the_plugin_has_the_chart_s_rights(values, expected):
    main = pod(rendered(NVIDIA, values), roles.NVIDIA_DEVICE_PLUGIN)["containers"][-1]

    assert main["securityContext"] == expected


def test_flags_that_are_set_override_the_configuration():
    made = pod(rendered(NVIDIA, {"mofedEnabled": False, "migStrategy": "single"}), roles.NVIDIA_DEVICE_PLUGIN)
    environment = {entry["name"]: entry.get("value") for entry in made["containers"][-1]["env"]}

    assert (environment["MOFED_ENABLED"], environment["MIG_STRATEGY"]) == ("false", "single")
    assert "FAIL_ON_INIT_ERROR" not in environment


# The others.


def test_the_neuron_plugin_goes_to_the_listed_types_in_kube_system():
    made = rendered(NEURON, {**OFF, "neuronInstances": ["trn1.2xlarge"]}, namespace="elsewhere")
    (plugin,) = of(made, "DaemonSet")
    required = plugin["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    (term,) = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert plugin["metadata"]["namespace"] == "kube-system"
    assert term["matchExpressions"][0]["values"] == ["trn1.2xlarge"]
    assert plugin["spec"]["selector"]["matchLabels"]["name"] == "neuron-device-plugin-ds"


def test_the_efa_plugin_adds_tolerations_to_a_fixed_one():
    made = rendered(EFA, {"tolerations": [{"key": "a", "operator": "Exists"}]})

    assert [given["key"] for given in pod(made, roles.EFA_DEVICE_PLUGIN)["tolerations"]] == ["CriticalAddonsOnly", "a"]


def test_the_efa_plugin_goes_to_the_listed_types_but_not_of_auto_mode():
    """As the template writes it: once, behind the last of the keys."""
    made = rendered(EFA, {"supportedInstanceLabels": {"keys": ["a", "b"]}})
    required = pod(made, roles.EFA_DEVICE_PLUGIN)["affinity"]["nodeAffinity"]
    terms = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    kinds = [[one["key"] for one in term["matchExpressions"]] for term in terms]

    assert kinds == [["a"], ["b", "eks.amazonaws.com/compute-type"]]
    assert {"g7.48xlarge", "p6e-gb200.36xlarge", "c5n.18xlarge"} <= set(terms[0]["matchExpressions"][0]["values"])


LISTS = data.load("charts-instance-types")


def test_the_lists_of_types_are_of_the_charts_that_are_installed():
    pinned = {chart["chart"].rpartition("/")[2]: chart["version"] for chart in catalogue().values() if "chart" in chart}

    assert {name: LISTS[name]["version"] for name in LISTS if name != "sources"} == {
        name: pinned[name] for name in ("aws-efa-k8s-device-plugin", "neuron-helm-chart")
    }


@pytest.mark.parametrize(
    ("chart", "carries"),
    [
        pytest.param("aws-efa-k8s-device-plugin", lambda kind: kind.network.supports_efa, id="efa"),
        pytest.param("neuron-helm-chart", lambda kind: kind.neuron, id="neuron"),
    ],
)
def test_every_type_of_ours_that_carries_the_devices_is_in_the_chart_s_list(chart, carries):
    """A type outside of it would have no pod of the plugin, and nothing would say so."""
    types = LISTS[chart]["types"]

    assert {kind.name for kind in instance_types.every() if carries(kind)} <= set(types)
    assert len(types) == len(set(types))


def test_the_exporter_has_its_counters_under_a_fixed_name():
    made = released(components.DcgmExporter)
    (counters,) = of(made, "ConfigMap")

    assert counters["metadata"]["name"] == "exporter-metrics-config-map"
    assert "DCGM_FI_DEV_GPU_UTIL" in counters["data"]["metrics"]


def test_a_service_monitor_is_made_by_default_but_its_definition_is_not():
    made = rendered(DCGM)

    assert len(of(made, "ServiceMonitor")) == 1
    assert of(made, "CustomResourceDefinition") == []


@pytest.mark.parametrize("claimed", [True, False])
def test_the_exporter_reads_slices_where_gpus_are_claimed(claimed):
    made = rendered(DCGM, {"kubernetesDRA": {"enabled": claimed}})
    (container,) = pod(made, roles.DCGM_EXPORTER)["containers"]
    read = {resource for role in of(made, "ClusterRole") for rule in role["rules"] for resource in rule["resources"]}

    assert ({"name": "KUBERNETES_ENABLE_DRA", "value": "true"} in container["env"]) is claimed
    assert ("resourceslices" in read) is claimed


# What is refused.


def test_an_unknown_chart_is_named_with_those_that_are_known():
    with pytest.raises(charts.UnknownChartError, match=r"'kueue'; known: .*dcgm-exporter"):
        rendered("kueue")


@pytest.mark.parametrize(
    ("chart", "values", "path", "suggestion"),
    [
        pytest.param(NVIDIA, {"toleration": []}, "toleration", "tolerations", id="top"),
        pytest.param(
            NVIDIA,
            {"nfd": {"worker": {"toleration": []}}},
            "nfd.worker.toleration",
            "nfd.worker.tolerations",
            id="deep",
        ),
        pytest.param(NVIDIA, {"config": {"nme": "c"}}, "config.nme", "config.name", id="own-config"),
        pytest.param(NEURON, {**OFF, "nodeSelector": {}}, "nodeSelector", None, id="not-read-by-the-chart"),
        pytest.param(EFA, {"affinity": {}}, "affinity", None, id="efa"),
        pytest.param(
            DCGM, {"serviceMonitor": {"enable": False}}, "serviceMonitor.enable", "serviceMonitor.enabled", id="dcgm"
        ),
    ],
)
def test_a_value_that_the_chart_does_not_read_is_refused(chart, values, path, suggestion):
    with pytest.raises(charts.UnknownValueError) as refused:
        rendered(chart, values)

    assert (refused.value.path, refused.value.suggestion) == (path, suggestion)
    assert path in str(refused.value)


def test_what_is_kubernetes_own_or_a_program_s_is_not_looked_into():
    values = {
        "nodeSelector": {"a": "b"},
        "affinity": {"podAntiAffinity": {}},
        "updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}},
        "nfd": {"worker": {"config": {"core": {"sleepInterval": "60s"}}}},
        "gfd": {"enabled": True},
        "global": {"imagePullSecrets": []},
    }
    made = rendered(NVIDIA, values)

    assert (
        "sleepInterval: 60s"
        in of(made, "ConfigMap", "r-node-feature-discovery-worker-conf")[0]["data"]["nfd-worker.conf"]
    )


MAP = {"a": "version: v1", "b": "version: v1"}


@pytest.mark.parametrize(
    ("chart", "values", "namespace", "words"),
    [
        pytest.param(NVIDIA, {"config": {"name": "c", "map": MAP}}, "n", "exclude each other", id="name-and-map"),
        pytest.param(
            NVIDIA, {"config": {"map": MAP}}, "n", "2 configurations and none is the default", id="no-default"
        ),
        pytest.param(NVIDIA, {}, "default", "namespace default", id="default-namespace"),
        pytest.param(NVIDIA, {"namespace": "n"}, "n", "no value any more", id="namespace-value"),
        pytest.param(
            NEURON,
            {**OFF, "draDriver": {"enabled": True}, "scheduler": {"enabled": True}},
            "n",
            "draDriver and scheduler",
            id="dra-and-scheduler",
        ),
        pytest.param(
            NEURON,
            {**OFF, "scheduler": {"enabled": True, "defaultScheduler": {"enabled": True}}},
            "n",
            "customScheduler and defaultScheduler",
            id="two-schedulers",
        ),
        pytest.param(
            NEURON,
            {**OFF, "ultraserverOperator": {"enabled": True}},
            "n",
            "ultraserverOperator needs draDriver",
            id="operator-without-dra",
        ),
        pytest.param(
            NEURON,
            {**OFF, "devicePlugin": {"enabled": False}, "scheduler": {"enabled": True}},
            "n",
            "scheduler needs devicePlugin",
            id="scheduler-alone",
        ),
        pytest.param(DRA, GPUS_CLAIMED, "default", "'default' namespace", id="claims-in-the-default-namespace"),
        pytest.param(
            DRA,
            {**GPUS_CLAIMED, "gpuResourcesEnabledOverride": False},
            "n",
            "gpuResourcesEnabledOverride=true",
            id="claims-without-the-promise",
        ),
    ],
)
def test_what_the_chart_s_templates_refuse(chart, values, namespace, words):
    with pytest.raises(charts.ChartRefusalError, match=words):
        rendered(chart, values, namespace=namespace)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({"map": MAP, "default": "a"}, id="default"),
        pytest.param({"map": {**MAP, "default": ""}}, id="named"),
        pytest.param({"map": {"a": ""}}, id="single"),
        pytest.param({"map": MAP, "fallbackStrategies": ["empty"]}, id="empty"),
    ],
)
def test_a_default_is_found_in_four_ways(config):
    assert rendered(NVIDIA, {"config": config})


@pytest.mark.parametrize(
    ("chart", "values", "path"),
    [
        pytest.param(NEURON, {}, "npd.enabled", id="on-by-default"),
        pytest.param(NEURON, {**OFF, "scheduler": {"enabled": True}}, "scheduler.enabled", id="scheduler"),
        pytest.param(NEURON, {**OFF, "draDriver": {"enabled": True}}, "draDriver.enabled", id="dra-beside-the-plugin"),
        pytest.param(
            NEURON,
            {
                **OFF,
                "scheduler": {
                    "enabled": True,
                    "customScheduler": {"enabled": None},
                    "defaultScheduler": {"enabled": True},
                },
            },
            "scheduler.enabled",
            id="one-scheduler-since-null-takes-the-other-away",
        ),
        pytest.param(DRA, {}, "resources.computeDomains.enabled", id="compute-domains-are-on-by-default"),
        pytest.param(DCGM, {"tlsServerConfig": {"enabled": True}}, "tlsServerConfig.enabled", id="exporter-tls"),
        pytest.param(
            NVIDIA,
            {"gfd": {"enabled": True}, "nfd": {"topologyUpdater": {"enable": True}}},
            "nfd.topologyUpdater.enable",
            id="topology-updater",
        ),
    ],
)
def test_what_the_stand_in_cannot_install_is_said(chart, values, path):
    with pytest.raises(charts.ChartNotSimulatedError, match=path) as refused:
        rendered(chart, values)

    assert refused.value.path == path


def test_the_components_release_into_the_namespaces_that_they_make():
    assert {one["metadata"]["namespace"] for one in of(released(components.NvidiaDevicePlugin), "DaemonSet")} == {
        NVIDIA_NAMESPACE
    }


def test_manifests_are_the_caller_s_to_change():
    pod(rendered(NVIDIA), roles.NVIDIA_DEVICE_PLUGIN)["tolerations"].clear()

    assert pod(rendered(NVIDIA), roles.NVIDIA_DEVICE_PLUGIN)["tolerations"]


# KEDA.


def test_keda_runs_on_nodes_without_a_taint_and_reads_no_secrets_of_others():
    made = released(components.Keda)
    deployments = of(made, "Deployment")

    assert {one["metadata"]["name"] for one in deployments} == {
        "keda-operator",
        "keda-operator-metrics-apiserver",
        "keda-admission-webhooks",
    }
    for one in deployments:
        assert "tolerations" not in one["spec"]["template"]["spec"]
        assert one["spec"]["template"]["spec"]["nodeSelector"] == {"kubernetes.io/os": "linux"}
    rules = [rule for role in of(made, "ClusterRole") for rule in role["rules"]]
    assert not [rule for rule in rules if "secrets" in rule["resources"] or "*" in rule["apiGroups"]]


def test_with_the_chart_s_own_values_keda_reads_all_secrets_and_scales_whatever_there_is():
    rules = [rule for role in of(rendered(KEDA), "ClusterRole") for rule in role["rules"]]

    assert [rule for rule in rules if "secrets" in rule["resources"]]
    assert [rule for rule in rules if rule["resources"] == ["*/scale"]]


def test_keda_brings_its_kinds():
    kinds = {one["spec"]["names"]["kind"] for one in of(rendered(KEDA), "CustomResourceDefinition")}

    assert {"ScaledObject", "TriggerAuthentication"} <= kinds
    assert of(rendered(KEDA, {"crds": {"install": False}}), "CustomResourceDefinition") == []
