"""A kind of workload is found from one registry; what a new one lacks is named."""

from collections.abc import Iterator
from typing import get_args

import pytest

from eks_accelerators import components
from eks_accelerators.components import workload_kinds as deployed_kinds
from eks_accelerators.settings.generated_files import ROOT
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.workload_kinds import KINDS
from tests.components.examples import EXAMPLES

MODELS = [get_args(info.annotation)[1] for info in Workloads.model_fields.values()]


def lacks(model: type[Workload]) -> Iterator[str]:
    """What is still to be written for a kind of workload, by name."""
    if model not in MODELS:
        yield "a field of settings.model.workloads.Workloads"
    kind, deployed = KINDS.get(model), deployed_kinds.KINDS.get(model)
    if kind is None:
        yield "an entry in settings.workload_kinds.KINDS"
    if deployed is None:
        yield "an entry in components.workload_kinds.KINDS"
    if kind is None or deployed is None:
        return
    component = deployed.component
    if component.__name__ != kind.component:
        yield f"one component: {kind.component} in settings, {component.__name__} in components"
    if component not in components.ALL:
        yield f"{kind.component} in components/__init__.py, which `make generated` writes"
    if component not in EXAMPLES:
        yield f"valid arguments of {kind.component} in tests/components/examples.py"
    page = ROOT / "docs" / kind.page
    if not page.is_file() or kind.key not in page.read_text(encoding="utf-8"):
        yield f"docs/{kind.page}, with workloads.{kind.key}"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_kind_lacks_nothing(model):
    assert list(lacks(model)) == []


def test_no_kind_is_left_over():
    assert set(KINDS) == set(deployed_kinds.KINDS) == set(MODELS)


def test_what_a_new_kind_lacks_is_named():
    class MadeUp(Workload):
        """A kind that only this test has."""

        namespace: str = "made-up"

    assert list(lacks(MadeUp)) == [
        "a field of settings.model.workloads.Workloads",
        "an entry in settings.workload_kinds.KINDS",
        "an entry in components.workload_kinds.KINDS",
    ]
