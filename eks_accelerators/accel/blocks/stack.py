"""The stack that a command of `accel blocks` is about, where it names one."""

from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.stacks import StackLocation, locate
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings
from eks_accelerators.settings.problems import SettingsError


@dataclass(frozen=True, slots=True)
class Chosen:
    """A stack and its settings. Rules may be broken: a block that is yet to be bought breaks some."""

    location: StackLocation
    settings: Settings

    @property
    def path(self) -> str:
        """Where the file is, as seen from the folder of the user."""
        file = self.location.file.resolve()
        return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else self.location.file)

    def group(self, name: str) -> AcceleratorNodeGroupSettings:
        """The node group called ``name``; raises `CommandRefusedError` where there is none."""
        groups = self.settings.node_groups
        if name not in groups:
            guess = closest(name, list(groups))
            hint = f"did you mean {guess}?" if guess else f"it has {', '.join(groups) or 'none'}"
            raise CommandRefusedError(f"the stack {self.location.name} has no node group called {name}: {hint}")
        return groups[name]


def chosen(stack: str | None) -> Chosen | None:
    """The stack that is named; raises `SettingsError` where its file has no valid shape."""
    if stack is None:
        return None
    location = locate(stack)
    checked = load_stack_file(location.file)
    if checked.settings is None:
        raise SettingsError(checked.problems)
    return Chosen(location, checked.settings)
