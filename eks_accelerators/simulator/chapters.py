"""Chapters of the page about simulated AWS: what is modelled together, and from which source."""

import inspect
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chapter:
    """``text`` is the docstring of the module: its first sentence is the title. ``source`` says who judged the model."""

    text: str | None
    source: str

    @property
    def title(self) -> str:
        """The first sentence, without its stop."""
        return paragraphs(self.text).partition(".")[0]

    @property
    def about(self) -> str:
        """What follows on the title, or nothing."""
        return paragraphs(self.text).partition(".")[2].strip()


def paragraphs(text: str | None) -> str:
    """A docstring with each of its paragraphs on one line."""
    return "\n\n".join(" ".join(each.split()) for each in inspect.cleandoc(text or "").split("\n\n"))
