"""What KEDA is told of a server, and what stays with the server's own Deployment."""

import re
from zoneinfo import ZoneInfo

import pulumi
import pytest

from eks_accelerators.components import VllmServer
from eks_accelerators.components.scaled_object import queries, scaled_object_spec
from eks_accelerators.monitoring.metrics import series
from eks_accelerators.settings.autoscaling import autoscaling_of
from tests.components.examples import SERVED, deployed, run
from tests.monitoring.cases.case import labelled
from tests.monitoring.promql import labels_of
from tests.monitoring.promtool import PROMTOOL, judged
from tests.settings.example import check

ADDRESS = "http://prometheus-operated.monitoring.svc:9090"
OFFICE = {"start": "30 7 * * 1-5", "end": "0 19 * * 1-5", "timezone": "Europe/Berlin", "replicas": 2}
ASLEEP = {"min": 0, "max": 2, "schedule": [OFFICE]}
SCALED = {
    "serves_on": {**SERVED, "size": {"desired": 1, "max": 2}},
    "autoscaling": {"max": 2},
    "prometheus_address": ADDRESS,
}


def spec(region=None, **settings):
    patch = {"monitoring.prometheus": "stack", "workloads.vllm.qwen.autoscaling": {"max": 2, **settings}}
    (placed,) = check(patch).require().workloads
    return scaled_object_spec("qwen", "llm", autoscaling_of(placed.workload, placed.fit), ADDRESS, region=region)


def triggers(**settings):
    return {trigger["name"]: trigger for trigger in spec(**settings)["triggers"]}


def server(changes=None, **options):
    return deployed(VllmServer, {**SCALED, **(changes or {})}, name="llm-server", **options)


def test_everything_at_once(snapshot):
    assert spec(min=0, schedule=[OFFICE]) == snapshot


def test_the_sum_of_requests_is_shared_out_and_the_cache_is_a_mean():
    """A mean of requests would rise while servers start that answer nobody yet."""
    found = triggers()

    assert (found["concurrency"]["metricType"], found["concurrency"]["metadata"]["threshold"]) == ("AverageValue", "12")
    assert (found["kv-cache-use"]["metricType"], found["kv-cache-use"]["metadata"]["threshold"]) == ("Value", "0.8")


def test_no_answer_is_no_absence_of_load():
    assert {trigger["metadata"]["ignoreNullValues"] for trigger in triggers().values()} == {"false"}
    assert spec(min=2)["fallback"] == {
        "failureThreshold": 3,
        "replicas": 2,
        "behavior": "currentReplicasIfHigher",
    }


def test_a_fallback_of_zero_would_be_none():
    """KEDA 2.20 takes a server that is busy away when Prometheus is silent, and the fallback has 0 replicas."""
    assert spec(**ASLEEP)["fallback"]["replicas"] == 1


def test_fields_that_mean_nothing_beside_a_minimum_are_left_out():
    """KEDA's webhook warns of them."""
    assert not {"pollingInterval", "cooldownPeriod"} & spec().keys()
    assert {"pollingInterval", "cooldownPeriod"} <= spec(**ASLEEP).keys()


def test_the_cache_alone_wakes_nobody():
    metadata = triggers(**ASLEEP)["kv-cache-use"]["metadata"]

    assert metadata["activationThreshold"] == metadata["threshold"]


def test_all_values_of_triggers_are_text():
    """The CRD has a map of strings: a number is refused."""
    values = [value for trigger in spec(**ASLEEP)["triggers"] for value in trigger["metadata"].values()]

    assert values
    assert {type(value) for value in values} == {str}


def test_office_hours():
    assert triggers(**ASLEEP)["hours-0"]["metadata"] == {
        "timezone": "Europe/Berlin",
        "start": "30 7 * * 1-5",
        "end": "0 19 * * 1-5",
        "desiredReplicas": "2",
    }
    assert ZoneInfo("Europe/Berlin")


def test_one_metric_alone():
    assert list(triggers(metrics=["concurrency"])) == ["concurrency"]


@pytest.mark.parametrize(
    ("pod", "asked"),
    [
        pytest.param("llama-7c9f8d6b5-x2k4q", True, id="its-own"),
        pytest.param("llama-2-7c9f8d6b5-x2k4q", False, id="of-a-server-that-begins-alike"),
        pytest.param("my-llama-7c9f8d6b5-x2k4q", False, id="of-a-server-that-ends-alike"),
        pytest.param("llama-7c9f8d6b5", False, id="no-pod-of-a-deployment"),
    ],
)
def test_pods_of_one_server_and_no_other_are_asked_for(pod, asked):
    for query in queries("llama", "llm").values():
        found = re.search(r'pod=~"([^"]+)"', query)
        assert found
        assert bool(re.fullmatch(found[1], pod)) is asked  # Prometheus anchors its patterns too


def test_series_and_labels_are_those_of_the_catalogue():
    known = {name: metric.series[name] for name, metric in series().items()}

    for query in queries("llama", "llm").values():
        assert labels_of(query, known) == frozenset()


RUNNING, WAITING, CACHE = "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"
ITS_OWN, ANOTHER = ("llama-7c9f8d6b5-x2k4q", "llama-7c9f8d6b5-9zzrt"), "llama-2-7c9f8d6b5-x2k4q"


