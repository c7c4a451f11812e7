"""The real JobSet controller makes of our training job what its pods are told: names, a Service, and all anew where one fails."""

import pytest

from eks_accelerators.components.charts import catalogue
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.controllers import job_sets
from tests.components.training.test_engines import of, pod, variables
from tests.polls import until
from tests.simulator.test_engines_script import ROOT
from tests.simulator.webhook_controllers import JOB_SET as CONTROLLER
from tests.simulator.webhook_controllers import cluster_with

NAMESPACE, JOB_SET = "llama", "llama"
JOB = "llama-workers-0"
NODES = 4
OF_A_JOB = ("controller-uid", "job-name")
"""Ends of labels that a Job gives its pods."""
TAKEN_AWAY = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}


@pytest.fixture(scope="module")
def running(engines, tmp_path_factory):
    """An API server with the published definition, the controller, and a namespace."""
    with cluster_with(CONTROLLER, engines, tmp_path_factory.mktemp("jobset"), NAMESPACE) as api:
        account = {"name": "default", "namespace": NAMESPACE}
        api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account})
        yield api


@pytest.fixture
def api(running):
    """With the training job, whose pods wait for nodes; it goes afterwards."""
    running.create(of("jobSet").one("JobSet").inputs)
    until(lambda: len(pods(running)) == NODES)
    yield running
    running.delete("jobset.x-k8s.io/v1alpha2", "JobSet", JOB_SET, NAMESPACE, grace_seconds=0)
    until(lambda: not pods(running))


def pods(api):
    found = api.list("v1", "Pod", NAMESPACE, f"batch.kubernetes.io/job-name={JOB}")
    return sorted(found, key=lambda each: each["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"])


def uids(api):
    return {each["metadata"]["uid"] for each in pods(api)}


def status(api):
    return api.get("jobset.x-k8s.io/v1alpha2", "JobSet", JOB_SET, NAMESPACE).get("status", {})


def fail(api, victim, exit_code, *conditions):
    """As a kubelet does: one container has ended, and the pod with it."""
    ended = {"name": "pytorch", "image": "image", "imageID": "", "ready": False, "restartCount": 0}
    ended["state"] = {"terminated": {"exitCode": exit_code}}
    said = {"phase": "Failed", "containerStatuses": [ended], "conditions": list(conditions)}
    api.patch("v1", "Pod", victim["metadata"]["name"], NAMESPACE, {"status": said}, subresource="status")


def all_anew(api, before):
    """Whether as many pods are there, and none of those that were."""
    now = uids(api)
    return len(now) == NODES and not now & before


@pytest.mark.thorough
def test_one_job_of_all_nodes_with_names_that_the_pods_are_told(api):
    job = api.get("batch/v1", "Job", JOB, NAMESPACE)
    host = variables(pod("jobSet")["containers"][0])["RENDEZVOUS_HOST"]

    assert [job["spec"][key] for key in ("completions", "parallelism", "backoffLimit")] == [NODES, NODES, 0]
    assert job["spec"]["completionMode"] == "Indexed"
    first, *_ = (each["spec"] for each in pods(api))
    assert f"{first['hostname']}.{first['subdomain']}" == host
    service = api.get("v1", "Service", first["subdomain"], NAMESPACE)["spec"]
    assert (service["clusterIP"], service["publishNotReadyAddresses"]) == ("None", True)
    for each in pods(api):
        assert service["selector"].items() <= each["metadata"]["labels"].items()


@pytest.mark.thorough
def test_the_simulated_controller_makes_the_same_job(api):
    """Both as the API server has completed them; it gives each a selector of its own."""
    (mine,) = job_sets.jobs_of(api.get(job_sets.API_VERSION, job_sets.KIND, JOB_SET, NAMESPACE))
    real = api.get("batch/v1", "Job", JOB, NAMESPACE)
    completed = api.create({**mine, "metadata": {**mine["metadata"], "name": "other"}}, dry_run=True)

    assert mine["metadata"]["name"] == real["metadata"]["name"]
    assert written(completed) == written(real)


def written(job):
    """What a controller has written of a Job, without what follows from its name and its uid."""
    metadata, spec = job["metadata"], job["spec"]
    template = spec["template"]
    labels = {key: value for key, value in template["metadata"]["labels"].items() if not key.endswith(OF_A_JOB)}
    return {
        "of the job": [metadata[key] for key in ("labels", "annotations", "ownerReferences")],
        "spec": {key: value for key, value in spec.items() if key not in ("selector", "template")},
        "of the pods": [labels, template["metadata"]["annotations"], template["spec"]],
    }


@pytest.mark.thorough
def test_where_one_pod_fails_all_are_made_anew(api):
    before = uids(api)

    fail(api, pods(api)[2], 1)
    until(lambda: all_anew(api, before))

    assert (status(api)["restarts"], status(api)["restartsCountTowardsMax"]) == (1, 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("exit_code", "conditions"),
    [pytest.param(137, [TAKEN_AWAY], id="node-taken-away"), pytest.param(143, [], id="told-to-end")],
)
def test_a_node_that_is_taken_away_counts_as_no_restart(api, exit_code, conditions):
    before = uids(api)

    fail(api, pods(api)[0], exit_code, *conditions)
    until(lambda: all_anew(api, before))

    assert (status(api)["restarts"], status(api).get("restartsCountTowardsMax", 0)) == (1, 0)


@pytest.mark.thorough
def test_its_webhooks_judge_job_sets(running):
    """Otherwise what they fill in would be missing above, and nobody would say so."""
    made = of("jobSet").one("JobSet").inputs
    bad = {**made, "spec": {**made["spec"], "network": {**made["spec"]["network"], "subdomain": "Not A Name"}}}

    with pytest.raises(ApiError, match="vjobset"):
        running.create(bad, dry_run=True)


def test_the_version_is_that_of_the_chart():
    module = (ROOT / "tools" / "jobset" / "go.mod").read_text(encoding="utf-8")

    assert f"sigs.k8s.io/jobset v{catalogue()['jobset']['version']}\n" in module
