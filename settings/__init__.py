"""What a user may write in a stack file: typed models, and the rules that hold between fields."""

from settings.load import load_stack_file, parse
from settings.model import Settings
from settings.problems import Problem, SettingsError, Severity

__all__ = ["Problem", "Settings", "SettingsError", "Severity", "load_stack_file", "parse"]
