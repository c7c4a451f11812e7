"""The page about storage shows what its stack file plans today."""

import yaml

from eks_accelerators.accel.plan.plan import plan
from eks_accelerators.accel.stacks import StackLocation
from tests.conftest import NOW
from tests.docs.pages import ROOT, blocks, is_shown_of
from tests.docs.test_docs import MINIMAL, printed

PAGE = ROOT / "docs" / "storage.md"


def test_the_page_shows_the_plan_of_today(tmp_path):
    fragment = yaml.safe_load(next(blocks(PAGE, "yaml")))["config"]
    file = tmp_path / "Pulumi.models.yaml"
    file.write_text(yaml.safe_dump({"config": {**MINIMAL, **fragment}}), encoding="utf-8")

    report = plan(StackLocation("models", file, ROOT), NOW).report

    assert not [problem for problem in report.problems if problem.severity == "error"]
    assert is_shown_of(next(blocks(PAGE, "text")), printed(report))
