"""Refusals that are declared: what an operation of ours may answer besides what it is asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter

_WORD = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class ApiRefusal:
    """An answer of AWS: its code, and its message, in which `{word}` stands for what is not always the same.

    ``chapter`` is where it is described, unless that is the operation's own.
    """

    code: str
    message: str
    chapter: Chapter | None = None

    def __call__(self, **words: object) -> "RefusedError":
        """The error to raise, with its ``words``: those that the message has, no more and no fewer."""
        return RefusedError(self, words)

    @property
    def words(self) -> frozenset[str]:
        """The names of what is not always the same."""
        return frozenset(_WORD.findall(self.message))

    def said(self, word: Callable[[str], str]) -> str:
        """The message with what ``word`` makes of each of its words."""
        return _WORD.sub(lambda found: word(found[1]), self.message)


class RefusedError(AwsError):
    """A call that is refused by a declared `ApiRefusal`, in AWS's words."""

    def __init__(self, refusal: ApiRefusal, words: dict[str, object]) -> None:
        if refusal.words != set(words):
            raise TypeError(f"{refusal.code} is said with {sorted(refusal.words)}, not with {sorted(words)}")
        self.refusal = refusal
        super().__init__(refusal.code, refusal.message.format_map(words))
