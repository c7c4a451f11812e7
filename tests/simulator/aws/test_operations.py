"""What an operation refuses is declared: nothing else can be raised by it, nor said in other words."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from eks_accelerators.simulator import aws
from eks_accelerators.simulator.aws import handlers
from eks_accelerators.simulator.aws.errors import AwsError, PassedOnError
from eks_accelerators.simulator.aws.operations import HANDLERS, Operation, UndeclaredRefusalError
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

LIBRARY = Chapter("Things that are lent.", source="the library's rules")
LENT = ApiRefusal("Lent", "{thing} is lent to {reader}")
AWAY = ApiRefusal("Away", "{thing} is away")


def lending(error):
    """An operation that declares `LENT`, and raises ``error``."""

    def lend(account, parameters):
        """Lend a thing."""
        raise error

    return Operation("library", "lend_thing", lend, (LENT,), LIBRARY, None)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (LENT(thing="It", reader="Ada"), "Lent: It is lent to Ada"),
        (PassedOnError("Closed", "on Sundays", "LendThing"), "Closed when calling LendThing: on Sundays"),
    ],
)
def test_an_operation_refuses_what_it_declares_and_what_is_passed_on(error, says):
    with pytest.raises(AwsError) as caught:
        lending(error)(None, {})

    assert str(caught.value) == says


@pytest.mark.parametrize(
    "error",
    [
        AWAY(thing="It"),
        ApiRefusal("Lent", "{thing} is lent")(thing="It"),
        AwsError("Lent", "It is lent to Ada"),
    ],
    ids=["another refusal", "other words", "made by hand"],
)
def test_a_refusal_that_is_not_declared_cannot_be_raised(error):
    with pytest.raises(UndeclaredRefusalError, match=r"library\.lend_thing does not declare: "):
        lending(error)(None, {})


@pytest.mark.parametrize("words", [{}, {"thing": "It"}, {"thing": "It", "reader": "Ada", "until": "May"}])
def test_a_refusal_is_said_with_the_words_that_it_has(words):
    with pytest.raises(TypeError, match="Lent is said with"):
        LENT(**words)


def test_no_operation_declares_a_refusal_twice():
    assert [each.name for each in HANDLERS.values() if len(set(each.refusals)) != len(each.refusals)] == []


def test_every_module_with_operations_is_registered():
    modules = {found.name: import_module(f"{aws.__name__}.{found.name}") for found in iter_modules(aws.__path__)}

    assert {name for name, module in modules.items() if hasattr(module, "operation")} == set(handlers.__all__)
