"""The real LeaderWorkerSet controller takes our server that spans nodes, and makes of it the pods that the simulated one makes.

It is a minor version older than the chart's: the newest whose module there is everywhere. What the newer one judges and makes differs
by a limit on `replicas`, by subgroups, and by labels of StatefulSets (`git diff v0.9.0..v0.10.0 -- pkg`, read 2026-11-23).
"""

import pytest

from eks_accelerators.simulator.kubernetes import leader_worker_sets
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.leader_worker_sets import API_VERSION, KIND
from tests.components.test_server_across_nodes import server
from tests.polls import until
from tests.simulator.kubernetes.objects_in_memory import ObjectsInMemory
from tests.simulator.webhook_controllers import LEADER_WORKER_SET as CONTROLLER
from tests.simulator.webhook_controllers import cluster_with

pytestmark = pytest.mark.thorough

SERVER = server()
SET = SERVER.one("LeaderWorkerSet").inputs
NAME, NAMESPACE = SET["metadata"]["name"], SET["metadata"]["namespace"]
BOTH = [f"{NAME}-0", f"{NAME}-0-1"]


@pytest.fixture(scope="module")
def api(engines, tmp_path_factory):
    """An API server with the published definitions, the controller, and our set, whose pods wait for nodes."""
    with cluster_with(CONTROLLER, engines, tmp_path_factory.mktemp("lws"), NAMESPACE) as api:
        for account in SERVER.of("ServiceAccount"):
            api.apply(account.inputs)
        until(lambda: is_taken(api))
        until(lambda: sorted(pods(api)) == BOTH)
        yield api


def is_taken(api):
    """Its webhooks begin to answer some time after it says that it is ready."""
    try:
        api.create(SET)
    except ApiError as error:
        if "failed calling webhook" not in error.message:
            raise
        return False
    return True


def pods(api):
    return {
        each["metadata"]["name"]: each
        for each in api.list("v1", "Pod", NAMESPACE)
        if "deletionTimestamp" not in each["metadata"]
    }


def variables(pod):
    return {each["name"]: each.get("value") for each in pod["spec"]["containers"][0]["env"]}


@pytest.mark.parametrize("name", BOTH)
def test_the_simulated_controller_makes_the_same_pods(api, name):
    """Labels but for those of StatefulSets and of a revision, which the simulated one names otherwise."""
    objects = ObjectsInMemory(api.get(API_VERSION, KIND, NAME, NAMESPACE))
    leader_worker_sets.sync(objects)
    mine, real = objects.one("Pod", name), pods(api)[name]

    labels = {key: value for key, value in mine["metadata"]["labels"].items() if "revision" not in key}
    assert labels.items() <= real["metadata"]["labels"].items()
    assert variables(mine) == variables(real)
    for key in ("hostname", "subdomain", "nodeSelector"):
        assert mine["spec"][key] == real["spec"][key]
    assert all(each in real["spec"]["tolerations"] for each in mine["spec"]["tolerations"])


def test_where_one_pod_is_lost_both_are_made_anew(api):
    before = {each["metadata"]["uid"] for each in pods(api).values()}
    api.delete("v1", "Pod", BOTH[1], NAMESPACE, grace_seconds=0)

    until(lambda: sorted(now := pods(api)) == BOTH and not before & {each["metadata"]["uid"] for each in now.values()})


def test_its_webhooks_judge_sets(api):
    """Otherwise what they fill in would be missing above, and nobody would say so."""
    bad = {**SET, "metadata": {**SET["metadata"], "name": "1-is-no-name-of-a-service"}}

    with pytest.raises(ApiError, match="vleaderworkerset"):
        api.create(bad, dry_run=True)
