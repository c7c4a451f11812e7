"""What is waited for, and the words with which a deployment ends that waits in vain.

The cases of a Service are those of pulumi-kubernetes `provider/pkg/await/service_test.go`, commit 94977969.
"""

import threading
from itertools import count
from types import SimpleNamespace

import pytest

from eks_accelerators.simulator.kubernetes import readiness
from eks_accelerators.simulator.kubernetes.readiness import _is_over, rest, wait_until_ready

POD = {"status": {"phase": "Pending", "conditions": [{"status": "False", "message": "Insufficient nvidia.com/gpu."}]}}


class Cluster:
    """In place of an API server: one object that owns ``pods``, and others beside it."""

    def __init__(self, live, pods=(), beside=()):
        self.objects = {(each["apiVersion"], each["kind"]): each for each in (*beside, live)}
        self.pods = list(pods)

    def get(self, api_version, kind, name, namespace):
        return self.objects.get((api_version, kind))

    def list(self, api_version, kind, namespace, selector):
        assert selector == "app=it"
        return self.pods


def owner(kind, api_version, spec, status):
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "it", "namespace": "default", "generation": 1},
        "spec": {"selector": {"matchLabels": {"app": "it"}}, **spec},
        "status": status,
    }


def job(status):
    return owner("Job", "batch/v1", {"completions": 2}, status)


def deployment(status):
    return owner("Deployment", "apps/v1", {"replicas": 2}, {"observedGeneration": 1, **status})


def condition(kind, status="True", **more):
    return {"conditions": [{"type": kind, "status": status, **more}]}


ALL_READY = {"updatedReplicas": 2, "readyReplicas": 2, "replicas": 2}
BACKOFF = "Job has reached the specified backoff limit"
CASES = [
    pytest.param({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, (), None, id="nothing-to-wait-for"),
    pytest.param(job(condition("Complete")), (), None, id="complete"),
    pytest.param(
        job({"succeeded": 1, **condition("Complete", "False")}),
        [POD],
        "Job default/it: 1 of 2 pods have succeeded. Insufficient nvidia.com/gpu.",
        id="out-of-patience",
    ),
    pytest.param(
        job(condition("Failed", message=BACKOFF)),
        (),
        f"Job default/it: 0 of 2 pods have succeeded. {BACKOFF}",
        id="failed",
    ),
    pytest.param(deployment(ALL_READY), (), None, id="available"),
    pytest.param(
        deployment({**ALL_READY, "readyReplicas": 1}),
        [POD],
        "Deployment default/it: 1 of 2 pods run. Insufficient nvidia.com/gpu.",
        id="one-missing",
    ),
]


def daemon_set(**status):
    return owner("DaemonSet", "apps/v1", {}, {"observedGeneration": 1, **status})


def stateful_set(**status):
    return owner("StatefulSet", "apps/v1", {"replicas": 2}, {"observedGeneration": 1, **status})


def service(**spec):
    return {**owner("Service", "v1", {}, {}), "spec": {"selector": {"app": "it"}, "type": "ClusterIP", **spec}}


def endpoints(ready=0, unready=0):
    subset = {"addresses": [{}] * ready, "notReadyAddresses": [{}] * unready}
    found = [{key: value for key, value in subset.items() if value}] if ready or unready else []
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "it"}, "subsets": found}


def claim(phase):
    return owner("PersistentVolumeClaim", "v1", {"storageClassName": "gp3"}, {"phase": phase})


def storage_class(mode):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {}, "volumeBindingMode": mode}


