"""The stack's configuration, as the engine hands it to a running program."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pulumi
from pulumi.runtime import config as engine

from eks_accelerators.settings.load import Checked, load_engine_config
from eks_accelerators.settings.problems import Severity

_CHECKED: ContextVar[Checked | None] = ContextVar("checked", default=None)


@contextmanager
def already_checked(checked: Checked) -> Iterator[None]:
    """Programs that run inside take ``checked`` for what their configuration says: nothing is resolved or judged twice."""
    token = _CHECKED.set(checked)
    try:
        yield
    finally:
        _CHECKED.reset(token)


def check_stack_config() -> Checked:
    """Check the whole configuration and log every problem. Registers nothing, raises nothing."""
    if checked := _CHECKED.get():
        return checked
    values = engine.CONFIG.get()
    secrets = {key for key in values if engine.is_config_secret(key)}
    checked = load_engine_config(values, secrets, pulumi.get_project())
    for problem in checked.problems:
        log = pulumi.log.warn if problem.severity is Severity.WARNING else pulumi.log.error
        log(str(problem).removeprefix(f"{problem.severity.value}: "))  # the engine says it, too
    return checked
