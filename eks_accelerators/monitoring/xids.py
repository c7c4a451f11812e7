"""Classes of XIDs, NVIDIA's error codes of a GPU: which of them need another node, and which are a program's own."""

from dataclasses import dataclass
from functools import cache

from eks_accelerators.monitoring.data import load


@dataclass(frozen=True, slots=True)
class XidClass:
    """XIDs that ask for the same, and what they mean."""

    name: str
    xids: tuple[int, ...]
    means: str

    @property
    def pattern(self) -> str:
        """As a regular expression of PromQL, which matches the whole label."""
        return "|".join(map(str, self.xids))


@cache
def classes() -> dict[str, XidClass]:
    """Every class, by its name: `reset`, `memory`, `application`, `marker`."""
    return {name: XidClass(name, tuple(row["xids"]), row["means"]) for name, row in load("xids")["classes"].items()}


def known_pattern() -> str:
    """Matches every XID that has a class, and the 0 of a window without one."""
    return "|".join(str(xid) for xid in sorted({0, *(xid for each in classes().values() for xid in each.xids)}))
