"""Examples that are stack files of this project: each is planned without a problem, and every workload is registered."""

from pathlib import Path

import pytest

from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.stacks import locate
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.workload_kinds import KINDS
from tests.conftest import NOW
from tests.examples.example_plans import FOLDER

FILES = sorted(path for path in FOLDER.glob("*/Pulumi.*.yaml") if not (path.parent / "__main__.py").exists())


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_it_is_planned_with_every_workload(file: Path) -> None:
    made = plan(locate(str(file)), NOW)
    settings = load_stack_file(file, NOW).settings
    assert settings is not None
    wanted = {
        (f"eks-accelerators:index:{KINDS[type(workload)].component}", name)
        for _, name, workload in settings.workloads.each()
    }

    assert [str(each) for each in made.report.problems if each.severity == "error"] == []
    assert wanted
    assert wanted <= {(each.type, each.name) for each in made.report.resources}
