"""The text of a page, and what stands behind a server's."""

import math

import pytest

from eks_accelerators.simulator.metrics.exposition import Sample, number, page
from eks_accelerators.simulator.metrics.servers import INTER_TOKEN, REQUEST, TIME_TO_FIRST_TOKEN, Histogram, IdleServers
from tests.simulator.metrics.worlds import Paper, vllm


def test_series_of_one_metric_stand_together_under_its_type():
    shown = [
        Sample("kube_node_spec_unschedulable", {"node": "a"}, False),
        Sample("kube_pod_status_unschedulable", {}, 1),
        Sample("kube_node_spec_unschedulable", {"node": 'b"\\\n'}, True),
    ]

    assert page(shown) == (
        "# HELP kube_node_spec_unschedulable Whether a node is cordoned.\n"
        "# TYPE kube_node_spec_unschedulable gauge\n"
        'kube_node_spec_unschedulable{node="a"} 0\n'
        'kube_node_spec_unschedulable{node="b\\"\\\\\\n"} 1\n'
        "# HELP kube_pod_status_unschedulable A pod is on no node, and its condition `PodScheduled` says so.\n"
        "# TYPE kube_pod_status_unschedulable gauge\n"
        "kube_pod_status_unschedulable 1\n"
    )


def test_what_the_catalogue_does_not_have_is_no_sample():
    with pytest.raises(KeyError, match="made_up"):
        page([Sample("made_up", {}, 1)])


@pytest.mark.parametrize(
    ("value", "written"),
    [(3, "3"), (3.0, "3"), (0.25, "0.25"), (True, "1"), (math.inf, "+Inf"), (math.nan, "NaN"), (1e16, "1e+16")],
)
def test_numbers_are_written_as_prometheus_reads_them(value, written):
    assert number(value) == written


def test_a_histogram_counts_up_to_each_end():
    histogram = Histogram.empty((0.1, 1.0)).with_value(0.1).with_value(0.5, 2).with_value(7.0)

    assert list(histogram.cumulative()) == [(0.1, 1), (1.0, 3), (math.inf, 4)]
    assert histogram.count == 4
    assert histogram.total == pytest.approx(8.1)


def test_a_server_that_nobody_asks_is_there_and_has_all_its_buckets():
    paper = Paper(servers=IdleServers())
    paper.run(vllm("llama", paper.add(), {"nvidia.com/gpu": 1}, "--served-model-name", "chat"))

    ends = {
        name: [labels["le"] for labels, _ in paper.series(f"vllm:{name}_seconds_bucket")]
        for name in ("time_to_first_token", "inter_token_latency", "e2e_request_latency", "request_queue_time")
    }

    assert ends == {
        "time_to_first_token": [*map(repr, TIME_TO_FIRST_TOKEN), "+Inf"],
        "inter_token_latency": [*map(repr, INTER_TOKEN), "+Inf"],
        "e2e_request_latency": [*map(repr, REQUEST), "+Inf"],
        "request_queue_time": [*map(repr, REQUEST), "+Inf"],
    }
    assert {labels["model_name"] for labels, _ in paper.series("vllm:num_requests_running")} == {"chat"}
    assert "2.5" in ends["time_to_first_token"]  # the edge that the objective is


def test_a_server_that_does_not_serve_yet_does_not_answer():
    paper = Paper()
    starting = vllm("llama", paper.add(), {"nvidia.com/gpu": 1})
    starting["status"]["conditions"][-1]["status"] = "False"
    paper.run(starting)

    assert [target.answers for target, _ in paper.shown() if target.exporter.value == "vllm"] == [False]
