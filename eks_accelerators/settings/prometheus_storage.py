"""How much a Prometheus of the stack keeps."""

OWN_RETENTION_DAYS = 10
"""Days that it keeps metrics where nobody says otherwise."""

FILLED_PERCENT = 85
"""How full its volume may become before it drops the oldest block: it needs space to write the next one."""


def usable_gib(size_gib: int) -> float:
    """GiB of metrics on a volume of ``size_gib``."""
    return size_gib * FILLED_PERCENT / 100
