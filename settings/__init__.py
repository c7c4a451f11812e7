"""What a user may write in a stack file: typed models, and the rules that hold between fields."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from settings.load import load_stack_file, parse
    from settings.model import Settings
    from settings.problems import Problem, SettingsError, Severity

__all__ = ["Problem", "Settings", "SettingsError", "Severity", "load_stack_file", "parse"]

_HOMES = {
    "Problem": "settings.problems",
    "Settings": "settings.model",
    "SettingsError": "settings.problems",
    "Severity": "settings.problems",
    "load_stack_file": "settings.load",
    "parse": "settings.load",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `accel --help` needs none of the models."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
