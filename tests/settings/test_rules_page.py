import re

from eks_accelerators.settings import launch_template_rules, rules_page
from eks_accelerators.settings.rules import RULES


def test_the_written_page_is_current():
    assert rules_page.PATH.read_text(encoding="utf-8") == rules_page.page(), (
        "run `python -m eks_accelerators.settings.rules_page`"
    )


def test_it_has_every_code_once():
    codes = re.findall(r"^### (.+)$", rules_page.page(), re.MULTILINE)

    assert sorted(codes) == sorted([*RULES, *launch_template_rules.RULES, "duplicate-urn", *rules_page.SHAPE_CODES])


def test_every_rule_says_what_it_demands():
    for rule in RULES.values():
        assert len(rule.description) > 30, rule.code
        assert rule.description.split("\n")[0].rstrip()[-1] in ".:;", rule.code
