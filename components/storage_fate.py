"""What becomes of a file system when the stack lets go of it."""

from typing import Any

from eks_accelerators.settings.model.storage import MadeStorage, OnDestroy


def fate_of(storage: MadeStorage) -> dict[str, Any]:
    """Options of the resource. AWS has no protection of its own for these file systems: the engine's is all there is."""
    return {
        "protect": storage.fate is OnDestroy.PROTECT or None,
        "retain_on_delete": storage.fate is OnDestroy.KEEP or None,
    }
