"""By which fault, load or state of a cluster each alert is reached: the table, and what the exporters then show."""

from collections.abc import Callable
from dataclasses import dataclass

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.sharing import NVIDIA_SHARED_GPU, Partitioning, Sharing
from eks_accelerators.components.mig_user_data import layout_text
from eks_accelerators.simulator.metrics.faults import parse
from eks_accelerators.simulator.metrics.servers import ServerState
from tests.monitoring.stacks import END
from tests.simulator.metrics.worlds import ALL_THREE, Paper, pod, quota, vllm

GPU, NEURON = "nvidia.com/gpu", "aws.amazon.com/neuron"
STRIKES = 20
"""Minutes after which something goes wrong; until then all is well."""


@dataclass(frozen=True)
class Way:
    """``by`` says what makes the alert fire, in a word and then what. ``cluster`` is made anew for each use.

    ``happens`` changes the cluster at the minute `STRIKES`; ``every`` does at each look from then on, and is told the
    minutes since. ``fires`` is when the alert does, in minutes since then; there is a look every ``step`` minutes.
    """

    by: str
    cluster: Callable[[], Paper]
    fires: int
    happens: Callable[[Paper], None] = lambda paper: None
    every: Callable[[Paper, int], None] = lambda paper, minute: None
    step: int = 1
    well_before: bool = True
    """Whether the alert is silent until then; a state that is there from the beginning has no before."""


class Servers:
    """Servers that are all in one state."""

    def __init__(self, state=None):
        self.now = state or ServerState()

    def state(self, namespace, name):
        return self.now


def two_nodes(instance_type="g6.12xlarge", group="gpu", asks=GPU, *, exporter=None, **more):
    """Two nodes of a group with a training pod on the first: the second is the one of the fault's neighbours."""

    def made():
        paper = Paper(exporter=exporter)
        here = paper.add(group, instance_type, **more)
        paper.add(group, instance_type, **more)
        return paper.run(pod("training", here, {asks: 1}))

    return made


def serving(state=None, *arguments, servers=1):
    """vLLM servers on one node."""

    def made():
        paper = Paper(servers=Servers(state or ServerState(running=1, busy=0.8)))
        here = paper.add()
        return paper.run(*(vllm(f"llama-{number}", here, {GPU: 1}, *arguments) for number in range(servers)))

    return made


def fault(text, fires, cluster=None):
    """A fault of devices."""
    return Way(f"fault {text}", cluster or two_nodes(), fires, lambda paper: paper.faults.add(parse(text)))


def becomes(**changes):
    """The servers' state from a minute on: what is callable grows with the minutes."""

    def change(paper, minute):
        given = {name: value(minute) if callable(value) else value for name, value in changes.items()}
        paper.servers.now = ServerState(**{"running": 8, "busy": 1.0, **given})

    return change


def slow_tokens(share, per_minute=60):
    """So large a share of requests waits ten seconds for the first token."""

    def histogram(minute):
        empty = ServerState().time_to_first_token
        return empty.with_value(10.0, share * per_minute * minute).with_value(0.5, (1 - share) * per_minute * minute)

    return histogram


def taken():
    """One node, that a pod uses."""
    paper = Paper()
    return paper.run(pod("training", paper.add(), {GPU: 4}))


def not_ready(paper):
    (training,) = (each for each in paper.pods if each["metadata"]["name"] == "training")
    training["status"]["conditions"][-1]["status"] = "False"


def restarts(paper, minute):
    (training,) = (each for each in paper.pods if each["metadata"]["name"] == "training")
    training["status"]["containerStatuses"][0]["restartCount"] = minute // 5


def ends(paper):
    paper.pods = [each for each in paper.pods if each["metadata"]["name"] != "training"]


def on_a_block(before):
    """A cluster that begins so many minutes before its Capacity Block ends."""

    def made():
        paper = Paper(now=END - 60 * before)
        here = paper.add("h100", "p5.48xlarge")
        return paper.run(pod("training", here, {GPU: 8}))

    return made


def with_quota():
    paper = two_nodes()()
    paper.quotas.append(quota("team", hard={f"requests.{GPU}": 8}, used={f"requests.{GPU}": 1}))
    return paper


def full_quota(paper):
    paper.quotas[:] = [quota("team", hard={f"requests.{GPU}": 8}, used={f"requests.{GPU}": 8})]


def with_autoscalers():
    paper = two_nodes()()
    paper.deployments += [
        {"metadata": {"name": name, "namespace": "kube-system"}, "status": {"readyReplicas": 1}}
        for name in ("cluster-autoscaler", "karpenter-0123abcd", "keda-operator")
    ]
    return paper


def loses_one(paper):
    del paper.deployments[0]


NEURONS = two_nodes("trn1.32xlarge", "trn", NEURON)
SHARED = two_nodes(
    "g6.2xlarge", "shared", NVIDIA_SHARED_GPU, exporter=ALL_THREE, sharing=Sharing("timeSlicing", 4, renamed=True)
)
_LAYOUT = {"3g.20gb": 1, "1g.5gb": 4}
DIVIDED = two_nodes(
    "p4d.24xlarge",
    "divided",
    "nvidia.com/mig-3g.20gb",
    sharing=Sharing("mig", mig=Partitioning.of("mixed", [_LAYOUT])),
    mig_layout=layout_text(instance_types.get("p4d.24xlarge"), Partitioning.of("mixed", [_LAYOUT])),
)
H100 = two_nodes("p5.48xlarge", "h100", efa_interfaces=32)
HOUR = 60

