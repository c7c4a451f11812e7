"""A kind of resource makes the calls that it declares, and no others."""

import pytest

from eks_accelerators.simulator.providers.calls import Calls, UndeclaredCallError


class Account:
    """Answers with what it was asked."""

    def call(self, service, name, /, **parameters):
        return {"asked": (service, name, parameters)}


def test_a_call_that_is_declared_reaches_the_account():
    seen = Calls(Account(), frozenset({"ec2.create_vpc"}), "aws:ec2/vpc:Vpc")

    assert seen.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16") == {
        "asked": ("ec2", "create_vpc", {"CidrBlock": "10.0.0.0/16"})
    }


@pytest.mark.parametrize("call", [("ec2", "delete_vpc"), ("eks", "create_vpc")])
def test_a_call_that_is_not_declared_cannot_be_made(call):
    seen = Calls(Account(), frozenset({"ec2.create_vpc"}), "aws:ec2/vpc:Vpc")

    with pytest.raises(UndeclaredCallError, match=f"aws:ec2/vpc:Vpc does not declare the call {'.'.join(call)}"):
        seen.call(*call)
