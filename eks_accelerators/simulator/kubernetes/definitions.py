"""The CustomResourceDefinitions of a controller, which `make engines MORE=1` lays beside its program."""

import time
from pathlib import Path

import yaml

from eks_accelerators.accelerators.yaml_limits import LOADER
from eks_accelerators.simulator.engines import MissingEnginesError
from eks_accelerators.simulator.kubernetes.api import MANAGER, Api, ApiError, Object
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.processes import ServerError

_SECONDS = 120
"""How long an API server may take to serve them on a machine that is busy; a second is usual."""


def definitions_of(program: Path) -> list[Object]:
    """Those of the program's own version. Raises `MissingEnginesError` where they are not there."""
    folder = program.with_name(f"{program.name}-crds")
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise MissingEnginesError(f"missing the definitions in {folder}. Run `make engines MORE=1`")
    return [yaml.load(file.read_bytes(), Loader=LOADER) for file in files]  # noqa: S506  (it is a safe one)


def install_definitions(api: Api, program: Path, *, manager: str = MANAGER) -> None:
    """Give the cluster the kinds of a controller, and return when it has them; those of a stack's chart are replaced.

    Raises `MissingEnginesError`, and `ServerError` where the API server does not serve them in time.
    """
    found = definitions_of(program)
    for definition in found:
        api.apply(definition, manager=manager)
    until = time.monotonic() + _SECONDS
    while not all(has_condition(api, definition, "Established") for definition in found):
        if time.monotonic() > until:
            raise ServerError(f"the API server does not have the kinds of {program.name} after {_SECONDS} s")
        time.sleep(0.05)


def has_condition(api: Api, obj: Object, condition: str) -> bool:
    """Whether a condition of an object is true."""
    try:
        found = api.get(obj["apiVersion"], obj["kind"], obj["metadata"]["name"]) or {}
    except ApiError:
        return False
    return is_true(found, condition)
