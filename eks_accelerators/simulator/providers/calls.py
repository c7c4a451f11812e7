"""The account as one kind of resource, or one look-up, sees it: through the calls that it declares."""

from typing import Any

from eks_accelerators.simulator.aws.account import Account


class UndeclaredCallError(Exception):
    """A kind made a call that it does not declare: a fault of the simulation."""


class Calls:
    """Makes the calls of AWS's API that are ``declared``, such as `ec2.create_vpc`, and no others."""

    def __init__(self, account: Account, declared: frozenset[str], who: str) -> None:
        self._account, self._declared, self._who = account, declared, who

    @property
    def region(self) -> str:
        """The region of the account."""
        return self._account.state.region

    def call(self, service: str, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Make the call; raises `AwsError` on a refusal."""
        if f"{service}.{name}" not in self._declared:
            raise UndeclaredCallError(f"{self._who} does not declare the call {service}.{name}")
        return self._account.call(service, name, **parameters)
