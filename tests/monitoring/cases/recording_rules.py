"""What recording rules say of a cluster: expressions, and what they answer after some minutes."""

from dataclasses import dataclass

from tests.monitoring.cases.kubernetes import CORE, GPU, GPU_LABELS, NEURON, NEURON_LABELS, SHARED, node, pod
from tests.monitoring.stacks import END


@dataclass(frozen=True)
class Recorded:
    """``answers`` are values by series."""

    about: str
    series: dict[str, str]
    expression: str
    answers: dict[str, float]
    at: int = 20

    def as_test(self):
        """The test as promtool reads it."""
        return {
            "name": self.about,
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in self.series.items()],
            "promql_expr_test": [
                {
                    "expr": self.expression,
                    "eval_time": f"{self.at}m",
                    "exp_samples": [{"labels": name, "value": value} for name, value in self.answers.items()],
                }
            ],
        }


TYPE = "label_node_kubernetes_io_instance_type"
POOL_LABELS = {"label_nvidia_com_gpu_present": "true", "label_eks_accelerators_node_group": "pool"}
SHARED_LABELS = {"label_nvidia_com_gpu_present": "true", "label_eks_accelerators_node_group": "shared"}
CLUSTER = {
    **node("node-a", {**GPU_LABELS, TYPE: "g6.2xlarge"}, {GPU: 1}),
    **node("node-b", {**GPU_LABELS, TYPE: "g6.2xlarge"}, {GPU: 1}),
    **pod("one", "node-a"),
    **pod("done", "node-b", phase="Succeeded"),
    **pod("waiting", "", phase="Pending"),
    **node("node-s", {**SHARED_LABELS, TYPE: "g6.12xlarge"}, {SHARED: 16}),
    **pod("two", "node-s", SHARED, 3),
    **node("node-t", {**NEURON_LABELS, TYPE: "trn1.32xlarge"}, {NEURON: 16, CORE: 32}),
    **pod("four", "node-t", CORE, 2),
    **node("system", {}, {"cpu": 8}),
}
"""Two nodes of whole GPUs, one of shares, one of Neuron, one without accelerators."""

CASES = [
    Recorded(
        "nodes of each group",
        CLUSTER,
        "accelerator:nodes",
        {
            f'accelerator:nodes{{node_group="{group}"}}': count
            for group, count in (("gpu", 2), ("shared", 1), ("trn", 1))
        },
    ),
    Recorded(
        "what is free: a pod that has ended, or waits, holds nothing",
        CLUSTER,
        "accelerator:free",
        {
            f'accelerator:free{{node_group="{group}", resource="{resource}"}}': count
            for group, resource, count in (
                ("gpu", GPU, 1),
                ("shared", SHARED, 13),
                ("trn", NEURON, 16),
                ("trn", CORE, 30),
            )
        },
    ),
    Recorded(
        "what is free while a new copy of kube-state-metrics takes over, and both tell",
        {
            f'{name[:-1]}, instance="{copy}"}}': values
            for name, values in CLUSTER.items()
            for copy in ("old:8080", "new:8080")
        },
        'accelerator:free{node_group="shared"}',
        {f'accelerator:free{{node_group="shared", resource="{SHARED}"}}': 13},
    ),
    Recorded("nothing without nodes", {}, "accelerator:free or accelerator:usd_per_hour", {}),
    Recorded(
        "USD per hour of groups that are bought on demand",
        CLUSTER,
        "accelerator:usd_per_hour",
        {
            f'accelerator:usd_per_hour{{node_group="{group}"}}': usd
            for group, usd in (("gpu", 2 * 0.9776), ("shared", 4.6016), ("trn", 21.5))
        },
    ),
    Recorded(
        "nodes of a pool that has several types cost what their types do; a node of another type than those has no price",
        {
            **node("first", {**POOL_LABELS, TYPE: "g6.2xlarge"}, {GPU: 1}),
            **node("second", {**POOL_LABELS, TYPE: "g6.4xlarge"}, {GPU: 1}),
            **node("before", {**POOL_LABELS, TYPE: "g6.xlarge"}, {GPU: 1}),
        },
        "accelerator:usd_per_hour",
        {'accelerator:usd_per_hour{node_group="pool"}': 0.9776 + 1.3232},
    ),
    Recorded(
        "USD per million tokens: two nodes serve 1000 tokens per second",
        {**CLUSTER, 'vllm:generation_tokens_total{namespace="llm", model_name="qwen", pod="one"}': "0+60000x100"},
        "accelerator:usd_per_million_tokens",
        {"accelerator:usd_per_million_tokens": 1e6 * 2 * 0.9776 / 3600 / 1000},
        at=90,
    ),
    Recorded(
        "no price of a token where none is made",
        {**CLUSTER, 'vllm:generation_tokens_total{namespace="llm", model_name="qwen", pod="one"}': "5x60"},
        "accelerator:usd_per_million_tokens",
        {},
    ),
    Recorded(
        "when a Capacity Block ends",
        {},
        "accelerator:capacity_block_end_timestamp_seconds",
        {'accelerator:capacity_block_end_timestamp_seconds{capacity_block="training", node_group="h100"}': END},
    ),
]
