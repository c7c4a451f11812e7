"""Text that would do something where it is shown as it is."""

NASTY = {
    "colour": "\x1b[31mred",
    "cursor": "\x1b[2J\x1b[Hgone",
    "link": "\x1b]8;;https://example.com\x07here\x1b]8;;\x07",
    "title": "\x1b]0;title\x07",
    "c1": "\x9b31mred\x85next",
    "return": "ok\rERROR",
    "backspace": "no\x08\x08ok",
    "delete": "a\x7fb",
    "nul": "a\0b",
    "bidi": "\u202egnp.exe\u202c",
    "isolate": "\u2066a\u2069\u200f",
    "zero-width": "a\u200bb\u2060c\ufeffd",
    "line": "a\u2028b\u2029c",
    "newline": "a\n  error: made up [rule]",
    "comment": "<!-- hidden",
    "details": "</details><b>",
    "backticks": "`` ` ```",
    "pipe": "a | b \\| c",
    "markup": "[red]a[/red][/]",
    "mention": "@everyone and #1",
    "link-in-markdown": "[a](https://example.com) ![b](c)",
}

UNSEEN = {chr(code) for code in [*range(32), *range(0x7F, 0xA0), *range(0x200B, 0x2010), *range(0x2028, 0x202F)]} | {
    chr(code) for code in [*range(0x2060, 0x2070), 0xFEFF]
}


def unseen(text: str) -> set[str]:
    """Characters that a terminal would obey, or not show; breaks of lines are the renderers' own."""
    return (set(text) & UNSEEN) - {"\n"}
