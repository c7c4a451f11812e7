"""What panels that calculate say of a cluster, as Prometheus itself evaluates the very queries of the panels."""

import re
from dataclasses import dataclass, field

import pytest

from eks_accelerators.accelerators import prices
from eks_accelerators.monitoring.dashboards import PLANS
from eks_accelerators.monitoring.rules import rules_of
from tests.monitoring.cases.case import labelled
from tests.monitoring.cases.kubernetes import CORE, GPU, NEURON, SHARED
from tests.monitoring.dashboards import clusters
from tests.monitoring.dashboards.clusters import CLAIMED, FLEET, MIG_1G, MIG_2G, MIG_3G, gpu, holds
from tests.monitoring.dashboards.stacks import EVERY, WITH_MIG
from tests.monitoring.promtool import judged, needs_promtool
from tests.monitoring.stacks import CLAIMED as CLAIMED_STACK
from tests.monitoring.stacks import END, stack_of

pytestmark = needs_promtool
L4, FOUR_L4 = 0.9776, 4.6016
A100S, TRN1 = (float(prices.on_demand(name, "us-west-2")) for name in ("p4d.24xlarge", "trn1.32xlarge"))


@dataclass(frozen=True)
class Shown:
    """A panel, and what its query number ``query`` answers: values by labels, or one value without."""

    dashboard: str
    panel: str
    answers: object
    series: dict = field(default_factory=lambda: FLEET)
    query: int = 0
    chosen: dict = field(default_factory=dict)
    about: str = ""
    stack: str = "everything"
    at: str = "12m"
    begins: int | None = None
    section: str = ""

    @property
    def id(self):
        return ": ".join(filter(None, [self.dashboard, self.panel, str(self.query or ""), self.about]))

    @property
    def expression(self):
        (plan,) = [plan for plan in PLANS if plan.name == self.dashboard]
        panels = [panel for each in plan.sections for panel in each.panels if self.section in ("", each.title)]
        panel = next(panel for panel in panels if panel.title == self.panel)
        chosen = {**{variable.name: ".*" for variable in plan.variables}, **self.chosen}
        return re.sub(r"\$(\w+)", lambda found: chosen[found[1]], panel.queries[self.query].plain)

    def as_test(self):
        answers = self.answers if isinstance(self.answers, dict) else {"{}": self.answers}
        test = {
            "name": self.id,
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in self.series.items()],
            "promql_expr_test": [
                {
                    "expr": self.expression,
                    "eval_time": self.at,
                    "exp_samples": [{"labels": labels, "value": value} for labels, value in answers.items()],
                }
            ],
        }
        return test if self.begins is None else {**test, "start_timestamp": self.begins}


def by(**values):
    """Values by a label: `by(node_group={"gpu": 1})`."""
    ((label, each),) = values.items()
    return {labelled("", **{label: name}): value for name, value in each.items()}


def placed(values):
    """Values by instance type and zone."""
    return {labelled("", instance_type=kind, zone=zone): value for (kind, zone), value in values.items()}


def resources(values):
    return {labelled("", node_group=group, resource=name): value for (group, name), value in values.items()}


A, B = "us-west-2a", "us-west-2b"
FULL = {"DCGM_FI_DEV_GPU_UTIL": "40x120"}
MODEL = {"namespace": "llm", "model_name": "qwen", "engine": "0"}
ONE_GPU = {"node": "node-s", "gpu": "0"}


def histogram(name, buckets, pod="server"):
    """A histogram whose buckets grow by so many a minute."""
    return {labelled(f"{name}_bucket", **MODEL, pod=pod, le=edge): f"0+{count}x120" for edge, count in buckets.items()}


