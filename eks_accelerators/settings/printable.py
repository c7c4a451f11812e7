"""Text that others wrote, made safe to show: what cannot be seen, or moves what can, is written as an escape.

A value of a stack file, a name in an account or a file's name may hold sequences that colour, hide or overwrite what a
terminal shows, marks that turn the direction of writing, and breaks that begin a line of their own.
"""


def shown(text: str) -> str:
    """Text of any number of lines: line breaks and tabs stay, everything else that is not printable is escaped."""
    return text if text.isprintable() else "".join(each if each in "\n\t" else _escaped(each) for each in text)


def one_line(text: str) -> str:
    """Text on one line: line breaks and tabs are escaped as well."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    """As JSON writes it, so that what was JSON stays JSON."""
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
