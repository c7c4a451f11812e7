"""What every model server promises, one word after the other, for every kind of the registry: a kind that is added has to keep it too."""

import json
from functools import cache

import pytest

from eks_accelerators.components import arguments as component_arguments
from eks_accelerators.components.workload_kinds import component_of
from eks_accelerators.settings.draining import PAUSE_SECONDS
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.server_kinds import NoMetrics
from eks_accelerators.settings.workload_kinds import KINDS, start_of
from tests.components.examples import EXAMPLES
from tests.components.examples import deployed as component_alone
from tests.model_servers import ASKED, patch
from tests.settings.example import check
from tests.test_program import deployed

SERVERS = {KINDS[model].key: model for model in KINDS if issubclass(model, Server)}
LARGEST = "meta-llama/Llama-3.3-70B-Instruct"

every_kind = pytest.mark.parametrize("kind", SERVERS)


def stack(**settings):
    """All kinds in one stack, with these settings of every server."""
    return _stack(json.dumps(settings))


@cache
def _stack(settings):
    made = deployed(patch(*SERVERS, **json.loads(settings)))
    assert made.error is None, made.error
    return made


def one(kind, resource, made=None):
    """The inputs of the one resource of that type that is the server's."""
    (found,) = of(kind, resource, made)
    return found.inputs


def of(kind, resource, made=None):
    name = kind.lower()
    return [each for each in (made or stack()).of(resource) if each.name in (name, f"{name}-route")]


def pod(kind, made=None):
    return one(kind, "Deployment", made)["spec"]["template"]["spec"]


def container(kind, made=None):
    (only,) = pod(kind, made)["containers"]
    return only


def test_every_kind_is_asked():
    assert set(ASKED) == set(SERVERS)


@every_kind
def test_fit_is_computed(kind):
    """More servers than the node group holds are refused, with the number that it does."""
    problems = check(patch(kind, replicas=999)).problems

    refused = [each for each in problems if each.path == f"workloads.{kind}.{kind.lower()}.replicas"]
    assert [each.severity for each in refused] == ["error"], [str(each) for each in problems]
    assert KINDS[SERVERS[kind]].fit


