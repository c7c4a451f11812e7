"""Every alert and every finding of a verification has a page that says what to do, and every page is somebody's."""

import re

import pytest

from eks_accelerators.monitoring import alerts_page, metrics_page
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.metrics import series
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.monitoring.recording_rules import OF_EVERY_STACK, OF_SOME_STACKS
from eks_accelerators.verification.codes import CODES
from tests.docs.pages import ROOT, RUNBOOKS, blocks, links, text

HEADINGS = ["What it means", "Look", "Do, in this order", "Over when", "Try it"]
OF_ALERTS = {alert.runbook for alert in ALERTS.values()}
RECORDED = {rule.name for rule in OF_EVERY_STACK} | OF_SOME_STACKS.keys()


def test_every_page_is_reached_from_an_alert():
    assert {page.stem for page in RUNBOOKS} == OF_ALERTS | {code.runbook.removesuffix(".md") for code in CODES.values()}
    assert {f"runbooks/{name}.md" for name in OF_ALERTS} <= set(links(ROOT / "docs" / "alerts.md"))


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
class TestPage:
    def test_it_names_its_alerts_and_no_others_first(self, page):
        first = re.search(r"^Alerts: (.*?)\.$", text(page), re.MULTILINE | re.DOTALL)[1]

        assert set(re.findall(r"`(\w+)`", first)) == {
            alert.name for alert in ALERTS.values() if alert.runbook == page.stem
        }

    def test_it_has_its_parts_in_order(self, page):
        assert re.findall(r"^## (.+)$", text(page), re.MULTILINE) == HEADINGS

    def test_alerts_that_it_names_exist(self, page):
        """Words of several capitals, such as `GpuDoubleBitEcc`, that begin as alerts do."""
        begin = "|".join({re.match(r"[A-Z][a-z]+", name)[0] for name in ALERTS})

        named = set(re.findall(rf"`((?:{begin})[A-Z]\w+)`", text(page)))

        assert named <= ALERTS.keys() | {"AcceleratedHardwareReady", "NeuronHBMUncorrectableError"}

    def test_expressions_ask_for_what_there_is(self, page):
        for block in blocks(page, "text"):
            for expression in block.splitlines():
                assert series_of(expression) <= series().keys() | RECORDED

    def test_expressions_count_a_gpu_once(self, page):
        """Each pod that shares a GPU has a copy of what is said of it."""
        assert not re.findall(r"\b(?:sum|count|avg) [^\n]*DCGM_", "\n".join(blocks(page, "text")))

    def test_it_says_what_to_type(self, page):
        tried = text(page).partition("## Try it")[2]

        assert "kubectl " in "\n".join(blocks(page, "sh"))
        assert "\naccel " in tried or "not simulated" in tried


@pytest.mark.parametrize("module", [alerts_page, metrics_page])
def test_generated_pages_are_current(module):
    assert module.PATH.read_text(encoding="utf-8") == module.page()