def shown(pod, running, waiting, cache):
    labels = {"namespace": "llm", "pod": pod, "model_name": "m", "engine": "0", "job": "vllm", "instance": pod}
    values = {RUNNING: running, WAITING: waiting, CACHE: cache}
    return {labelled(name, **labels): f"{value}x10" for name, value in values.items()}


def ready(count, name="llama"):
    labels = {"namespace": "llm", "deployment": name, "job": "kube-state-metrics", "instance": "k"}
    return {labelled("kube_deployment_status_replicas_ready", **labels): f"{count}x10"}


@pytest.mark.parametrize(
    ("series", "requests", "cache"),
    [
        pytest.param({**shown(ITS_OWN[0], 9, 3, 0.9), **shown(ITS_OWN[1], 2, 0, 0.1), **ready(2)}, 14, 0.5, id="two"),
        pytest.param({**shown(ITS_OWN[0], 0, 0, 0), **ready(1)}, 0, 0, id="idle"),
        pytest.param(
            {**shown(ITS_OWN[0], 5, 0, 0.2), **shown(ANOTHER, 90, 9, 1), **ready(1)}, 5, 0.2, id="not-another-s"
        ),
        pytest.param({**shown(ANOTHER, 90, 9, 1), **ready(0), **ready(1, "llama-2")}, 0, 0, id="none-ready"),
        pytest.param({**shown(ITS_OWN[0], 5, 0, 0.2)}, 5, 0.2, id="without-kube-state-metrics"),
        pytest.param({**ready(2)}, None, None, id="servers-that-nobody-scrapes"),
        pytest.param({}, None, None, id="no-series-at-all"),
    ],
)
@pytest.mark.skipif(PROMTOOL is None, reason="missing promtool. Run `make engines MORE=1`, or put it on PATH")
@pytest.mark.engines
def test_what_prometheus_answers(tmp_path, series, requests, cache):
    """KEDA takes one number, and no number for a failure."""
    asked = queries("llama", "llm")
    expected = {asked["concurrency"]: requests, asked["kvCacheUse"]: cache}
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": query,
                "eval_time": "5m",
                "exp_samples": [] if value is None else [{"labels": "{}", "value": value}],
            }
            for query, value in expected.items()
        ],
    }

    assert judged(tmp_path, [], [test]) == ""


# With the server.


def test_an_autoscaler_owns_the_number_of_servers():
    """It begins with the fewest; from then on nothing that is written matters."""
    deployment = server({"autoscaling": {"min": 2, "max": 2}}).one("Deployment")

    assert deployment.inputs["spec"]["replicas"] == 2
    assert list(deployment.raw.ignoreChanges) == ["spec.replicas"]


def test_without_one_the_number_is_what_the_settings_say():
    deployment = deployed(VllmServer, name="llm-server").one("Deployment")

    assert deployment.inputs["spec"]["replicas"] == 1
    assert list(deployment.raw.ignoreChanges) == []


def test_the_scaled_object_is_of_the_deployment():
    made = server()
    (scaled,) = made.of("ScaledObject")
    deployment = made.one("Deployment").inputs

    assert scaled.inputs["apiVersion"] == "keda.sh/v1alpha1"
    assert scaled.inputs["metadata"]["namespace"] == deployment["metadata"]["namespace"]
    assert scaled.inputs["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert made.of("TriggerAuthentication") == []


def test_no_scaled_object_unless_asked():
    assert deployed(VllmServer, name="llm-server").of("ScaledObject") == []


def test_amazon_s_prometheus_is_asked_with_the_rights_of_keda():
    made = server({"prometheus_address": "https://aps-workspaces.example.com", "prometheus_region": "us-east-2"})
    (scaled,), (authentication,) = made.of("ScaledObject"), made.of("TriggerAuthentication")

    assert authentication.inputs["spec"] == {"podIdentity": {"provider": "aws"}}
    for trigger in scaled.inputs["spec"]["triggers"]:
        assert trigger["authenticationRef"] == {"name": authentication.inputs["metadata"]["name"]}
        assert trigger["metadata"]["awsRegion"] == "us-east-2"


def test_an_address_that_is_only_known_later():
    """As that of a workspace of Amazon's: no rule can ask for it."""
    made = server({"prometheus_address": "later"}, preview=True)

    assert made.of("ScaledObject")
    outputs = run(VllmServer, lambda: {**SCALED, "prometheus_address": pulumi.Output.from_input(ADDRESS)})
    assert outputs.error is None


def test_who_may_be_away_is_not_waited_for():
    annotations = server({"autoscaling": ASLEEP}).one("Deployment").inputs["metadata"]["annotations"]

    assert annotations == {"pulumi.com/skipAwait": "true"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"prometheus_address": None}, "autoscaling-without-prometheus", id="nobody-to-ask"),
        pytest.param({"replicas": 2}, "autoscaling-beside-replicas", id="both"),
        pytest.param({"autoscaling": {"max": 3}}, "autoscaling-shares", id="more-than-there-is-room-for"),
        pytest.param({"autoscaling": {"min": 0, "max": 1}}, "autoscaling-from-zero", id="never-woken"),
    ],
)
def test_refused(changes, code):
    without = tuple(key for key, value in changes.items() if value is None)
    deployment = run(VllmServer, {**SCALED, **changes}, without=without)

    assert code in {problem.code for problem in deployment.error.problems}
