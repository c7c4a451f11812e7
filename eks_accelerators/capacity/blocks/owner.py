"""Whom a block was bought for. Two stacks, or two keys of one, never get the same block by asking for the same offering."""

from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.accelerators.block_tags import BLOCK_TAG, STACK_TAG
from eks_accelerators.capacity.blocks.ledger import Attempt


@dataclass(frozen=True, slots=True)
class Owner:
    """A stack, and a key under its `capacityBlocks`; None where nobody wrote it down."""

    stack: str | None
    key: str | None

    def __str__(self) -> str:
        if self.stack is None:
            return "no stack"
        return f"capacityBlocks.{self.key} of the stack {self.stack}" if self.key else f"the stack {self.stack}"

    def may_be(self, stack: str | None, key: str | None) -> bool:
        """Whether that stack and key are meant: also where no key was written down."""
        return self.stack == stack and self.key in (None, key)


def owner_of(tags: Mapping[str, str], attempt: Attempt | None) -> Owner:
    """By the tags of the reservation, or else by what the ledger keeps of the purchase."""
    stack, key = (attempt.stack, attempt.block) if attempt else (None, None)
    return Owner(tags.get(STACK_TAG, stack), tags.get(BLOCK_TAG, key))
