"""Where stack files are: by the stack's name, or by their path."""

from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.settings.problems import Problem, SettingsError, Severity
from eks_accelerators.settings.project import project_folder


@dataclass(frozen=True, slots=True)
class StackLocation:
    """A stack's name, its file and the folder of the Pulumi program."""

    name: str
    file: Path
    project: Path

    @property
    def program(self) -> Path:
        """The Pulumi program. Raises `SettingsError` where there is none."""
        program = self.project / "__main__.py"
        if program.is_file():
            return program
        raise SettingsError(
            [
                Problem(
                    "program",
                    Severity.ERROR,
                    program.name,
                    "there is no Pulumi program here",
                    str(self.project),
                    "a folder with Pulumi.yaml and __main__.py",
                    "run in the folder of the program, or name a stack file in it",
                )
            ]
        )


def locate(stack: str) -> StackLocation:
    """The stack called ``stack``, or the one whose file it is. A name has no slash: what has one is a path.

    The project is the nearest folder upwards with a Pulumi.yaml. The file need not exist: reading it says so.
    """
    path = Path(stack)
    if path.suffix in (".yaml", ".yml") or (path.suffix and path.is_file()):
        name = path.stem.removeprefix("Pulumi.")
        return StackLocation(name, path, project_folder(path.resolve().parent))
    project = project_folder(Path.cwd())
    if "/" in stack:
        return StackLocation(path.name, path, project)
    return StackLocation(stack, project / "stacks" / f"Pulumi.{stack}.yaml", project)
