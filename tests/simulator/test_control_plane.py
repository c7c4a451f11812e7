"""A real control plane: it starts, ends, keeps what it holds, and does with pods what Kubernetes does."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from eks_accelerators.simulator.engines import ENGINES
from eks_accelerators.simulator.kubernetes import control_plane as module
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.control_plane import start
from eks_accelerators.simulator.processes import ServerError
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.control_planes import control_plane
from tests.simulator.test_processes import alive

PROGRAM = """
import json, time
from pathlib import Path
from eks_accelerators.simulator.engines import find
from eks_accelerators.simulator.kubernetes.control_plane import start
cluster = start(find(), Path({folder!r}))
print(json.dumps([str(cluster.servers.folder), cluster.servers.pids]), flush=True)
for _ in range(12_000):  # not one long sleep: a signal that comes just before it is handled after it
    time.sleep(0.05)
"""


def config_map(name, namespace="default", **data):
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def pod_spec(**more):
    return {"containers": [{"name": "main", "image": "image", "resources": more.pop("resources", {})}], **more}


def workload(api_version, kind, name, namespace, spec, *, replicas=None, annotations=None):
    template = {"metadata": {"labels": {"app": name}, "annotations": annotations or {}}, "spec": spec}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    count = {} if replicas is None else {"replicas": replicas}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**selector, **count, "template": template},
    }


def pods(api, namespace, name):
    return api.list("v1", "Pod", namespace, f"app={name}")


def phases(api, namespace, name):
    return sorted(pod["status"]["phase"] for pod in pods(api, namespace, name))


def is_ready(node_or_pod):
    conditions = node_or_pod["status"].get("conditions", [])
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def wait(condition):
    until(condition)


@pytest.fixture
def node(cluster):
    """Creates nodes whose label and taint `test` is the test's own; deletes them after it."""
    names = []

    def create(key="test", value="", resources=None, annotations=None):
        name = f"node-{uuid4().hex[:8]}"
        names.append(name)
        capacity = {"cpu": "8", "memory": "32Gi", "pods": "110", **(resources or {})}
        cluster.api.apply(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": {key: value or name}, "annotations": annotations or {}},
                "spec": {"taints": [{"key": key, "value": value or name, "effect": "NoSchedule"}]},
                "status": {"capacity": capacity, "allocatable": capacity},
            }
        )
        return name

    yield create
    for name in names:
        cluster.api.delete("v1", "Node", name)


def on(name, key="test"):
    """What binds a pod to the node of the test."""
    toleration = {"key": key, "operator": "Exists", "effect": "NoSchedule"}
    return {"nodeSelector": {key: name}, "tolerations": [toleration]}


# Nodes and pods


def test_a_node_becomes_ready_and_keeps_what_it_was_given(cluster, node):
    name = node(resources={"nvidia.com/gpu": "4"})

    wait(lambda: is_ready(cluster.api.get("v1", "Node", name)))
    found = cluster.api.get("v1", "Node", name)
    assert found["status"]["allocatable"] == {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "4"}
    wait(lambda: [t["key"] for t in cluster.api.get("v1", "Node", name)["spec"]["taints"]] == ["test"])


@pytest.mark.slow
def test_a_node_stays_ready(cluster, node):
    name = node()

    def renewed():
        lease = cluster.api.get("coordination.k8s.io/v1", "Lease", name, "kube-node-lease")
        return lease and lease["spec"]["renewTime"]

    # Each renewal counts for 50 s with the node lifecycle controller.
    wait(renewed)
    first = renewed()
    wait(lambda: renewed() != first)


def test_a_node_has_what_it_is_given_and_no_more(cluster, node):
    name = node()
    wait(lambda: is_ready(cluster.api.get("v1", "Node", name)))
    assert "addresses" not in cluster.api.get("v1", "Node", name)["status"]

    later = {"capacity": {"nvidia.com/gpu": "2"}, "allocatable": {"nvidia.com/gpu": "2"}}
    cluster.api.patch("v1", "Node", name, None, {"status": later}, subresource="status")

    time.sleep(1)
    found = cluster.api.get("v1", "Node", name)["status"]
    assert found["allocatable"] == {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "2"}


