"""An exporter that does not answer is alerted of, whichever it is, by the job that a scrape gives it."""

import re

import pytest

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.monitoring.scraping import targets
from eks_accelerators.simulator.alert_causes import CAUSES, Site
from eks_accelerators.simulator.keda.server import JOB
from eks_accelerators.simulator.load.node_autoscalers import AUTOSCALERS
from tests.monitoring.cases.case import labelled
from tests.monitoring.promtool import judged, needs_promtool
from tests.monitoring.stacks import CLAIMED, EVERYTHING, stack_of
from tests.simulator.metrics.ways_to_alerts import STRIKES, fault, told
from tests.simulator.metrics.worlds import Paper, pod

MISSING = "AcceleratorMetricsMissing"
CALLED = re.compile(re.search(r'job=~"([^"]*)"', ALERTS[MISSING].expression)[1])
DOWN = {
    cause.text.partition("=")[2]: cause
    for cause in CAUSES
    if cause.text.startswith("exporter-down=") and MISSING in cause.fires
}
QWEN = {"model": "Qwen/Qwen2.5-0.5B-Instruct"}
AMP = {"monitoring.prometheus": "amp"}
SCRAPED = {
    "everything": {**AMP, **EVERYTHING, **CLAIMED},
    "operator": {**AMP, "nvidia.stack": "operator"},
    "triton": {**AMP, "workloads": {"triton": {"qwen": {"nodeGroup": "gpu", "vllm": QWEN}}}},
}


def cluster():
    """A node with a server of each kind, and one of Neuron."""
    paper = Paper()
    here = paper.add()
    paper.add("trn", "trn1.2xlarge")
    return paper.run(*(pod(name, here, app=name) for name in ("vllm", "triton", "nim", "tf-serving")))


def answers(way):
    """Whether each job answers, minute by minute: by its job and instance."""
    found = {}
    for _, shown in told(way):
        for target, _ in shown:
            found.setdefault((target.exporter, *sorted(target.labels.items())), []).append(int(target.answers))
    return found


@pytest.mark.parametrize("patch", SCRAPED.values(), ids=SCRAPED)
def test_every_job_that_a_stack_scrapes_is_ours(patch):
    assert [target.name for target in targets(stack_of(patch)) if not CALLED.fullmatch(target.name)] == []


def test_so_is_every_job_of_the_simulation():
    shown = [target for _, found in told(fault("exporter-down", 1, cluster)) for target, _ in found]

    assert {target.exporter.value for target in shown} == DOWN.keys()
    assert [target for target in shown if not CALLED.fullmatch(target.labels["job"])] == []


def test_so_are_those_of_the_real_autoscalers():
    real = {JOB, *(each.engine for each in AUTOSCALERS.values())}

    assert [job for job in real if not CALLED.fullmatch(job)] == []


class TestByPromtool:
    pytestmark = needs_promtool

    def test_it_alone_is_missing_after_ten_minutes(self, tmp_path):
        (group,) = (
            each for each in rules_of(stack_of(EVERYTHING), Exporter) if MISSING in {rule.name for rule in each.rules}
        )

        if said := judged(tmp_path, [group], [asked(name, cause) for name, cause in DOWN.items()]):
            pytest.fail(said, pytrace=False)


def asked(name, cause):
    """Nothing is missing a minute before, and one job is when the table says so."""
    after = int(cause.fires[MISSING])
    where = ":trn" if cause.site is Site.NEURON else ""
    series = answers(fault(f"{cause.text}{where}", after, cluster))
    (job,) = {dict(labels)["job"] for (exporter, *labels), seen in series.items() if exporter == name and not all(seen)}
    firing = f'ALERTS{{alertname="{MISSING}", alertstate="firing"}}'
    return {
        "name": cause.text,
        "interval": "1m",
        "input_series": [
            {"series": labelled("up", **dict(labels)), "values": " ".join(map(str, seen))}
            for (_, *labels), seen in series.items()
        ],
        "promql_expr_test": [
            {"expr": firing, "eval_time": f"{STRIKES + 9}m", "exp_samples": []},
            {
                "expr": f"count by (job) ({firing})",
                "eval_time": f"{STRIKES + after}m",
                "exp_samples": [{"labels": f'{{job="{job}"}}', "value": 1}],
            },
        ],
    }