@every_kind
def test_a_server_has_the_least_privilege(kind):
    spec, only, account = pod(kind), container(kind), one(kind, "ServiceAccount")

    assert spec["automountServiceAccountToken"] is False
    assert spec["serviceAccountName"] == account["metadata"]["name"]
    assert account["automountServiceAccountToken"] is False
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert only["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
    assert not [volume for volume in spec["volumes"] if "hostPath" in volume]
    assert component_of(SERVERS[kind]).POD_SECURITY in ("baseline", "restricted")


@every_kind
def test_what_is_under_way_is_finished_before_a_server_goes(kind):
    """Proxies hear of it first. Then a server finishes by itself when it is told to end, or is told when it has had the time; one of
    TensorFlow does not hear that it is told, and works on until it is killed.
    """
    spec, only = pod(kind), container(kind)
    hook, grace = only["lifecycle"]["preStop"], spec["terminationGracePeriodSeconds"]
    words = [*only.get("args", ()), *only.get("command", ())]
    finishes = [word.partition("=") for word in words if word.startswith(("--exit-timeout-secs", "--shutdown-timeout"))]
    told_late = hook["sleep"]["seconds"] > PAUSE_SECONDS
    deaf = only["command"] == ["tensorflow_model_server"] if "command" in only else False

    assert hook["sleep"]["seconds"] >= PAUSE_SECONDS
    assert grace > hook["sleep"]["seconds"]
    assert [bool(finishes), told_late, deaf].count(True) == 1


@every_kind
def test_one_server_at_a_time_may_be_disrupted(kind):
    budget, deployment = one(kind, "PodDisruptionBudget")["spec"], one(kind, "Deployment")["spec"]

    assert budget["maxUnavailable"] == 1
    assert budget["selector"]["matchLabels"] == deployment["selector"]["matchLabels"]
    assert deployment["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


@every_kind
def test_servers_are_spread_or_packed_by_choice(kind):
    spread, packed = pod(kind), pod(kind, stack(placement="pack"))

    demanded = [each for each in spread["topologySpreadConstraints"] if each["whenUnsatisfiable"] == "DoNotSchedule"]
    assert [(each["topologyKey"], each["maxSkew"], each["minDomains"]) for each in demanded] == [
        ("kubernetes.io/hostname", 1, 2)
    ]
    assert "affinity" not in spread
    assert packed["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]


@every_kind
def test_probes_wait_for_the_start_that_is_known(kind):
    """Twice as long without the image, which the kubelet pulls before any probe; what follows is not asked until then."""
    placed = check(patch(kind)).require().workloads[0]
    only, start = container(kind), start_of(placed.workload, placed.fit)
    probe = only["startupProbe"]

    assert probe["periodSeconds"] * probe["failureThreshold"] >= 2 * start.without_image
    assert {"readinessProbe", "livenessProbe"} <= only.keys()


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        pytest.param("vllm", {"model": LARGEST, "tensorParallelSize": 8}, id="vllm"),
        pytest.param("nim", {"model": LARGEST, "tensorParallelSize": 8, "modelFree": True}, id="nim"),
        pytest.param("triton", {"vllm": {"model": LARGEST, "tensorParallelSize": 8}, "repository": None}, id="triton"),
    ],
)
def test_a_large_model_has_the_time_that_its_weights_take(kind, model):
    """141 GB come in three quarters of an hour, at the speed that was measured: a probe of ten minutes would start it anew for ever."""
    token = {"huggingFaceToken": {"existingSecret": "gated"}}
    group = {f"nodeGroups.{kind}": {"instanceType": "p5.48xlarge", "size": {"desired": 1, "max": 1}}}
    made = deployed({**patch(kind, **model, **token, replicas=1, volumes={}), **group})

    assert made.error is None, made.error
    probe = container(kind, made)["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] > 2 * 2640
    assert one(kind, "Deployment", made)["spec"]["progressDeadlineSeconds"] > 2 * 2640


@every_kind
def test_callers_are_named(kind):
    made = stack(networkPolicy={"namespaces": ["web"]})
    policy = one(kind, "NetworkPolicy", made)["spec"]

    clients, prometheus = policy["ingress"]
    assert clients["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "web"}}}]
    assert prometheus["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]
    assert {each["containerPort"] for each in container(kind)["ports"]} == {
        each["port"] for each in prometheus["ports"]
    }
    assert of(kind, "NetworkPolicy") == []


@every_kind
def test_prometheus_asks_a_port_that_it_declares(kind):
    deployment = one(kind, "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    monitors = [
        each
        for each in stack().of("PodMonitor")
        if each.inputs["spec"]["selector"]["matchLabels"].items() <= labels.items()
    ]

    if isinstance(KINDS[SERVERS[kind]].server.metrics, NoMetrics):
        assert monitors == []
        return
    (monitor,) = [each.inputs["spec"] for each in monitors]
    (endpoint,) = monitor["podMetricsEndpoints"]
    assert endpoint["portNumber"] in {each["containerPort"] for each in container(kind)["ports"]}
    assert monitor["namespaceSelector"]["matchNames"] == [deployment["metadata"]["namespace"]]


@every_kind
def test_a_request_is_shown_in_the_outputs(kind):
    key = f"{kind.lower()}Request"
    (request,) = [each[key] for each in stack().outputs.values() if key in each]

    assert f"port-forward service/{kind.lower()} " in request
    assert "curl http://127.0.0.1:" in request or "curl -X POST http://127.0.0.1:" in request


@every_kind
@pytest.mark.parametrize(
    ("exposure", "service", "routes"),
    [
        pytest.param({}, "ClusterIP", 0, id="cluster-ip"),
        pytest.param({"kind": "internalLoadBalancer"}, "LoadBalancer", 0, id="internal-load-balancer"),
        pytest.param({"kind": "gateway", "gateway": {"name": "models"}}, "ClusterIP", 1, id="gateway"),
    ],
)
def test_exposure_is_a_choice(kind, exposure, service, routes):
    made = stack(exposure=exposure)

    assert one(kind, "Service", made)["spec"]["type"] == service
    assert len(of(kind, "HTTPRoute", made)) == routes


@pytest.mark.parametrize("kind", [kind for kind in SERVERS if SERVERS[kind].SCALES_BY])
def test_one_that_follows_its_load_does_so_in_another_program_too(kind):
    """By itself a component has no stack that knows a Prometheus: it is told the address."""
    component, address = component_of(SERVERS[kind]), "http://prometheus.monitoring.svc:9090"
    follows = {"autoscaling": {"max": 2}, "prometheus_address": address}
    if kind == "neuronVllm":
        follows["serves_on"] = {**EXAMPLES[component]["serves_on"], "size": {"desired": 1, "max": 1}}

    scaled = component_alone(component, follows, name="server").one("ScaledObject").inputs["spec"]

    assert {trigger["metadata"]["serverAddress"] for trigger in scaled["triggers"]} == {address}
    assert len(scaled["triggers"]) == len(SERVERS[kind].SCALES_BY)


@every_kind
def test_only_one_that_follows_its_load_takes_an_address_to_ask(kind):
    shape = getattr(component_arguments, f"{KINDS[SERVERS[kind]].component}Args")

    assert ("prometheus_address" in shape.__required_keys__ | shape.__optional_keys__) is bool(SERVERS[kind].SCALES_BY)
