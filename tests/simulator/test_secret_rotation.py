"""A secret that changes in AWS reaches the pods that read it: External Secrets brings it, Reloader replaces them.

What Reloader writes was recorded from the program itself, v1.4.21, built and run against a control plane with these very objects.
"""

import base64
import json
import time
from datetime import timedelta

import pytest

from eks_accelerators.components.model_server import RELOAD
from eks_accelerators.components.synced_secret import docker_configuration_template
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.charts import external_secrets
from eks_accelerators.simulator.kubernetes.reloads import LAST, Reloads
from eks_accelerators.simulator.kubernetes.secret_sync import API_VERSION, sync
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.lives import every, to, words
from tests.simulator.worlds import NOW

CONTAINER = {
    "name": "server",
    "image": "example.com/server",
    "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "token"}}}],
}
TEMPLATE = {"metadata": {"labels": {"app": "server"}}, "spec": {"containers": [CONTAINER]}}
RECORDED = {"type": "SECRET", "name": "token", "hash": "a5dc9608ebe26048b6e9a0cdc9567b04dcc064c0"}
"""Of the Secret `token` with the key `token` and the value `two`."""


def secret(namespace, value):
    metadata = {"name": "token", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": value}}


def server(namespace, name, replicas=1, **annotations):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "server"}}, "template": TEMPLATE},
    }


