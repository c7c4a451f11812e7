"""The codes of findings: what each says, and that causes and signs do not go round in a circle."""

import pytest

from eks_accelerators.verification.checks import CHECKS
from eks_accelerators.verification.codes import CODES
from eks_accelerators.verification.codes_page import PATH, page
from eks_accelerators.verification.findings import Subject, by_cause
from eks_accelerators.verification.severity import MEANS, FindingSeverity
from eks_accelerators.verification.xids import severity_of
from tests.docs.pages import ROOT


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_a_code_says_what_to_do_on_a_page_that_is_there(code):
    assert (ROOT / "docs" / "runbooks" / code.runbook).is_file()
    assert code.severity.failed
    assert set(code.explains) <= set(CODES)


def test_no_cause_is_its_own_sign():
    def signs(code, above=()):
        assert code not in above, (*above, code)
        for sign in CODES[code].explains:
            signs(sign, (*above, code))

    for code in CODES:
        signs(code)


def test_every_check_has_a_code_and_a_name_of_its_own():
    assert {check.code for check in CHECKS} <= set(CODES)
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_the_page_is_the_codes():
    assert PATH.read_text(encoding="utf-8") == page()


def test_every_severity_says_what_it_asks_for():
    assert set(MEANS) == set(FindingSeverity)


@pytest.mark.parametrize(
    ("xid", "severity"),
    [
        (79, "reboot"),
        (151, "reboot"),
        (54, "isolate"),
        (48, "reset"),
        (64, "reset"),
        (95, "reset"),
        (119, "reset"),
        (120, "reset"),
        (140, "reset"),
        (13, "pass"),
        (31, "pass"),
        (43, "pass"),
        (63, "monitor"),
        (998, "monitor"),
    ],
)
def test_what_an_xid_asks_for(xid, severity):
    assert severity_of(xid) == severity


NODE, OTHER, BOTH = Subject("a", ("a",)), Subject("b", ("b",)), Subject("server", ("a", "b"))


def test_a_sign_on_one_of_its_nodes_is_explained_by_a_cause_there():
    cause, sign = NODE.failed("gpu-xid", "none", "XID 79"), BOTH.failed("server-answers", "text", "no answer")

    (told,) = by_cause([sign, cause])

    assert (told.code, told.evidence) == ("gpu-xid", ("server-answers: no answer",))


def test_what_has_no_cause_there_stands_by_itself():
    found = by_cause([OTHER.failed("server-answers", "text", "no answer"), NODE.failed("gpu-xid", "none", "XID 79")])

    assert [each.code for each in found] == ["gpu-xid", "server-answers"]


def test_the_first_cause_has_the_signs_of_the_causes_below_it():
    found = by_cause(
        [
            NODE.failed("pods-waiting", "run", "Insufficient nvidia.com/gpu"),
            NODE.failed("node-allocatable", "8", "7"),
            NODE.failed("gpu-count", "8", "7 GPUs"),
        ]
    )

    assert [(each.code, len(each.evidence)) for each in found] == [("gpu-count", 2)]


def test_what_two_tools_see_is_told_once_by_its_worst():
    mild = NODE.failed("dcgm-diagnostic", "passes", "warm", FindingSeverity.MONITOR)
    bad = NODE.failed("dcgm-diagnostic", "passes", "broken", FindingSeverity.ISOLATE)

    (told,) = by_cause([mild, bad])

    assert (told.severity, told.found, told.evidence) == ("isolate", "broken", ("warm",))
