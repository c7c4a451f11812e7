"""Text that others wrote, in Markdown of GitHub: shown as it is, and never a comment, a tag, a link or a mention.

Inside a code span nothing has a meaning, so what could have one is put into one, in backticks that the text does not hold.
"""

import re
from typing import Any

from eks_accelerators.settings.printable import one_line

_HARMLESS = re.compile(r"[\w ,.:;()/%?'\"+={}-]*", re.ASCII)
"""Text without a character that begins something in Markdown; `_` is seen to by itself."""
_EDGE = re.compile(r"(^|\W)_|_(\W|$)", re.ASCII)
_LINK = re.compile(r"://|www\.", re.IGNORECASE)
_SPAN = re.compile(r"`([^`]+)`")


class Made(str):
    """Text that is Markdown: nothing of it is escaped again."""

    __slots__ = ()


def code(text: Any) -> Made:
    """``text`` as a code span, whatever is in it."""
    inner = one_line(str(text))
    longest = max((len(run) for run in re.findall("`+", inner)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if longest or not inner.strip() or inner[0] == inner[-1] == " " else ""
    return Made(f"{fence}{gap}{inner}{gap}{fence}")


def plain(text: Any) -> Made:
    """A word or a few: as they are where nothing in them has a meaning, else a code span."""
    written = str(text)
    return Made(written) if _is_harmless(written) else code(written)


def prose(text: Any) -> Made:
    """A sentence with values in it, of which some stand in backticks: those become code spans, as does what has a meaning."""
    written = one_line(str(text))
    pieces: list[str] = []
    end = 0
    for span in _SPAN.finditer(written) if _has_spans(written) else ():
        pieces += [*_words(written[end : span.start()]), code(span[1])]
        end = span.end()
    made = ""
    for piece in (*pieces, *_words(written[end:])):
        apart = " " if made.endswith("`") and piece.startswith("`") else ""  # or their backticks would count together
        made += apart + piece
    return Made(made)


def fence(lines: list[str], language: str = "") -> list[str]:
    """A block of code, each line as it is, between fences that no line can close."""
    inner = [one_line(line) for line in lines]
    longest = max((len(run) for line in inner for run in re.findall("`{3,}", line)), default=2)
    marks = "`" * (longest + 1)
    return [marks + language, *inner, marks]


def cell(text: str) -> str:
    """What stands in a cell of a table; breaks of lines in it are those of its maker."""
    made = text if isinstance(text, Made) else plain(text)
    return made.replace("|", "\\|").replace("\n", "<br>")


def lines(parts: list[Made]) -> Made:
    """Parts of a cell below each other."""
    return Made("<br>".join(parts))


def _is_harmless(text: str) -> bool:
    return bool(_HARMLESS.fullmatch(text)) and not _EDGE.search(text) and not _LINK.search(text)


def _has_spans(text: str) -> bool:
    """Whether backticks come in pairs, as in a sentence of ours."""
    return "``" not in text and text.count("`") % 2 == 0


def _words(text: str) -> list[str]:
    """Words and what is between them; each that has a meaning is a code span of its own."""
    return [part if part.isspace() or _is_harmless(part) else code(part) for part in re.split(r"( +)", text)]
