"""The stack's configuration, as the engine hands it to a running program."""

import pulumi
from pulumi.runtime import config as engine

from settings.load import Checked, load_engine_config
from settings.problems import Severity


def check_stack_config() -> Checked:
    """Check the whole configuration and log every problem. Registers nothing, raises nothing."""
    values = engine.CONFIG.get()
    secrets = {key for key in values if engine.is_config_secret(key)}
    checked = load_engine_config(values, secrets, pulumi.get_project())
    for problem in checked.problems:
        log = pulumi.log.warn if problem.severity is Severity.WARNING else pulumi.log.error
        log(str(problem).removeprefix(f"{problem.severity.value}: "))  # the engine says it, too
    return checked