def test_a_node_that_is_held_is_left_as_it_is(cluster, node):
    name = node(annotations={"eks-accelerators/hold": "true"})

    time.sleep(1.5)
    assert not is_ready(cluster.api.get("v1", "Node", name))

    cluster.api.patch("v1", "Node", name, None, {"metadata": {"annotations": {"eks-accelerators/hold": None}}})
    wait(lambda: is_ready(cluster.api.get("v1", "Node", name)))


def test_what_does_not_fit_stays_pending_with_the_reason_of_the_scheduler(cluster, node, namespace):
    name = node("nvidia.com/gpu", "true", {"nvidia.com/gpu": "4"})
    spec = pod_spec(resources={"limits": {"nvidia.com/gpu": 1}}, **on("true", "nvidia.com/gpu"))

    cluster.api.apply(workload("apps/v1", "Deployment", "five", namespace, spec, replicas=5))

    wait(lambda: phases(cluster.api, namespace, "five") == ["Pending", *["Running"] * 4])
    found = {pod["status"]["phase"]: pod for pod in pods(cluster.api, namespace, "five")}
    assert found["Running"]["spec"]["nodeName"] == name
    assert is_ready(found["Running"])
    wait(lambda: unschedulable(cluster.api, namespace, "five"))
    assert "Insufficient nvidia.com/gpu" in unschedulable(cluster.api, namespace, "five")


def unschedulable(api, namespace, name):
    conditions = [condition for pod in pods(api, namespace, name) for condition in pod["status"].get("conditions", [])]
    return next((c["message"] for c in conditions if c.get("reason") == "Unschedulable"), None)


def test_pods_that_do_not_tolerate_a_taint_stay_away(cluster, node, namespace):
    name = node()
    spec = pod_spec(nodeSelector={"test": name})

    cluster.api.apply(workload("apps/v1", "Deployment", "stranger", namespace, spec, replicas=1))

    wait(lambda: unschedulable(cluster.api, namespace, "stranger"))
    assert "untolerated taint" in unschedulable(cluster.api, namespace, "stranger")


def test_pods_that_ask_for_an_extended_resource_tolerate_its_name_as_on_eks(cluster, node, namespace):
    name = node("aws.amazon.com/neuron", "", {"aws.amazon.com/neuron": "1"})
    limits = {"limits": {"aws.amazon.com/neuron": 1}}
    spec = pod_spec(resources=limits, nodeSelector={"aws.amazon.com/neuron": name})

    cluster.api.apply(workload("apps/v1", "Deployment", "neuron", namespace, spec, replicas=1))

    wait(lambda: phases(cluster.api, namespace, "neuron") == ["Running"])


def test_a_daemon_set_has_a_pod_on_each_node_that_it_selects(cluster, node, namespace):
    value = uuid4().hex[:8]
    names = {node("test", value), node("test", value)}

    cluster.api.apply(workload("apps/v1", "DaemonSet", "plugin", namespace, pod_spec(**on(value))))

    wait(lambda: phases(cluster.api, namespace, "plugin") == ["Running"] * 2)
    assert {pod["spec"]["nodeName"] for pod in pods(cluster.api, namespace, "plugin")} == names


def test_jobs_succeed_when_their_work_is_done(cluster, node, namespace):
    spec = pod_spec(restartPolicy="Never", **on(node()))
    work = {"eks-accelerators/work": "100ms"}

    cluster.api.apply(workload("batch/v1", "Job", "quick", namespace, spec, annotations=work))
    cluster.api.apply(workload("batch/v1", "Job", "usual", namespace, spec))
    cluster.api.apply(workload("batch/v1", "Job", "long", namespace, spec, annotations={"eks-accelerators/work": "1h"}))

    for name in ("quick", "usual"):
        wait(lambda name=name: cluster.api.get("batch/v1", "Job", name, namespace)["status"].get("succeeded") == 1)
    assert phases(cluster.api, namespace, "long") == ["Running"]


