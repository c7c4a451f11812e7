"""How a rule's case is written: a patch that trips it, and one nearby that does not."""

from dataclasses import dataclass

from tests.settings.example import Patch


@dataclass(frozen=True)
class Case:
    """``patch`` makes the rule ``code`` speak up at the path ``at``; ``near`` leaves it silent."""

    code: str
    name: str
    patch: Patch
    at: str
    near: Patch
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.code}-{self.name}"
