"""The page about simulated AWS says what the models are."""

import re
import sys

import pytest

from eks_accelerators.simulator import models_page
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.operations import HANDLERS, operation
from eks_accelerators.simulator.models_source import Refusal, operations, prose, refusals, source
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.kind import Kind


def test_the_written_page_is_current():
    assert models_page.PATH.read_text(encoding="utf-8") == models_page.page(), (
        "run `python -m eks_accelerators.simulator.models_page`"
    )


def test_it_has_every_kind_and_every_property_once():
    """Of an object that replaces in part, the part is listed too."""
    listed = dict(re.findall(r"^#### (.+?)$(.+?)(?=^##)", models_page.page(), re.MULTILINE | re.DOTALL))

    for kind in KINDS.values():
        section = listed[kind.__class__.__doc__.split("`")[1]]
        rows = re.findall(r"^- (?:In place|Replaces|No change is known): (.+)$", section, re.MULTILINE)
        names = [name for row in rows for name in re.findall(r"`([^`]+)`", row) if "." not in name]
        assert sorted(names) == sorted(kind.properties)


def test_it_has_every_operation_of_ours_once():
    found = re.findall(r"^- \*\*(.+)\*\*", models_page.page(), re.MULTILINE)

    assert sorted(found) == sorted(".".join(each) for each in HANDLERS)


@pytest.mark.parametrize("token", KINDS)
def test_every_kind_has_a_source(token):
    kind = type(KINDS[token])

    assert source(kind) or source(sys.modules[kind.__module__])


def test_every_model_has_a_source():
    modules = {handler.__module__ for handler in HANDLERS.values()}

    assert {name for name in modules if not source(sys.modules[name])} == set()


def lend(account, parameters):
    """Lend a thing.

    One at a time. Source: the
    library's rules.
    """
    _look(parameters["name"])
    if parameters["lent"]:
        raise AwsError("Lent", f"{parameters['name']} is lent to {account.reader}, {len(parameters)} times")
    try:
        _look("another")
    except AwsError as error:
        raise AwsError("NoOther", error.message) from None


def _look(name):
    words = "there is none"
    words = f"{name} is away"
    if name:
        raise AwsError("Away", words if name == "it" else "who knows")
    raise ValueError("no answer of AWS")


class _Thing(Kind):
    """`aws.lib.Thing`."""

    verb = "lend"

    def create(self, aws, inputs):
        aws.call("library", f"{self.verb}_thing")
        _describe(aws)

    def delete(self, aws, identifier, state):
        aws.moto("library", "not_through_the_front_door", {})
        try:
            aws.call("library", "return_thing")
        except AwsError:
            aws.call("library", "lose_thing")


def _describe(aws):
    return aws.call("library", "describe_thing")["Thing"]


def test_what_a_function_refuses_is_read_through_those_that_it_names():
    here = __name__

    assert refusals(lend) == [
        Refusal("Lent", "<name> is lent to …, … times", here),
        Refusal("NoOther", "…", here),
        Refusal("Away", "there is none", here),
        Refusal("Away", "<name> is away", here),
        Refusal("Away", "who knows", here),
    ]


def test_the_operations_of_a_kind_are_read_through_its_functions():
    found = {name for _, name in operations(_Thing())}

    assert found == {"lend_thing", "describe_thing", "return_thing", "lose_thing"}


def test_prose_and_source_are_parted():
    assert prose(lend) == "Lend a thing.\n\nOne at a time."
    assert source(lend) == "the library's rules."
    assert source(operation) is None