def test_a_pod_that_is_held_does_not_start_and_can_be_deleted(cluster, node, namespace):
    spec, held = pod_spec(**on(node())), {"eks-accelerators/hold": "true"}
    deployment = workload("apps/v1", "Deployment", "held", namespace, spec, replicas=1, annotations=held)
    cluster.api.apply(deployment)
    wait(lambda: any(pod["spec"].get("nodeName") for pod in pods(cluster.api, namespace, "held")))

    time.sleep(1.5)
    assert phases(cluster.api, namespace, "held") == ["Pending"]

    cluster.api.delete("apps/v1", "Deployment", "held", namespace, wait_seconds=PATIENCE_SECONDS)
    assert pods(cluster.api, namespace, "held") == []


def test_pods_run_again_elsewhere_when_their_node_has_gone(cluster, node, namespace):
    value = uuid4().hex[:8]
    first = node("test", value)
    cluster.api.apply(workload("apps/v1", "Deployment", "moving", namespace, pod_spec(**on(value)), replicas=2))
    wait(lambda: phases(cluster.api, namespace, "moving") == ["Running"] * 2)

    cluster.api.delete("v1", "Node", first, wait_seconds=PATIENCE_SECONDS)
    second = node("test", value)
    for pod in pods(cluster.api, namespace, "moving"):
        cluster.api.delete("v1", "Pod", pod["metadata"]["name"], namespace, grace_seconds=0, wait_seconds=5)

    wait(lambda: phases(cluster.api, namespace, "moving") == ["Running"] * 2)
    assert {pod["spec"]["nodeName"] for pod in pods(cluster.api, namespace, "moving")} == {second}


def test_pod_security_refuses_a_privileged_pod(cluster):
    name = f"baseline-{uuid4().hex[:8]}"
    labels = {"pod-security.kubernetes.io/enforce": "baseline"}
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "privileged", "namespace": name}}
    pod["spec"] = pod_spec()
    wait(lambda: cluster.api.get("v1", "ServiceAccount", "default", name))

    assert cluster.api.apply(pod, dry_run=True)
    pod["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    with pytest.raises(ApiError, match='violates PodSecurity "baseline:latest": privileged') as error:
        cluster.api.apply(pod)

    assert (error.value.status, error.value.reason) == (403, "Forbidden")
    cluster.api.delete("v1", "Namespace", name)


def test_a_quota_holds(cluster, namespace):
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": namespace}}
    cluster.api.apply({**quota, "spec": {"hard": {"count/secrets": "0"}}})
    wait(lambda: cluster.api.get("v1", "ResourceQuota", "none", namespace)["status"].get("hard"))

    with pytest.raises(ApiError, match="exceeded quota"):
        cluster.api.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": namespace}})


@pytest.mark.slow
def test_a_hundred_nodes_and_a_thousand_pods(cluster, node, namespace):
    value = uuid4().hex[:8]
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda _: node("test", value), range(100)))

    cluster.api.apply(workload("apps/v1", "Deployment", "many", namespace, pod_spec(**on(value)), replicas=1_000))

    wait(lambda: cluster.api.get("apps/v1", "Deployment", "many", namespace)["status"].get("readyReplicas") == 1_000)
    addresses = {pod["status"]["podIP"] for pod in pods(cluster.api, namespace, "many")}
    assert len(addresses) == 1_000
    cluster.api.delete("apps/v1", "Deployment", "many", namespace, wait_seconds=PATIENCE_SECONDS)


# What lies on disk, and who may ask


def test_secrets_are_not_in_clear_in_the_database(cluster, namespace):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", "namespace": namespace}}
    cluster.api.apply({**secret, "stringData": {"token": "hf_in_the_secret"}})
    cluster.api.apply(config_map("token", namespace, token="hf_in_the_map"))

    files = [file.read_bytes() for file in (cluster.kubeconfig.parent / "etcd").rglob("*") if file.is_file()]

    assert any(b"hf_in_the_map" in content for content in files)
    assert not any(b"hf_in_the_secret" in content for content in files)
    assert cluster.api.get("v1", "Secret", "token", namespace)["data"]["token"] == "aGZfaW5fdGhlX3NlY3JldA=="


def test_only_the_user_can_read_the_files(cluster):
    folder = cluster.kubeconfig.parent

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(f.stat().st_mode) for f in folder.rglob("*") if f.is_file()} == {0o600}