FIRST_TOKENS = {
    **histogram("vllm:time_to_first_token_seconds", {"0.5": 32, "1.0": 48, "2.5": 64, "5.0": 128, "+Inf": 128}),
    labelled("vllm:time_to_first_token_seconds_count", **MODEL, pod="server"): "0+128x120",
}
RANKS = {
    **gpu("n1", 0, [holds("rank-0")], metrics={"DCGM_FI_PROF_SM_ACTIVE": "0.9x120"}),
    **gpu("n1", 1, [holds("rank-0")], metrics={"DCGM_FI_PROF_SM_ACTIVE": "0.8x120"}),
    **gpu("n2", 0, [holds("rank-1")], metrics={"DCGM_FI_PROF_SM_ACTIVE": "0.4x120"}),
    **gpu("n3", 0, [holds("server")], metrics={"DCGM_FI_PROF_SM_ACTIVE": "0.1x120"}),
    **gpu("n4", 0, metrics={"DCGM_FI_PROF_SM_ACTIVE": "0x120"}),
}
TRAINING = {"namespace": "team", "pod": "rank-.*"}
BLOCK = {
    **clusters.node("node-h", clusters.labels_of_node("h100", "p5.48xlarge", A), {GPU: 8}, minutes=400),
    **clusters.pod("rank-0", "node-h", GPU, 6, minutes=400),
}
OF_BLOCK = labelled("", capacity_block="training", node_group="h100")

OF_POOL = labelled("", nodepool="pool", resource_type="nvidia.com/gpu")
GIVEN_UP = {"nodepool": "pool", "reason": "launch_timeout", "capacity_type": "spot"}

