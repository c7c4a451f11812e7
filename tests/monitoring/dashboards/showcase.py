"""A cluster on paper that has everything, with work, idleness and faults, and the real Prometheus that watches it."""

import time
from contextlib import contextmanager
from datetime import UTC, datetime

from eks_accelerators.accelerators.sharing import Partitioning, Sharing
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rule_files import as_rule_file
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.faults import parse
from eks_accelerators.simulator.metrics.metrics_server import MetricsServer
from eks_accelerators.simulator.metrics.servers import (
    INTER_TOKEN,
    REQUEST,
    TIME_TO_FIRST_TOKEN,
    Histogram,
    ServerState,
)
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import prometheus
from tests.monitoring.dashboards.stacks import WITH_MIG
from tests.monitoring.stacks import stack_of
from tests.simulator.metrics.worlds import ALL_THREE, NOW, Paper, pod, quota, vllm

FACTOR = 120
"""Two simulated minutes pass in a second."""

OF_KARPENTER = {"namespace": "kube-system", "pod": "karpenter-0"}

LONG_ENOUGH = 80 * 60
"""Simulated seconds after which every alert that is meant to fires: the slowest looks back on an hour."""

EFA_FAULT_AT = 20 * 60
BLOCK_ENDS = {"training": datetime.fromtimestamp(NOW + 100 * 60, tz=UTC)}
"""When the Capacity Block ends: within the time at which both of its alerts speak."""

SHARED, MIG = "nvidia.com/gpu.shared", "nvidia.com/mig-{}"
_LAYOUT = {"3g.20gb": 1, "2g.10gb": 1, "1g.5gb": 2}
_FILE = "".join(f"{index} 3g.20gb,2g.10gb,1g.5gb,1g.5gb\n" for index in range(8))
REQUESTS_A_SECOND, TOKENS_OF_AN_ANSWER = 4.0, 150.0


def _seen(ends, counts, requests):
    """A histogram of so many requests, a share of them with each value."""
    found = Histogram.empty(ends)
    for value, share in counts.items():
        found = found.with_value(value, requests * share)
    return found


class BusyServers:
    """Servers that are asked more in some minutes than in others, and one that nobody asks."""

    def __init__(self):
        self._began = time.time()

    def state(self, namespace, name):
        seconds = time.time() - self._began
        if name.startswith("forgotten"):
            return ServerState()
        wave = 0.5 + 0.5 * (int(seconds * FACTOR / 600) % 2)
        requests = REQUESTS_A_SECOND * seconds
        tokens = requests * TOKENS_OF_AN_ANSWER
        return ServerState(
            running=round(12 * wave),
            waiting=round(9 * wave),
            kv_cache_usage=0.35 + 0.6 * wave,
            busy=0.3 + 0.6 * wave,
            preemptions=0.05 * seconds,
            prompt_tokens=tokens * 2,
            generation_tokens=tokens,
            prefix_cache_queries=tokens * 2,
            prefix_cache_hits=tokens * 0.8,
            finished={"stop": requests * 0.9, "length": requests * 0.1},
            time_to_first_token=_seen(TIME_TO_FIRST_TOKEN, {0.3: 0.6, 2.0: 0.2, 4.0: 0.2}, requests),
            inter_token=_seen(INTER_TOKEN, {0.02: 0.7, 0.04: 0.3}, tokens),
            request=_seen(REQUEST, {3: 0.6, 8: 0.4}, requests),
            queue=_seen(REQUEST, {0.2: 0.6, 1.8: 0.2, 3.5: 0.2}, requests),
        )


KARPENTER = Target(Exporter.KARPENTER, "karpenter", {"job": "karpenter", "instance": "k:8080", **OF_KARPENTER})


