"""The closed loop on `staging` as it is shipped, and on `prod` while its Capacity Block is active, which nobody scales.

EKS tags the scaling group of a block for Cluster Autoscaler too: that it takes such a group where nothing excludes it is
shown in `test_cluster_autoscaler.py`.
"""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from eks_accelerators.simulator.node_autoscalers import cluster_autoscaler
from tests.simulator.closed_loops import OF_SERVERS, changes, load_on, nodes, way, when
from tests.simulator.further import further
from tests.simulator.lives import ACCOUNT, every, to

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

MONDAY, DURING_THE_BLOCK = "2026-11-23T09:00:00Z", "2026-11-24T12:00"
FOLLOWS = every(
    to("workloads.vllm.llama.autoscaling", {"min": 14, "max": 20, "targetConcurrency": 6}),
    to("nodeGroups.l4-shared.size", {"min": 1, "desired": 1, "max": 3}),
)
"""As prod is shipped, with fewer servers and nodes: 16 have a place on a node, and the rest wait for another one."""


@pytest.fixture(autouse=True)
def programs():
    further(*OF_SERVERS, "cluster-autoscaler")


@pytest.fixture
def account(tmp_path):
    """What the account has: blocks, and a clock that begins on a Monday."""
    file = tmp_path / "account.yaml"
    file.write_text(json.dumps({**ACCOUNT, "now": MONDAY}))
    return file


@pytest.fixture
def said(monkeypatch):
    """What Cluster Autoscaler has said when it ends: its log, and the status that it keeps in the cluster."""
    words = []

    @contextmanager
    def heard(program, cluster, **options):
        with begin(program, cluster, **options) as running:
            yield running
            status = cluster.api.get("v1", "ConfigMap", "cluster-autoscaler-status", "kube-system")
            words.extend([running.log(), json.dumps(status)])

    begin = cluster_autoscaler.cluster_autoscaler
    monkeypatch.setattr(cluster_autoscaler, "cluster_autoscaler", heard)
    return words


def sized(report):
    """The scaling groups whose size anybody has set, by the calls that changed the account."""
    calls = [json.loads(line) for line in Path(report["state"], "aws.jsonl").read_text().splitlines()]
    found = [each["parameters"] for each in calls if each.get("operation") == "set_desired_capacity"]
    return {each["AutoScalingGroupName"] for each in found}


def test_an_active_block_is_nobody_s_to_scale(tmp_path, capsys, account, said):
    """Its four nodes are idle all the time: under the load that brings another node, and after it."""
    profile = tmp_path / "load.yaml"
    profile.write_text("for: 45m\nsteps: [{at: 0, requests: 110}, {at: 25m, requests: 10}]")

    report = load_on("prod", tmp_path, capsys, FOLLOWS, account=account, at=DURING_THE_BLOCK, profile=profile)

    assert when(report, "servers without a place 0 →") < when(report, "nodes of l4-shared 1 → 2")
    assert nodes(report, "h100") == {4}
    assert not [event for event in report["events"] if "h100" in event["what"]]
    (scaled,) = sized(report)
    assert "l4-shared" in scaled
    log, status = said
    assert scaled in log
    assert scaled in status
    assert "h100" not in log + status


def test_staging_follows_its_hours_and_its_load_and_then_stays(tmp_path, capsys, account):
    """As it is shipped: in office hours four servers at least, more with the load, all on the nodes that are there."""
    report = load_on("staging", tmp_path, capsys, account=account, at=DURING_THE_BLOCK, requests=60, lasts="40m")

    by_load = when(report, "replicas 4 →")
    open_at = next(sample["at"] for sample in report["samples"] if sample["replicas"] >= 4)
    assert open_at <= 600
    assert min(sample["replicas"] for sample in report["samples"] if sample["at"] >= open_at) >= 4
    assert by_load < when(report, "servers that answer", after=by_load)
    assert changes(report["samples"], "replicas", by_load + 2 * way(report)) <= 2
    last = report["samples"][-1]
    assert 4 < last["ready"] == last["replicas"] <= 8
    assert (nodes(report, "l4-shared"), nodes(report, "trn1")) == ({2}, {0})
    assert sized(report) == set()
    assert report["without"] == []
