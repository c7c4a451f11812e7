"""What the `kubernetes` provider answers before it asks the API server of anything."""

from functools import partial
from pathlib import Path

import pytest
from pulumi.runtime.proto import provider_pb2

from eks_accelerators.simulator.kubernetes.charts.with_helm import Helm
from eks_accelerators.simulator.kubernetes.readiness import wait_until_ready
from eks_accelerators.simulator.providers import helm_release, kubernetes_provider
from eks_accelerators.simulator.providers.faults import Faults
from eks_accelerators.simulator.providers.kind import Created
from eks_accelerators.simulator.providers.kubernetes_provider import KubernetesProvider
from eks_accelerators.simulator.providers.values import to_python, to_struct
from tests.simulator.aws.accounts import CLUSTER, furnish, opened
from tests.simulator.providers.calls import AbortedError, Context

CONFIG_MAP, RELEASE = "kubernetes:core/v1:ConfigMap", "kubernetes:helm.sh/v3:Release"
SERVICE = "kubernetes:core/v1:Service"
OBJECT = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}


class AskedError(Exception):
    """The API server was asked."""


def asked():
    """In place of the API server's client."""
    raise AskedError


@pytest.fixture(scope="module")
def aws(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        furnish(aws)
        aws.state.contexts.append("kind-gpu")
        yield aws


def provider(aws, **configuration):
    made = KubernetesProvider(aws, asked, Faults(), lambda _: None)
    made.Configure(provider_pb2.ConfigureRequest(args=to_struct(configuration)), Context())
    return made


def urn(token):
    return f"urn:pulumi:test::project::{token}::It"


def check(aws, token, news, olds=None, seed=b"seed"):
    request = provider_pb2.CheckRequest(
        urn=urn(token), news=to_struct(news), olds=to_struct(olds or {}), randomSeed=seed
    )
    answer = provider(aws).Check(request, Context())
    return to_python(answer.inputs), [(each.property, each.reason) for each in answer.failures]


def diff(aws, token, olds, news):
    request = provider_pb2.DiffRequest(urn=urn(token), old_inputs=to_struct(olds), news=to_struct(news))
    answer = provider(aws).Diff(request, Context())
    return list(answer.replaces), answer.deleteBeforeReplace


def test_a_name_is_made_and_kept(aws):
    named, failures = check(aws, CONFIG_MAP, OBJECT)
    again, _ = check(aws, CONFIG_MAP, {**OBJECT, "data": {"a": "c"}}, named, b"another")

    assert failures == []
    assert named["metadata"]["name"].startswith("it-")
    assert named["metadata"]["annotations"] == {"pulumi.com/autonamed": "true"}
    assert again["metadata"] == named["metadata"]


def test_a_name_of_ones_own_is_not_taken_for_a_generated_one(aws):
    own = {**OBJECT, "metadata": {"name": "own"}}

    named, _ = check(aws, CONFIG_MAP, own)
    later, _ = check(aws, CONFIG_MAP, OBJECT, own)

    assert named == own
    assert later["metadata"]["name"] != "own"


def test_a_generated_name_lets_the_next_object_come_first(aws):
    generated, _ = check(aws, CONFIG_MAP, OBJECT)
    own = {**OBJECT, "metadata": {"name": "own"}}

    assert diff(aws, CONFIG_MAP, generated, {**generated, "data": {"a": "c"}}) == (["data"], False)
    assert diff(aws, CONFIG_MAP, own, {**own, "data": {"a": "c"}}) == (["data"], True)


def test_what_is_not_known_is_named(aws):
    wanted = "the simulation does not know"

    assert check(aws, "kubernetes:yaml/v2:ConfigGroup", {"yaml": "{}"})[1] == [
        ("", f"{wanted} the resource type kubernetes:yaml/v2:ConfigGroup")
    ]
    assert check(aws, RELEASE, {"chart": "c", "atomic": True, "postrender": "p"})[1] == [
        ("atomic", f"{wanted} this property of {RELEASE}"),
        ("postrender", f"{wanted} this property of {RELEASE}"),
    ]
    with pytest.raises(AbortedError, match=f"{wanted} the look-up kubernetes:helm:template"):
        provider(aws).Invoke(provider_pb2.InvokeRequest(tok="kubernetes:helm:template"), Context())


def create(made, token, inputs):
    made.Create(provider_pb2.CreateRequest(urn=urn(token), properties=to_struct(inputs)), Context())


class Unready:
    """In place of an API server: it takes everything, and pods never get ready."""

    def get(self, api_version, kind, name, namespace=None):
        subsets = [{"notReadyAddresses": [{"ip": "10.0.0.9"}]}]
        return {"Endpoints": {"subsets": subsets}}.get(kind, self.live)

    live = None

    def apply(self, inputs):
        self.live = {**inputs, "metadata": {"namespace": "default", **inputs["metadata"]}}
        return self.live

    def list(self, *_arguments):
        return []


def service(annotations):
    metadata = {"name": "own", "namespace": "default", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": "own"}}}


WAITS = [
    pytest.param({}, 0, 600, id="ten-minutes"),
    pytest.param({"pulumi.com/skipAwait": "false"}, 0, 600, id="skips-nothing"),
    pytest.param({"pulumi.com/timeoutSeconds": "60"}, 0, 60, id="as-long-as-an-annotation-says"),
    pytest.param({"pulumi.com/timeoutSeconds": "soon"}, 0, 600, id="an-annotation-that-says-nothing"),
    pytest.param({"pulumi.com/timeoutSeconds": "60"}, 1200, 1200, id="as-long-as-the-program-says"),
]


@pytest.mark.parametrize(("annotations", "timeout", "seconds"), WAITS)
def test_a_service_whose_pods_never_get_ready_is_waited_for(aws, monkeypatch, annotations, timeout, seconds):
    monkeypatch.setattr(kubernetes_provider, "wait_until_ready", partial(wait_until_ready, patience=0))
    api, context = Unready(), Context()
    made = provider(aws, context="kind-gpu")
    made._get_api = lambda: api
    wanted = to_struct(service(annotations))

    with pytest.raises(AbortedError, match="Service default/own: timed out waiting to be Ready: 1 of 1 pods"):
        made.Create(provider_pb2.CreateRequest(urn=urn(SERVICE), properties=wanted, timeout=timeout), context)
    assert context.partly_created()["id"] == "default/own"
    assert made.waits == {urn(SERVICE): seconds}


def test_a_service_that_is_not_waited_for_is_made(aws):
    api = Unready()
    made = provider(aws, context="kind-gpu")
    made._get_api = lambda: api
    wanted = to_struct(service({"pulumi.com/skipAwait": "true"}))

    assert made.Create(provider_pb2.CreateRequest(urn=urn(SERVICE), properties=wanted), Context()).id == "default/own"
    assert made.waits == {}


REACHED = [
    ({"kubeconfig": "https://nowhere.example.com"}, "unreachable: https://nowhere.example.com: no such host"),
    ({"context": "prod"}, "unreachable: no context 'prod'"),
    ({}, "unreachable: no context ''"),
]


@pytest.mark.parametrize(("configuration", "words"), REACHED)
def test_a_cluster_that_is_not_there_is_not_asked(aws, configuration, words):
    with pytest.raises(AbortedError, match=words):
        create(provider(aws, **configuration), CONFIG_MAP, {**OBJECT, "metadata": {"name": "own"}})


def test_the_cluster_of_the_account_is_asked(aws):
    endpoint = aws.state.clusters[CLUSTER].described["endpoint"]
    kubeconfig = f'{{"clusters": [{{"cluster": {{"server": "{endpoint}"}}}}]}}'

    for configuration in ({"kubeconfig": endpoint}, {"kubeconfig": kubeconfig}, {"context": "kind-gpu"}):
        with pytest.raises(AskedError):
            create(provider(aws, **configuration), CONFIG_MAP, {**OBJECT, "metadata": {"name": "own"}})


@pytest.mark.parametrize("configuration", ["kubeconfig", "context"])
def test_helm_renders_for_the_version_of_the_cluster_that_is_reached(aws, monkeypatch, configuration):
    (cluster,) = aws.state.clusters.values()
    told = {"kubeconfig": {"kubeconfig": cluster.described["endpoint"]}, "context": {"context": "kind-gpu"}}
    made, seen = KubernetesProvider(aws, lambda: None, Faults(), lambda _: None, Path("helm")), []
    made.Configure(provider_pb2.ConfigureRequest(args=to_struct(told[configuration])), Context())
    monkeypatch.setattr(
        helm_release, "install", lambda _api, _inputs, helm: seen.append(helm) or Created("n/release", {})
    )

    made.Create(provider_pb2.CreateRequest(urn=urn(RELEASE), properties=to_struct({})), Context())

    assert seen == [Helm(Path("helm"), cluster.described["version"])]