EVERYWHERE = dict.fromkeys(
    ("desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"), 2
)
ROLLED_OUT = {"replicas": 2, "currentReplicas": 2, "readyReplicas": 2, "updateRevision": "b", "currentRevision": "b"}
UNREADY = "Service default/it: timed out waiting to be Ready: {} pods are not ready."
NO_PODS = (
    " Service does not target any Pods. Selected Pods may not be ready, or field '.spec.selector' may not match labels on "
    "any Pods"
)
MORE_CASES = [
    pytest.param(service(), [endpoints(ready=2)], None, id="service"),
    pytest.param(service(), [endpoints(ready=1, unready=1)], UNREADY.format("1 of 2"), id="service-one-unready"),
    pytest.param(service(), [endpoints(unready=1)], UNREADY.format("1 of 1") + NO_PODS, id="service-none-ready"),
    pytest.param(service(), [endpoints()], None, id="service-that-selects-no-pod"),
    pytest.param(service(), [], UNREADY.format("0 of 0") + NO_PODS, id="service-that-no-controller-has-seen"),
    pytest.param(service(clusterIP="None"), [endpoints(unready=1)], None, id="service-headless"),
    pytest.param(service(type="ExternalName"), [], None, id="service-of-an-external-name"),
    pytest.param(service(selector={}), [], None, id="service-without-selector"),
    pytest.param(daemon_set(**EVERYWHERE), [], None, id="daemon-set"),
    pytest.param(daemon_set(**dict.fromkeys(EVERYWHERE, 0)), [], None, id="daemon-set-without-nodes"),
    pytest.param(
        daemon_set(**{**EVERYWHERE, "numberReady": 1}),
        [],
        "DaemonSet default/it: 1 of 2 pods run.",
        id="daemon-set-one-missing",
    ),
    pytest.param(daemon_set(), [], "DaemonSet default/it: 0 of 0 pods run.", id="daemon-set-that-is-new"),
    pytest.param(stateful_set(**ROLLED_OUT), [], None, id="stateful-set"),
    pytest.param(
        stateful_set(**{**ROLLED_OUT, "currentRevision": "a"}),
        [],
        "StatefulSet default/it: 2 of 2 pods run.",
        id="stateful-set-of-the-revision-before",
    ),
    pytest.param(claim("Bound"), [storage_class("Immediate")], None, id="claim"),
    pytest.param(claim("Pending"), [storage_class("WaitForFirstConsumer")], None, id="claim-that-waits-for-a-pod"),
    pytest.param(
        claim("Pending"),
        [storage_class("Immediate")],
        "PersistentVolumeClaim default/it: timed out waiting to be Ready: it is Pending.",
        id="claim-without-volume",
    ),
    pytest.param(owner("Pod", "v1", {}, condition("Ready")), [], None, id="pod"),
    pytest.param(owner("Pod", "v1", {}, {"phase": "Succeeded"}), [], None, id="pod-that-has-ended"),
    pytest.param(
        owner("Pod", "v1", {}, {"phase": "Running", **condition("Ready", "False")}),
        [],
        "Pod default/it: timed out waiting to be Ready: it is Running.",
        id="pod-that-is-not-ready",
    ),
]


@pytest.mark.parametrize(("live", "beside", "words"), MORE_CASES)
def test_what_is_waited_for_by_what_is_beside_it(live, beside, words):
    assert wait_until_ready(Cluster(live, beside=beside), live, patience=0) == words


def test_a_wait_ends_where_it_is_cancelled():
    cancelled = threading.Event()
    cancelled.set()

    told = wait_until_ready(Cluster(deployment({})), deployment({}), patience=3600, cancelled=cancelled)
    assert told == 'Resource operation was cancelled for "it"'


@pytest.mark.parametrize(("live", "pods", "words"), CASES)
def test_what_is_waited_for(live, pods, words):
    assert wait_until_ready(Cluster(live, pods), live, patience=0) == words


def test_a_job_that_has_failed_is_not_waited_for():
    failed = job(condition("Failed", message=BACKOFF))

    assert BACKOFF in wait_until_ready(Cluster(failed), failed, patience=3600)


@pytest.mark.parametrize(
    ("seconds", "looks", "over"),
    [
        pytest.param(19, 120, False, id="before-its-end"),
        pytest.param(21, 120, True, id="looks-as-usual"),
        pytest.param(21, 12, False, id="a-machine-that-is-busy"),
        pytest.param(121, 12, True, id="too-busy"),
    ],
)
def test_patience_is_longer_where_looks_take_longer(seconds, looks, over):
    assert _is_over(20, seconds, looks, 0.15) is over


def test_where_looks_take_long_pods_are_still_waited_for_until_they_rest(monkeypatch):
    """On a machine where a look takes six seconds, two pods come one after the other: a report before would lack one."""
    moments, running = count(step=6), iter([1, 2, 2])
    monkeypatch.setattr(readiness, "time", SimpleNamespace(monotonic=lambda: next(moments), sleep=lambda _: None))
    pods = [{"metadata": {"uid": number}, "spec": {"nodeName": "a"}, "status": {"phase": "Running"}} for number in "12"]

    rest(SimpleNamespace(list=lambda *_: pods[: next(running)]), lambda: None, patience=10)

    assert list(running) == []
