"""What is wrong with a file that cannot be read as text, in plain words: where, and what to do."""

import errno
from collections.abc import Mapping

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""Bytes that UTF-16 begins with."""

_FIXES: Mapping[int | None, str] = {
    errno.EISDIR: "name a file in this folder, or a stack",
    errno.EACCES: "give yourself the right to read it",
    errno.ENAMETOOLONG: "choose a shorter name",
}


def fix_of_file(error: OSError) -> str:
    """What to do about a file that the system does not open."""
    return _FIXES.get(error.errno, "name another file")


def not_utf8(error: UnicodeDecodeError) -> str:
    """What stands where UTF-8 ends, and in which line."""
    if error.object.startswith(_UTF_16):
        return "UTF-16"
    line = error.object.count(b"\n", 0, error.start) + 1
    return f"the byte 0x{error.object[error.start]:02X} in line {line}"


def first_unseen(text: str) -> tuple[str, int] | None:
    """The first control character of ``text`` and its line, in words and as a number; None where there is none."""
    for number, line in enumerate(text.split("\n"), start=1):
        for character in line:
            if not character.isprintable() and character not in "\t\r":
                return f"the control character U+{ord(character):04X} in line {number}", number
    return None