WAYS = {
    "GpuXidNeedsReset": fault("xid=79", 1),
    "GpuXidOfApplication": fault("xid=31", 1),
    "GpuXidUnclassified": fault("xid=38", 1),
    "GpuRecoveryActionNeeded": fault("recovery=2", 6),
    "GpuHealthFailed": fault("xid=95", 3),
    "GpuDoubleBitEcc": fault("ecc=uncorrected", 1),
    "GpuRowRemapFailed": fault("row-remap=failed", 1),
    "GpuRowRemapPending": fault("row-remap=pending", 16),
    "AcceleratedHardwareNotReady": fault("xid=79", 2),
    "GpuThermalThrottle": fault("throttle=heat", 12),
    "GpuHardwareSlowdown": fault("throttle=power-brake", 11),
    "GpuPcieReplays": fault("pcie-replays=60", 20),
    "GpuNvlinkErrors": fault("nvlink=recovery", 7, H100),
    "EfaErrors": fault("efa", 2, H100),
    "GpuMemoryNearlyFull": fault("memory-full", 11, SHARED),
    "NeuronExecutionErrors": fault("neuron=hardware", 3, NEURONS),
    "NeuronUncorrectableEcc": fault("neuron-ecc=mem", 1, NEURONS),
    "GpuExporterMissing": fault("exporter-down=dcgm-exporter", 11),
    "NodeWithoutItsAccelerators": fault("plugin-down", 11),
    "AcceleratorDeviceLost": fault("xid=79", 6),
    "MigLayoutWrong": fault("mig-layout", 11, DIVIDED),
    "AcceleratorNodeUnhealthy": fault("condition=KernelReady", 11),
    "AcceleratorMetricsMissing": fault("exporter-down=node-monitoring-agent", 11),
    "AcceleratorPodUnschedulable": Way(
        "state: a pod for which there is no node",
        two_nodes(),
        16,
        lambda paper: paper.run(pod("waits", None, {GPU: 8})),
    ),
    "AcceleratorPodNotReady": Way("state: a pod that is not ready", two_nodes(), 31, not_ready),
    "AcceleratorPodRestarting": Way("state: a container that restarts", two_nodes(), 40, every=restarts),
    "VllmFirstTokenSlow": Way(
        "load: half of the requests wait", serving(), 8, every=becomes(time_to_first_token=slow_tokens(0.5))
    ),
    "VllmFirstTokenSlowish": Way(
        "load: a tenth of the requests waits", serving(), 60, every=becomes(time_to_first_token=slow_tokens(0.1))
    ),
    "VllmQueueGrowing": Way("load: more than 4 wait for each server", serving(servers=2), 6, every=becomes(waiting=9)),
    "VllmPreempting": Way(
        "load: the KV cache is full",
        serving(),
        22,
        every=becomes(
            kv_cache_usage=0.99, preemptions=lambda minute: 2 * minute, finished=lambda minute: {"stop": 6 * minute}
        ),
    ),
    "CapacityBlockEnding": Way("state: the clock", on_a_block(6 * HOUR + STRIKES), 1),
    "CapacityBlockEndingInUse": Way("state: the clock", on_a_block(90 + STRIKES), 1),
    "AutoscalerMissing": Way("state: an autoscaler's Deployment is gone", with_autoscalers, 11, loses_one),
    "AcceleratorQuotaNearlyUsed": Way("state: a quota that is used up", with_quota, 16, full_quota),
    "GpuIdleWithPod": Way("load: none", serving(ServerState()), 61, well_before=False),
    "ModelServerUnused": Way("load: none", serving(ServerState()), 6 * HOUR, step=5, well_before=False),
    "AcceleratorNodeUnused": Way("state: no pod asks for its devices", taken, 31, ends),
}
"""Every alert that a simulated exporter can reach."""

NOT_BY_SIMULATED_EXPORTERS = {
    "NodesNotLaunching": "the real Cluster Autoscaler counts what the simulated account refuses",
    "KarpenterNodesNotLaunching": "the real Karpenter counts the nodes that it gives up",
    "KarpenterLimitNearlyReached": "the real Karpenter says what its pools have",
    "AutoscalerStopped": "the real Cluster Autoscaler says whether it acts",
    "AutoscalerBlind": "the real KEDA counts what Prometheus does not answer",
}
"""Those that need the page of a real program."""


def begins(name):
    """When the story of an alert begins, in seconds since 1970."""
    return WAYS[name].cluster().now


def told(way):
    """Every page at every look: minutes since the beginning, and what is shown. The fault strikes at `STRIKES`."""
    paper = way.cluster()
    for minute in range(0, STRIKES + way.fires + 2 * way.step, way.step):
        if minute == STRIKES:
            way.happens(paper)
        if minute >= STRIKES:
            way.every(paper, minute - STRIKES)
        yield minute, paper.shown(60.0 * minute)
