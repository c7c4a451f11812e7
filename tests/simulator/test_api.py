"""Requests to a Kubernetes API server."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eks_accelerators.simulator.kubernetes import credentials
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from tests.ports import nobody_listens
from tests.simulator.test_control_plane import config_map, wait

CLUSTER_ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}


@pytest.fixture
def api(cluster):
    return cluster.api


def widgets(kind="Widget"):
    """A definition of a kind that no API server has."""
    name, schema = kind.lower(), {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}s.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": f"{name}s", "singular": name},
            "versions": [version],
        },
    }


def test_apply_creates_and_changes(api, namespace):
    created = api.apply(config_map("map", namespace, a="1", b="2"))
    changed = api.apply(config_map("map", namespace, a="3"))

    assert created["metadata"]["uid"] == changed["metadata"]["uid"]
    assert changed["data"] == {"a": "3"}
    assert changed["metadata"]["managedFields"][0]["manager"] == "pulumi-kubernetes"
    assert api.get("v1", "ConfigMap", "map", namespace) == changed


def test_a_dry_run_changes_nothing(api, namespace):
    assert api.apply(config_map("map", namespace), dry_run=True)["metadata"]["uid"]
    assert api.create(config_map("map", namespace), dry_run=True)["metadata"]["uid"]

    assert api.get("v1", "ConfigMap", "map", namespace) is None


def test_fields_of_another_manager_are_a_conflict_without_force(api, namespace):
    api.apply(config_map("map", namespace, a="1"), manager="helm")

    with pytest.raises(ApiError, match='conflict with "helm"') as error:
        api.apply(config_map("map", namespace, a="2"), force=False)
    assert (error.value.status, error.value.reason) == (409, "Conflict")
    assert api.apply(config_map("map", namespace, a="2"))["data"] == {"a": "2"}


def test_create_generates_names_and_refuses_what_is_there(api, namespace):
    generated = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "map-", "namespace": namespace}}

    first, second = api.create(generated), api.create(generated)

    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert first["metadata"]["name"].startswith("map-")
    with pytest.raises(ApiError, match="already exists") as error:
        api.create(first | {"metadata": {"name": first["metadata"]["name"], "namespace": namespace}})
    assert error.value.reason == "AlreadyExists"


def test_what_is_not_there_is_none(api, namespace):
    assert api.get("v1", "ConfigMap", "none", namespace) is None
    assert api.get("example.org/v1", "Nothing", "none") is None
    api.delete("v1", "ConfigMap", "none", namespace, wait_seconds=1)
    api.delete("example.org/v1", "Nothing", "none")


@pytest.mark.parametrize("api_version", ["v1", "example.org/v1"])
def test_an_unknown_kind_is_named(api, api_version):
    with pytest.raises(ApiError) as error:
        api.apply({"apiVersion": api_version, "kind": "Nothing", "metadata": {"name": "none"}})
    assert error.value.status == 404

    with pytest.raises(ApiError):
        api.list(api_version, "Nothing")


def test_an_object_that_is_wrong_is_refused_in_the_words_of_the_server(api, namespace):
    with pytest.raises(ApiError, match="Invalid value") as error:
        api.apply(config_map("NOT_A_NAME", namespace))

    assert (error.value.status, error.value.reason) == (422, "Invalid")
    assert error.value.message == str(error.value)
    with pytest.raises(ApiError, match="not found") as error:
        api.apply(config_map("map", "no-such-namespace"))
    assert error.value.status == 404


def test_lists_are_of_a_namespace_or_of_all_and_by_label(api, namespace):
    for name, label in (("one", "x"), ("two", "y")):
        api.apply(
            config_map(name, namespace) | {"metadata": {"name": name, "namespace": namespace, "labels": {"l": label}}}
        )

    def names(*where):
        return {found["metadata"]["name"] for found in api.list("v1", "ConfigMap", *where)}

    assert names(namespace) >= {"one", "two"}
    assert names(namespace, "l=x") == {"one"}
    assert names() >= {"one", "two"}
    assert all(item["kind"] == "ConfigMap" and item["apiVersion"] == "v1" for item in api.list("v1", "ConfigMap"))
    assert api.list("v1", "ConfigMap", "no-such-namespace") == []


def test_an_object_without_a_namespace_is_in_default_or_in_none(api):
    created = api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "map-"}})
    role = api.create({**CLUSTER_ROLE, "metadata": {"generateName": "role-"}, "rules": []})

    assert created["metadata"]["namespace"] == "default"
    assert "namespace" not in role["metadata"]
    api.delete("v1", "ConfigMap", created["metadata"]["name"], wait_seconds=10)
    api.delete("rbac.authorization.k8s.io/v1", "ClusterRole", role["metadata"]["name"], "ignored", wait_seconds=10)
    assert api.get("v1", "ConfigMap", created["metadata"]["name"]) is None


def test_deleting_waits_until_the_object_is_gone(api, namespace):
    api.apply(config_map("map", namespace))
    api.delete("v1", "ConfigMap", "map", namespace, wait_seconds=10)
    assert api.get("v1", "ConfigMap", "map", namespace) is None


def test_deleting_something_that_does_not_go_is_an_error_in_time(api, namespace):
    metadata = {"name": "map", "namespace": namespace, "finalizers": ["example.com/never"]}
    api.apply(config_map("map", namespace) | {"metadata": metadata})

    with pytest.raises(ApiError, match="ConfigMap map is still there") as error:
        api.delete("v1", "ConfigMap", "map", namespace, wait_seconds=0.3)

    assert error.value.status == 408
    api.patch("v1", "ConfigMap", "map", namespace, {"metadata": {"finalizers": None}})


def test_all_objects_of_a_kind_can_be_deleted(api, namespace):
    for name in ("one", "two"):
        api.apply(config_map(name, namespace))

    api.delete_all("v1", "ConfigMap", namespace)

    wait(lambda: {m["metadata"]["name"] for m in api.list("v1", "ConfigMap", namespace)} <= {"kube-root-ca.crt"})


def test_a_patch_merges_and_removes(api, namespace):
    api.apply(config_map("map", namespace, a="1", b="2"))

    assert api.patch("v1", "ConfigMap", "map", namespace, {"data": {"a": None, "c": "3"}})["data"] == {
        "b": "2",
        "c": "3",
    }
    with pytest.raises(ApiError, match="not found"):
        api.patch("v1", "ConfigMap", "none", namespace, {"data": {}})


def test_a_patch_of_the_status_leaves_the_rest(api, namespace):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "claim", "namespace": namespace}}
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    api.apply({**claim, "spec": request})

    change = {"status": {"phase": "Lost"}, "spec": {"volumeName": "not-this"}}
    found = api.patch("v1", "PersistentVolumeClaim", "claim", namespace, change, subresource="status")

    assert found["status"]["phase"] == "Lost"
    assert "volumeName" not in found["spec"]


def test_api_versions_are_those_of_the_server(api):
    assert {"v1", "apps/v1", "batch/v1"} <= set(api.api_versions())


def test_kinds_that_come_later_are_found(api, namespace):
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": namespace}}
    assert api.get("example.com/v1", "Widget", "w", namespace) is None
    api.apply(widgets())
    wait(lambda: "example.com/v1" in api.api_versions())
    wait(lambda: applied(api, widget))

    # A second kind of a group that is known by now.
    api.apply(widgets("Gadget"))
    wait(lambda: applied(api, {**widget, "kind": "Gadget"}))

    for kind in ("Widget", "Gadget"):
        assert [found["kind"] for found in api.list("example.com/v1", kind, namespace)] == [kind]
        api.delete("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{kind.lower()}s.example.com")


def applied(api, obj):
    """What was applied; None as long as its kind is not served."""
    try:
        return api.apply(obj)
    except ApiError as error:
        return None if error.status == 404 else pytest.fail(error.message)


def test_sixteen_threads_use_one_client(cluster, namespace):
    api = Api(cluster.url, cluster.ca_file, cluster.token)  # of its own: nothing is discovered yet
    together = threading.Barrier(16)
    kinds = [("v1", "Secret"), ("v1", "ServiceAccount"), ("batch/v1", "CronJob"), ("apps/v1", "Deployment")]

    def work(number):
        together.wait()
        for index in range(10):
            name = f"map-{number}-{index}"
            assert api.apply(config_map(name, namespace, n=str(number)))["data"] == {"n": str(number)}
            assert api.get("v1", "ConfigMap", name, namespace)["metadata"]["name"] == name
            api.list(*kinds[(number + index) % len(kinds)], namespace)
            api.delete("v1", "ConfigMap", name, namespace)
        return number

    with ThreadPoolExecutor(16) as threads:
        assert sorted(threads.map(work, range(16))) == list(range(16))
    api.close()


# Without a control plane


@pytest.fixture
def nobody(tmp_path):
    """A client of a server that is not there."""
    ca_file = credentials.ensure(tmp_path).ca_file
    with nobody_listens() as address:
        found = Api(f"https://{address}", ca_file, "token")
        yield found
        found.close()


def test_a_server_that_is_not_there(nobody):
    assert not nobody.is_ready()
    with pytest.raises(ApiError, match="the API server does not answer") as error:
        nobody.get("v1", "Node", "n")
    assert (error.value.status, error.value.reason) == (0, "Unreachable")


def test_a_server_with_the_certificate_of_another_is_not_trusted(cluster, tmp_path):
    other = Api(cluster.url, credentials.ensure(tmp_path).ca_file, cluster.token)

    with pytest.raises(ApiError, match="certificate"):
        other.list("v1", "Node")
    other.close()


def test_credentials_are_kept_and_half_written_ones_are_not(tmp_path):
    first = credentials.ensure(tmp_path)
    kept = {
        path: Path(path).read_bytes() for path in (first.ca_file, first.service_account_key, first.encryption_config)
    }
    (tmp_path / "token.new").write_text("half of one")

    second = credentials.ensure(tmp_path)

    assert second.token == first.token
    assert {path: Path(path).read_bytes() for path in kept} == kept


def test_a_proxy_of_the_environment_is_not_asked(cluster, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    api = Api(cluster.url, cluster.ca_file, cluster.token)

    assert api.is_ready()
    api.close()
