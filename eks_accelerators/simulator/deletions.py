"""What a destruction has deleted, written down as it goes: its engine writes the state once, at the end.

The state after each of its steps, which grows with the square of the resources, was nine tenths of what a destruction cost.
Where the engine is killed, what it had deleted by then is taken out of the state it left.
"""

import json
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.seal import read

ENVIRONMENT = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
"""With which the engine writes its state once. Who sets the second to `false` has it after each step."""


class Deletions:
    """URNs in a file, one in a line; no file where no destruction was begun, or the last came to its end."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, urn: str) -> None:
        """Note the URN of a resource that was deleted, before this returns."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{urn}\n")

    def forget(self) -> None:
        """The engine has written what is left."""
        self._file.unlink(missing_ok=True)

    def take_out(self, state: Path) -> int:
        """Remove them from the engine's ``state``, and forget them; how many there were."""
        if not self._file.exists():
            return 0
        deleted = self._file.read_text(encoding="utf-8").splitlines()
        whole = read(state, json.loads)
        resources = whole["checkpoint"]["latest"].get("resources") or []
        for urn in deleted:
            _remove(resources, urn)
        write(state, json.dumps(whole, indent=4).encode())
        self.forget()
        return len(deleted)


def _remove(resources: list[dict[str, Any]], urn: str) -> None:
    """A resource that was replaced is there twice: the old one, marked for deletion, goes first."""
    found = [each for each in resources if each["urn"] == urn]
    if found:
        resources.remove(max(found, key=lambda each: bool(each.get("delete"))))