def of_karpenter(now):
    """What Karpenter shows of a pool: of its two nodes one is there, and one more was given up after a while."""
    pool = {"nodepool": "pool"}
    for resource in ("nodes", "nvidia.com/gpu"):
        yield Sample("karpenter_nodepools_usage", {**pool, "resource_type": resource}, 2)
    yield Sample("karpenter_nodepools_limit", {**pool, "resource_type": "nvidia.com/gpu"}, 2)
    if now > NOW + EFA_FAULT_AT:
        why = {"reason": "insufficient_capacity", "capacity_type": "on-demand"}
        yield Sample("karpenter_nodeclaims_disrupted_total", {**pool, **why}, 1)


def cluster():
    """The nodes of every group of the stack with everything, and what runs on them."""
    paper = Paper(
        "xid=79:shared", "throttle=heat:h100", "neuron=hardware:trn", exporter=ALL_THREE, servers=BusyServers()
    )
    timed, divided = Sharing("timeSlicing", 4, renamed=True), Sharing("mig", mig=Partitioning.of("mixed", [_LAYOUT]))
    one = paper.add("gpu", "g6.2xlarge", zone="us-east-2a")
    unused = paper.add("gpu", "g6.2xlarge", zone="us-east-2b")
    paper.add("gpu", "g6.2xlarge", zone="us-east-2b")
    paper.add("pool", "g6.2xlarge", zone="us-east-2b")
    shared = paper.add("shared", "g6.12xlarge", timed, zone="us-east-2a")
    mig = paper.add("divided", "p4d.24xlarge", divided, zone="us-east-2b", mig_layout=_FILE)
    blocks = [paper.add("h100", "p5.48xlarge", zone="us-east-2c", efa_interfaces=32) for _ in range(2)]
    neuron = paper.add("trn", "trn1.32xlarge", zone="us-east-2c", efa_interfaces=8)
    paper.run(
        vllm("qwen-0", one, {"nvidia.com/gpu": 1}),
        vllm("forgotten-2", unused, {"nvidia.com/gpu": 1}),
        *(
            vllm(name, shared, {SHARED: 1}, "--gpu-memory-utilization", "0.22")
            for name in ("small-0", "small-1", "forgotten-0", "small-2", "small-3", "small-4")
        ),
        pod("notebook", mig, {MIG.format("3g.20gb"): 1}),
        pod("embedding", mig, {MIG.format("1g.5gb"): 1}),
        vllm("forgotten-1", mig, {MIG.format("2g.10gb"): 1}),
        *(pod(f"train-{rank}", here, {"nvidia.com/gpu": 8}) for rank, here in enumerate(blocks)),
        pod("trainium-0", neuron, {"aws.amazon.com/neuron": 4}),
        pod("waits", None, {"nvidia.com/gpu": 8}),
    )
    paper.quotas.append(quota("team", hard={"requests.nvidia.com/gpu": 20}, used={"requests.nvidia.com/gpu": 19}))
    return paper


class _Watched:
    """The cluster as its exporters see it now; a fault of EFA comes later, as it has to grow to be seen."""

    def __init__(self, paper, clock):
        self._paper, self._clock, self._waiting = paper, clock, True

    def scrape(self):
        if self._waiting and self._clock.now() > NOW + EFA_FAULT_AT:
            self._paper.faults.add(parse("efa:h100"))
            self._waiting = False
        of_karpenter_now = KARPENTER, tuple(of_karpenter(self._clock.now()))
        return [*self._paper.shown(time.time() - self._clock.wall_begin), of_karpenter_now]


def stack():
    return stack_of(WITH_MIG)


@contextmanager
def watched(program, folder):
    """The Prometheus of the cluster, with all rules of its stack, after `LONG_ENOUGH`."""
    clock = PacedClock.beginning_now(Pace(FACTOR), NOW)
    rules = as_rule_file(rules_of(stack(), frozenset(Exporter), BLOCK_ENDS))
    with MetricsServer(_Watched(cluster(), clock), folder / "targets.json", interval=0.2) as exporters:
        settings = PrometheusSettings([exporters.targets], rules, scrape_seconds=60, evaluation_seconds=60)
        with prometheus(program, settings, clock) as server:
            time.sleep(clock.pace.wall(LONG_ENOUGH))
            yield server
