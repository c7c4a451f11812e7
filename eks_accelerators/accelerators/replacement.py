"""Which changed properties make an engine replace a resource, and which resources must not be replaced unseen.

Source: `resource_types`. A type of which nothing is written there is updated in place as far as we know, and its
changes are shown as such.
"""

from eks_accelerators.accelerators import resource_types


def grave(kind: str, action: str) -> str | None:
    """What it means when a resource of type ``kind`` is replaced or removed, or bought; None where it is nothing grave."""
    known = resource_types.find(kind)
    return known.grave.get(action) if known else None


def follows(cause: str, kind: str) -> str | None:
    """What a change in place of ``cause`` does to a resource of type ``kind`` that depends on it, or None."""
    known = resource_types.find(kind)
    return known.follows.get(cause) if known else None


def replacing(kind: str) -> frozenset[str]:
    """Paths of the properties whose change replaces a resource of type ``kind``."""
    known = resource_types.find(kind)
    return known.replacing if known else frozenset()


def replaces_any(kind: str, name: str) -> bool:
    """Whether any change below the top-level property ``name`` replaces a resource of type ``kind``."""
    return any(entry == name or entry.startswith(f"{name}.") for entry in replacing(kind))


def replaces(kind: str, path: str) -> bool:
    """Whether a change of the property at ``path`` replaces a resource of type ``kind``."""
    listed = replacing(kind)
    head = path.replace("[", ".[")
    return any(head == entry or head.startswith(f"{entry}.") for entry in listed)
