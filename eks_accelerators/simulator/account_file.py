"""An account from a file: YAML or JSON in, what the account has or every problem with it out, each with its line."""

from pathlib import Path

from eks_accelerators.simulator.account_rules import CODE, account_rules
from eks_accelerators.simulator.aws.world import World
from eks_accelerators.simulator.written_file import FileKind

_KIND = FileKind(
    option="--account",
    code=CODE,
    noun="account",
    model=World,
    keys="now, quotas, insufficientCapacity, capacityReservations, capacityBlockOfferings",
    example="write for example `now: 2026-12-01T08:00:00Z`",
)


def read_account(path: Path, region: str) -> World:
    """What the account in ``region`` has, by a file of YAML or JSON. Raises `WrittenFileError`."""
    return _KIND.read(path, account_rules(region))
