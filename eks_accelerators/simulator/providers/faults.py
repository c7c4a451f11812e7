"""Faults that a user asks for: an operation on a resource that fails, in AWS's own words."""

from dataclasses import dataclass

from eks_accelerators.simulator.aws.errors import AwsError


@dataclass(slots=True)
class Fault:
    """One operation that fails. ``type_name`` is the last part of the Pulumi type, such as `NodeGroup`."""

    type_name: str
    name: str | None = None
    reason: str = "InternalFailure"
    action: str = "create"
    times: int | None = None
    """How often; None for always."""
    struck: int = 0
    """How many operations it has failed."""

    def strikes(self, action: str, token: str, name: str) -> bool:
        """Whether the operation fails; counts down."""
        if self.times == 0 or self.action != action:
            return False
        if self.type_name not in (token, token.rpartition(":")[2]) or self.name not in (None, name):
            return False
        if self.times is not None:
            self.times -= 1
        self.struck += 1
        return True


class Faults:
    """Operations of one run that fail."""

    def __init__(self, faults: list[Fault] | None = None) -> None:
        self._faults = faults or []

    def check(self, action: str, token: str, name: str) -> None:
        """Raise the `AwsError` of the first fault that strikes."""
        for fault in self._faults:
            if fault.strikes(action, token, name):
                raise AwsError(fault.reason, f"simulated: {action} of {token.rpartition(':')[2]} {name} fails", action)


def parse(text: str) -> Fault:
    """`TYPE[:NAME][=REASON]` as a fault; TYPE may begin with `update/` or `delete/`. Raises `ValueError`."""
    what, _, reason = text.partition("=")
    what, _, name = what.partition(":")
    action, slash, type_name = what.rpartition("/")
    if not type_name or (slash and action not in ("create", "update", "delete")):
        raise ValueError(f"{text!r} is not TYPE[:NAME][=REASON], such as NodeGroup:h100=InsufficientInstanceCapacity")
    return Fault(type_name, name or None, reason or "InternalFailure", action or "create")
