"""A Helm release is found from one registry; what a new one lacks is named."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from eks_accelerators import components
from eks_accelerators.components import arguments
from eks_accelerators.components.charts import catalogue
from eks_accelerators.settings.generated_files import ROOT
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.releases import RELEASES, Release
from eks_accelerators.simulator.kubernetes.charts import CHARTS
from tests.components.examples import EXAMPLES


def lacks(release: Release) -> Iterator[str]:
    """What is still to be written for a release, by name."""
    entry, name = catalogue().get(release.chart), release.component
    if entry is None:
        yield f"{release.chart} in charts-values/charts.yaml"
    elif entry["chart"].rpartition("/")[2] not in {chart.rpartition("/")[2] for chart in CHARTS}:
        yield "a stand-in in eks_accelerators/simulator/kubernetes/charts"
    if not (ROOT / "charts-values" / f"{release.chart}.yaml").is_file():
        yield f"charts-values/{release.chart}.yaml"
    component = getattr(components, name, None)
    if component is None or component not in components.ALL:
        yield f"{name} in components/__init__.py, which `make generated` writes"
    if component not in EXAMPLES:
        yield f"valid arguments of {name} in tests/components/examples.py"
    if not hasattr(arguments, f"{name}Args"):
        yield f"{name}Args in components/arguments.py, which `make generated` writes"
    page = ROOT / "docs" / release.page
    if not page.is_file():
        yield f"docs/{release.page}"


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_release_lacks_nothing(release):
    assert list(lacks(release)) == []


def test_names_are_each_given_once():
    assert len({release.name for release in RELEASES}) == len(RELEASES)


def test_what_a_new_release_lacks_is_named():
    class MadeUpInputs(Model):
        """What a release takes that only this test has."""

    made_up = replace(
        RELEASES[0],
        name="made-up",
        chart="made-up",
        component="MadeUp",
        takes=MadeUpInputs,
        inputs=lambda stack: MadeUpInputs(),
        page="made-up.md",
    )

    assert list(lacks(made_up)) == [
        "made-up in charts-values/charts.yaml",
        "charts-values/made-up.yaml",
        "MadeUp in components/__init__.py, which `make generated` writes",
        "valid arguments of MadeUp in tests/components/examples.py",
        "MadeUpArgs in components/arguments.py, which `make generated` writes",
        "docs/made-up.md",
    ]
