"""What a user may write in a stack file: typed models, and the rules that hold between fields."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eks_accelerators.settings.load import load_stack_file, parse
    from eks_accelerators.settings.model import Settings
    from eks_accelerators.settings.problems import Problem, SettingsError, Severity

__all__ = ["Problem", "Settings", "SettingsError", "Severity", "load_stack_file", "parse"]

_HOMES = {
    "Problem": "eks_accelerators.settings.problems",
    "Settings": "eks_accelerators.settings.model",
    "SettingsError": "eks_accelerators.settings.problems",
    "Severity": "eks_accelerators.settings.problems",
    "load_stack_file": "eks_accelerators.settings.load",
    "parse": "eks_accelerators.settings.load",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `accel --help` needs none of the models."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