def job(namespace):
    pod = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
    metadata = {"name": "gang", "namespace": namespace, "annotations": {RELOAD: "token"}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": pod}}


def watching(namespace):
    """A pod of Reloader."""
    return {"spec": {"containers": [{"name": "reloader", "args": [f"--namespaces={namespace},reloader"]}]}}


def annotations(api, name, namespace):
    return api.get("apps/v1", "Deployment", name, namespace)["spec"]["template"]["metadata"].get("annotations", {})


def test_servers_that_name_a_secret_are_rolled_and_jobs_are_not(cluster, namespace):
    api, reloads, pods = cluster.api, Reloads(), [watching(namespace)]
    named = server(namespace, "named", **{RELOAD: "other,token"})
    for obj in (secret(namespace, "one"), named, server(namespace, "silent"), job(namespace)):
        api.apply(obj)
    uid = api.get("batch/v1", "Job", "gang", namespace)["metadata"]["uid"]

    reloads.sync(api, pods, NOW)
    assert annotations(api, "named", namespace) == {}  # it was there before
    api.apply(secret(namespace, "two"))
    reloads.sync(api, pods, NOW)

    written = json.loads(annotations(api, "named", namespace)[LAST])
    told = {"namespace": namespace, "containerRefs": ["server"], "observedAt": int(NOW.timestamp())}
    assert written == {**RECORDED, **told}
    assert annotations(api, "silent", namespace) == {}
    assert api.get("batch/v1", "Job", "gang", namespace)["metadata"]["uid"] == uid


def test_a_deployment_of_the_stack_leaves_what_reloader_wrote(cluster, namespace):
    api, reloads, pods = cluster.api, Reloads(), [watching(namespace)]
    named = {RELOAD: "token"}
    for value in ("one", "two"):
        api.apply(secret(namespace, value))
        api.apply(server(namespace, "named", **named))
        reloads.sync(api, pods, NOW)
    written = annotations(api, "named", namespace)
    assert LAST in written

    api.apply(server(namespace, "named", replicas=2, **named))

    assert annotations(api, "named", namespace) == written


@pytest.fixture
def wanted(cluster, namespace):
    """An ExternalSecret with changes of its spec, in a cluster that has the kind."""
    values = {"webhook": {"create": False}, "certController": {"create": False}}
    for obj in external_secrets.manifests("2.9.0", "external-secrets", namespace, values):
        if obj["kind"] == "CustomResourceDefinition":
            cluster.api.apply(obj)

    def made(**changes):
        spec = {
            "refreshInterval": "1h0m0s",
            "secretStoreRef": {"kind": "SecretStore", "name": "token"},
            "target": {"name": "token", "creationPolicy": "Owner"},
            "data": [{"secretKey": "token", "remoteRef": {"key": "ml/token"}}],
            **changes,
        }
        metadata = {"name": "token", "namespace": namespace}
        until_known(
            lambda: cluster.api.apply(
                {"apiVersion": API_VERSION, "kind": "ExternalSecret", "metadata": metadata, "spec": spec}
            )
        )

    yield made
    cluster.api.delete(API_VERSION, "ExternalSecret", "token", namespace)


def until_known(apply):
    """A kind that is new is served a moment later."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return apply()
        except ApiError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def held(api, namespace):
    found = api.get("v1", "Secret", "token", namespace)
    return found and {key: base64.b64decode(value).decode() for key, value in found["data"].items()}


def refresh(cluster, namespace, at, read):
    """One pass, once what was written is what a pass sees: it looks at objects as they were a moment ago."""

    def is_seen():
        known = cluster.api.list(API_VERSION, "ExternalSecret", namespace, remembered=True)
        return known == [cluster.api.get(API_VERSION, "ExternalSecret", "token", namespace)]

    until(is_seen)
    sync(cluster.api, at, read)


def test_a_secret_is_looked_at_when_it_is_new_changed_or_due(cluster, namespace, wanted):
    api, aws, asked = cluster.api, {"ml/token": "one", "ml/other": '{"deep": "three"}'}, []

    def read(name):
        asked.append(name)
        return aws.get(name)

    wanted()
    refresh(cluster, namespace, NOW, read)
    assert held(api, namespace) == {"token": "one"}

    aws["ml/token"] = "two"
    refresh(cluster, namespace, NOW + timedelta(minutes=59), read)
    assert held(api, namespace) == {"token": "one"}
    refresh(cluster, namespace, NOW + timedelta(minutes=60), read)
    assert held(api, namespace) == {"token": "two"}

    wanted(data=[{"secretKey": "token", "remoteRef": {"key": "ml/other", "property": "deep"}}])
    refresh(cluster, namespace, NOW + timedelta(minutes=61), read)
    assert held(api, namespace) == {"token": "three"}
    assert asked == ["ml/token", "ml/token", "ml/other"]


def test_without_a_secret_in_aws_there_is_none_in_the_cluster(cluster, namespace, wanted):
    wanted()
    refresh(cluster, namespace, NOW, lambda _name: None)

    (condition,) = cluster.api.get(API_VERSION, "ExternalSecret", "token", namespace)["status"]["conditions"]
    assert (held(cluster.api, namespace), condition["reason"]) == (None, "SecretSyncedError")


def test_a_pull_secret_is_one_that_kubernetes_takes(cluster, namespace, wanted):
    """The API server refuses a Secret of this type whose value is no configuration of Docker."""
    data = {".dockerconfigjson": docker_configuration_template("nvcr.io", "$oauthtoken")}
    shape = {"type": "kubernetes.io/dockerconfigjson", "engineVersion": "v2", "data": data}
    wanted(
        target={"name": "token", "creationPolicy": "Owner", "template": shape},
        data=[{"secretKey": "value", "remoteRef": {"key": "ml/token"}}],
    )
    refresh(cluster, namespace, NOW, lambda _name: 'nvapi-"quoted"')

    found = cluster.api.get("v1", "Secret", "token", namespace)
    assert found["type"] == "kubernetes.io/dockerconfigjson"
    assert json.loads(held(cluster.api, namespace)[".dockerconfigjson"]) == {
        "auths": {
            "nvcr.io": {
                "username": "$oauthtoken",
                "password": 'nvapi-"quoted"',
                "auth": base64.b64encode(b'$oauthtoken:nvapi-"quoted"').decode(),
            }
        }
    }


TOKEN = "workloads.vllm.llama.huggingFaceToken"
SYNCED = to(TOKEN, {"secretsManager": {"name": "ml/hugging-face", "key": "token"}})
NAME = "ml/hugging-face"


@pytest.mark.slow
def test_a_token_that_changes_rolls_the_servers(deployments, tmp_path):
    with deployments.copied("dev", tmp_path) as deployed:
        sim, account = deployed.simulation, deployed.account
        account.call("secretsmanager", "create_secret", Name=NAME, SecretString=json.dumps({"token": "one"}))

        def pods():
            deployed.running("llama")
            found = sim.cluster.api.list("v1", "Pod", "llm", "app.kubernetes.io/instance=llama")
            return {pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"]}

        def token():
            found = sim.cluster.api.get("v1", "Secret", "llama-hugging-face", "llm")
            return base64.b64decode(found["data"]["token"]).decode()

        assert deployed.run("up", SYNCED).errors == []
        first = pods()
        assert (token(), len(first)) == ("one", 4)

        account.call("secretsmanager", "put_secret_value", SecretId=NAME, SecretString=json.dumps({"token": "two"}))
        assert (pods(), token()) == (first, "one")  # nobody has looked
        sim.set_clock(NOW + timedelta(hours=2))
        second = pods()
        assert (token(), len(second), first & second) == ("two", 4, set())

        fewer = every(SYNCED, to("workloads.vllm.llama.replicas", 3))
        done = deployed.run("up", fewer)
        assert (done.errors, words(done)) == ([], {"update Deployment llama"})
        third = pods()
        assert len(third) == 3
        assert third < second  # the others were not rolled again
        assert LAST in annotations(sim.cluster.api, "llama", "llm")
