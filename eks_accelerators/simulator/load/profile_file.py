"""A load from a file: YAML or JSON in, a profile or every problem with it out, each with its line."""

from pathlib import Path

from eks_accelerators.simulator.load.profile import LoadProfile
from eks_accelerators.simulator.load.step_rules import step_problems
from eks_accelerators.simulator.written_file import FileKind

_KIND = FileKind(
    option="--profile",
    code="load-profile",
    noun="profile",
    model=LoadProfile,
    keys="for, steps",
    example="write `for: 30m`, and below it `steps: [{requests: 40}]`",
)


def read_profile(path: Path) -> LoadProfile:
    """The profile in a file of YAML or JSON. Raises `WrittenFileError`."""
    return _KIND.read(path, step_problems)
