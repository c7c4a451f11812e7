"""Which words a deployment ends with, where it waits for a Job or a Deployment."""

import pytest

from simulator.kubernetes.ready import wait_until_ready

POD = {"status": {"phase": "Pending", "conditions": [{"status": "False", "message": "Insufficient nvidia.com/gpu."}]}}


class Cluster:
    """In place of an API server: one object that owns ``pods``."""

    def __init__(self, live, pods=()):
        self.live, self.pods = live, list(pods)

    def get(self, api_version, kind, name, namespace):
        return self.live if (api_version, kind) == (self.live["apiVersion"], self.live["kind"]) else None

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


@pytest.mark.parametrize(("live", "pods", "words"), CASES)
def test_what_is_waited_for(live, pods, words):
    assert wait_until_ready(Cluster(live, pods), live, patience=0) == words


def test_a_job_that_has_failed_is_not_waited_for():
    failed = job(condition("Failed", message=BACKOFF))

    assert BACKOFF in wait_until_ready(Cluster(failed), failed, patience=3600)