def test_servers_listen_on_this_machine_alone(cluster):
    port = int(cluster.url.rpartition(":")[2])
    own = [a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    others = [address for address in own if not address.startswith("127.")]

    for address in others:
        assert not answers(address, port)
    assert answers("127.0.0.1", port)


def answers(address, port):
    with closing(socket.socket()) as client:
        client.settimeout(2)
        return client.connect_ex((address, port)) == 0


def test_the_kubeconfig_is_complete(cluster):
    found = json.loads(cluster.kubeconfig.read_text())

    assert found["clusters"][0]["cluster"]["server"] == cluster.url
    assert found["users"][0]["user"]["token"] == cluster.token
    assert cluster.token not in repr(cluster)


# Start and end


@pytest.mark.slow
def test_objects_survive_a_restart(engines, tmp_path):
    with control_plane(engines, tmp_path) as first:
        first.api.apply(config_map("kept", key="value"))
        ca = first.ca_file.read_bytes()
        for name in ("a", "b"):
            status = {"capacity": {"pods": "110"}, "allocatable": {"pods": "110"}}
            first.api.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status})
        first.api.apply(workload("apps/v1", "Deployment", "kept", "default", pod_spec(), replicas=2))
        wait(lambda: phases(first.api, "default", "kept") == ["Running"] * 2)
        leases = lease_ids(first.api)

    assert not any(map(alive, first.servers.pids.values()))
    with control_plane(engines, tmp_path) as second:
        assert second.api.get("v1", "ConfigMap", "kept")["data"] == {"key": "value"}
        assert (second.token, second.ca_file.read_bytes()) == (first.token, ca)
        # Not before kwok has taken the nodes over, which is by new leases: the old ones would have to end first.
        second.api.patch("apps/v1", "Deployment", "kept", "default", {"spec": {"replicas": 4}})
        wait(lambda: phases(second.api, "default", "kept") == ["Running"] * 4)
        assert not leases & lease_ids(second.api)


def lease_ids(api):
    return {lease["metadata"]["uid"] for lease in api.list("coordination.k8s.io/v1", "Lease", "kube-node-lease")}


def test_two_run_side_by_side(engines, cluster, tmp_path):
    with control_plane(engines, tmp_path) as other:
        assert other.url != cluster.url
        other.api.apply(config_map("only-there"))
        assert cluster.api.get("v1", "ConfigMap", "only-there") is None
        # Keys differ too: a token of one opens no other.
        with pytest.raises(ApiError) as error:
            type(other.api)(other.url, other.ca_file, cluster.token).list("v1", "Node")
        assert error.value.status == 401

    assert cluster.api.is_ready()


def test_a_folder_is_used_by_one_at_a_time(engines, cluster, monkeypatch):
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.1)

    with pytest.raises(ServerError, match="another process runs a control plane in"):
        start(engines, cluster.kubeconfig.parent)

    assert cluster.api.is_ready()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_the_process_is_killed(engines, tmp_path, number):
    program = PROGRAM.format(folder=str(tmp_path))
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        folder, pids = json.loads(process.stdout.readline())
        assert len(pids) == 6
        os.killpg(process.pid, number)

    until(lambda: not any(map(alive, pids.values())) and not Path(folder).exists())
    # And the folder is free again.
    with control_plane(engines, tmp_path) as cluster:
        assert cluster.api.is_ready()


@pytest.mark.slow
def test_another_port_is_taken_where_one_is_lost(engines, tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = iter([taken.getsockname()[1]])
        free_port = module.free_port
        monkeypatch.setattr(module, "free_port", lambda: next(ports, None) or free_port())

        with control_plane(engines, tmp_path) as cluster:
            assert cluster.api.is_ready()


def test_a_server_that_cannot_start_shows_its_log(tmp_path):
    broken = tmp_path / "etcd"
    broken.write_text("#!/bin/sh\necho the database is broken\nexit 3\n")
    broken.chmod(0o755)

    with pytest.raises(ServerError, match=r"etcd ended with status 3.*\nthe database is broken"):
        start(dict.fromkeys(ENGINES, broken), tmp_path / "cluster")