CASES = [
    Shown("fleet", "GPUs", 9),
    Shown("fleet", "Free", 3),
    Shown("fleet", "Held and idle", 2),
    Shown("fleet", "Busy", 3),
    Shown("fleet", "Broken", 1),
    Shown("fleet", "Broken", 0, clusters.WHOLE, about="none is"),
    Shown("fleet", "Broken", {}, {}, about="nothing of nothing"),
    Shown(
        "fleet",
        "Broken",
        1,
        {labelled("DCGM_EXP_XID_ERRORS_COUNT", node="x", gpu="0", UUID="U", xid="79"): "_x2 1x5 _x100"},
        about="an XID is seen for 5 minutes, and meant for longer",
    ),
    Shown("fleet", "Nodes", 5),
    Shown("fleet", "Nodes by NodePool", by(nodepool={"pool": 3, "empty": 0}), clusters.POOLS, about="launched"),
    Shown("fleet", "Nodes by NodePool", by(nodepool={"pool": 1, "empty": 0}), clusters.POOLS, 1, about="on their way"),
    *(
        Shown("fleet", "Limits of NodePools", {OF_POOL: value}, clusters.POOLS, query)
        for query, value in enumerate((3, 4, 0.75))
    ),
    Shown(
        "fleet",
        "Nodes that never came",
        {labelled("", nodepool="pool", reason="launch_timeout"): 2},
        {
            labelled("up", **clusters.KARPENTER): "1x120",
            labelled("karpenter_nodeclaims_disrupted_total", **clusters.KARPENTER, **GIVEN_UP): "_x5 2x120",
        },
    ),
    Shown("fleet", "GPUs by what they do", by(state={"free": 3, "idle": 2, "busy": 3, "broken": 1})),
    Shown(
        "fleet",
        "By type and zone",
        placed(
            {
                ("g6.2xlarge", A): 1,
                ("g6.2xlarge", B): 1,
                ("g6.12xlarge", A): 1,
                ("p4d.24xlarge", B): 1,
                ("trn1.32xlarge", A): 1,
            }
        ),
        about="nodes",
    ),
    Shown(
        "fleet",
        "By type and zone",
        placed({("g6.2xlarge", B): 1, ("g6.12xlarge", A): 1, ("p4d.24xlarge", B): 1}),
        query=1,
        about="free",
    ),
    Shown("fleet", "By type and zone", placed({("g6.12xlarge", A): 1, ("p4d.24xlarge", B): 1}), query=2, about="idle"),
    Shown(
        "fleet",
        "By type and zone",
        placed({("g6.2xlarge", A): 1, ("g6.12xlarge", A): 1, ("p4d.24xlarge", B): 1}),
        query=3,
        about="busy",
    ),
    Shown("fleet", "By type and zone", placed({("g6.12xlarge", A): 1}), query=4, about="broken"),
    Shown(
        "fleet",
        "Busy",
        1,
        {
            **gpu("x", 0, [holds("a")], metrics=FULL),
            labelled(clusters.ENGINE, node="x", gpu="0", UUID="GPU-x-0", **holds("a")): "_x120",
        },
        about="where the profiling counters are missing, the driver's own use counts",
    ),
    Shown(
        "fleet",
        "Held and idle",
        1,
        gpu("x", 0, [holds("a", vgpu="0"), holds("b", vgpu="1")], 0.01),
        about="two pods that do nothing hold one GPU",
    ),
    Shown(
        "fleet",
        "Free, by node group",
        {
            labelled("accelerator:free", node_group=group, resource=name): value
            for group, name, value in (
                ("gpu", GPU, 1),
                ("shared", SHARED, 13),
                ("divided", MIG_3G, 7),
                ("divided", MIG_2G, 7),
                ("divided", MIG_1G, 15),
                ("trn", NEURON, 16),
                ("trn", CORE, 30),
            )
        },
    ),
    Shown(
        "fleet",
        "Offered, asked for and free",
        resources({("gpu", GPU): 1}),
        {
            **clusters.node("node-a", clusters.labels_of_node("gpu", "g6.2xlarge", A), {GPU: 8}),
            labelled("kube_node_status_allocatable", node="node-a", resource=GPU, unit="integer"): "7x120",
        },
        query=3,
        about="a lost GPU",
    ),
    Shown("fleet", "GPUs", 2, CLAIMED, stack="claimed", about="claimed"),
    Shown("fleet", "Held and idle", 1, CLAIMED, stack="claimed", about="claimed"),
    Shown("fleet", "Free", 1, CLAIMED, stack="claimed", about="claimed"),
    Shown("gpu", "Pods", 2, chosen=ONE_GPU),
    Shown("gpu", "Pods", 0, chosen={"node": "node-b", "gpu": "0"}, about="nobody"),
    Shown("gpu", "Pods", 2, chosen={"node": "node-m", "gpu": "0"}, about="of its instances"),
    Shown("gpu", "Does", by(state={"busy": 1}), chosen=ONE_GPU),
    Shown(
        "gpu",
        "Engine, multiprocessors, tensor cores and memory",
        {"{}": 0.7},
        chosen=ONE_GPU,
        about="once, though two pods share it",
    ),
    Shown(
        "gpu",
        "Engine, multiprocessors, tensor cores and memory",
        by(GPU_I_ID={"1": 0.9, "2": 0, "3": 0}),
        chosen={"node": "node-m", "gpu": "0"},
        about="of each instance",
    ),
    Shown(
        "gpu",
        "Load of each pod",
        {
            labelled("", namespace="team", pod="a", vgpu="0"): 0.3,
            labelled("", namespace="team", pod="b", vgpu="1"): 0.6,
        },
        {
            labelled("DCGM_FI_DEV_GPU_UTIL", node="x", gpu="0", UUID="U", **holds("a", vgpu="0")): "30x120",
            labelled("DCGM_FI_DEV_GPU_UTIL", node="x", gpu="0", UUID="U", **holds("b", vgpu="1")): "60x120",
            labelled("DCGM_FI_DEV_GPU_UTIL", node="x", gpu="0", UUID="U"): "90x120",
        },
        chosen={"node": "x", "gpu": "0"},
        about="the whole GPU's is no pod's",
    ),
    Shown("servers", "Late first tokens", 0.5, FIRST_TOKENS),
    Shown(
        "servers",
        "Time to first token",
        {labelled("", namespace="llm", model_name="qwen"): 2.5},
        FIRST_TOKENS,
        about="half of them",
    ),
    Shown(
        "servers",
        "Tokens a second",
        30,
        {labelled("vllm:generation_tokens_total", **MODEL, pod=name): "0+900x120" for name in ("a", "b")},
    ),
    Shown("training", "Ranks", 3, RANKS, chosen=TRAINING),
    Shown("training", "On average", 0.7, RANKS, chosen=TRAINING),
    Shown("training", "Slowest rank", 0.4, RANKS, chosen=TRAINING),
    Shown("training", "Between the slowest and the fastest", 0.5, RANKS, chosen=TRAINING),
    Shown(
        "training",
        "Ranks",
        2,
        clusters.INSTANCES,
        chosen={"namespace": "team", "pod": "five|six"},
        about="instances of one GPU",
    ),
    Shown("neuron", "Devices", 16),
    Shown("neuron", "Allocated", 1 / 16, about="2 of 32 cores", section="Cores"),
    Shown("cost", "USD per hour", 2 * L4 + FOUR_L4 + A100S + TRN1),
    Shown("cost", "A month at this rate", 730 * (2 * L4 + FOUR_L4 + A100S + TRN1)),
    Shown(
        "cost",
        "Allocated",
        {
            labelled("accelerator:allocated_ratio", node_group=group): value
            for group, value in (("gpu", 1 / 2), ("shared", 3 / 16), ("divided", 7 / 64), ("trn", 1 / 16))
        },
    ),
    Shown(
        "cost",
        "Not allocated",
        L4 + FOUR_L4 * 13 / 16 + A100S * 57 / 64 + TRN1 * 15 / 16,
    ),
    Shown("cost", "Not allocated", L4, CLAIMED, stack="claimed", about="claimed"),
    Shown("cost", "Held and idle", FOUR_L4 / 4 + A100S / 3),
    Shown("cost", "Held and idle", L4, CLAIMED, stack="claimed", about="claimed"),
    Shown("cost", "Nodes without a price", 0),
    Shown("cost", "Nodes without a price", 1, BLOCK, about="of a Capacity Block"),
    Shown("cost", "USD per hour", {}, BLOCK, about="of a Capacity Block nobody knows"),
    Shown(
        "cost",
        "A million tokens",
        {"accelerator:usd_per_million_tokens": 1e6 * 2 * L4 / 3600 / 1000},
        {**clusters.WHOLE, labelled("vllm:generation_tokens_total", **MODEL, pod="one"): "0+60000x120"},
        at="90m",
    ),
    Shown(
        "capacity-blocks",
        "Until the nodes are drained",
        {OF_BLOCK: 3600 * 4 - 2400},
        BLOCK,
        begins=END - 3600 * 4 - 12 * 60,
    ),
    Shown("capacity-blocks", "Until the block ends", {}, BLOCK, begins=END - 60, about="it has ended"),
    Shown("capacity-blocks", "Blocks", {OF_BLOCK: END * 1000}, BLOCK),
    Shown("capacity-blocks", "Blocks", {OF_BLOCK: 6 / 8}, BLOCK, query=3, about="allocated"),
    Shown(
        "capacity-blocks",
        "Nodes",
        {labelled("accelerator:nodes", node_group="h100"): 1},
        {**FLEET, **BLOCK},
        about="of blocks alone",
    ),
]
STACKS = {"everything": WITH_MIG, "claimed": CLAIMED_STACK}


@pytest.fixture(scope="module", params=STACKS)
def said(request, tmp_path_factory):
    """All cases of a stack at once, as one process: what promtool does not agree with, by the name of the case."""
    rules = rules_of(stack_of(STACKS[request.param]), EVERY)
    cases = [case.as_test() for case in CASES if case.stack == request.param]
    return judged(tmp_path_factory.mktemp(request.param), rules, cases)


def test_panels_say_what_is_there(said):
    if said:
        pytest.fail(said, pytrace=False)


def test_every_case_has_a_name_of_its_own():
    names = [case.id for case in CASES]

    assert sorted(set(names)) == sorted(names)
