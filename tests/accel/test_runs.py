"""What one run of a training job, or of a test of the network, takes and costs, or one server that spans nodes: in the report,
as text and as Markdown.
"""

import datetime
import io
from decimal import Decimal

import pytest

from eks_accelerators.accel.render_markdown import markdown
from eks_accelerators.accel.render_text import console, print_report
from eks_accelerators.accel.report import check_settings
from tests.settings.example import RESERVED, check
from tests.settings.rules.servers_across_nodes import ON_BOTH
from tests.settings.rules.servers_across_nodes import TWO_P5 as FOR_SERVERS
from tests.settings.rules.training import ONE_L4, TRAINIUM, TWO_P5, job, measured

TODAY = datetime.date(2026, 11, 22)


def report(patch):
    return check_settings("dev", check(patch), TODAY).report


CASES = {
    "on demand": (
        {**TWO_P5, **job(2, 8, efaInterfaces=32)},
        "2 x 8 GPUs = 16, 16 ranks; 8 of 8 per node, 32 of 32 EFA; controller: job",
        "",
    ),
    "on a Capacity Block": (
        {**RESERVED, **job(2, 8)},
        "2 x 8 GPUs = 16, 16 ranks; 8 of 8 per node; controller: job",
        "paid up front with the Capacity Block",
    ),
    "on Trainium": (
        {**TRAINIUM, **job(2, 16, efaInterfaces=8)},
        "2 x 16 Neuron devices = 32, 64 ranks; 16 of 16 per node, 8 of 8 EFA; controller: job",
        "",
    ),
    "a server": (
        {**FOR_SERVERS, **ON_BOTH},
        "2 x 8 GPUs = 16 per server, tensor parallel 8 x pipeline parallel 2; 8 of 8 per node, 32 of 32 EFA",
        "",
    ),
    "a test": (
        {**TWO_P5, **measured(2, 8, efaInterfaces=32)},
        "2 x 8 GPUs = 16, 16 ranks; 8 of 8 per node, 32 of 32 EFA; 437 GB/s at 1024 MiB measured elsewhere",
        "",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_run_takes(name):
    patch, words, note = CASES[name]
    (workload,) = report(patch).workloads

    assert workload.run is not None
    assert (workload.run.words, workload.run.note) == (words, note)


def test_a_server_that_spans_nodes_costs_what_its_nodes_cost():
    found = report({**FOR_SERVERS, **ON_BOTH})
    (group,), (workload,) = found.node_groups, found.workloads

    assert workload.run is not None
    assert workload.run.usd_per_hour == group.usd_per_hour_at_desired > Decimal(100)
    assert (workload.replicas, workload.placed, workload.pods_per_node) == (2, 2, 1)
    assert "1 on 2 nodes each" in markdown(found)


def test_a_run_costs_what_its_nodes_cost():
    found = report({**TWO_P5, **job(1, 8)})
    (group,), (workload,) = found.node_groups, found.workloads

    assert workload.run.usd_per_hour == group.usd_per_hour_at_desired / 2 > Decimal(50)


def test_on_a_block_an_hour_has_no_price():
    (workload,) = report({**RESERVED, **job(2, 8)}).workloads

    assert workload.run.usd_per_hour is None


def test_a_server_has_no_run():
    (workload,) = report({}).workloads

    assert workload.run is None


def test_runs_are_printed(snapshot):
    stream = io.StringIO()
    found = report({**ONE_L4, **job()})
    print_report(found, console(stream))
    text = stream.getvalue()

    assert text[text.index("Runs") : text.index("Sharing and headroom")] == snapshot
    assert "1 x 1 GPU = 1, 1 rank" in markdown(found)
