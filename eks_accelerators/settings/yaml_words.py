"""What is wrong with a text that is no YAML, in plain words and with a fix, by what the parser says of it."""

from typing import NamedTuple

from eks_accelerators.accelerators.yaml_limits import DEEPEST


class YamlWords(NamedTuple):
    """``message`` is what is wrong, ``allowed`` what stands there otherwise."""

    message: str
    allowed: str
    fix: str


_TAB = YamlWords("a tab stands where YAML takes blanks alone", "blanks", "write blanks in place of the tab")

_SAID = {
    "mapping values are not allowed": YamlWords(
        "a colon stands where no key can be",
        "one `key: value` on a line",
        "put a text with a colon in quotes, or begin a line for the key",
    ),
    "expected ',' or ']'": YamlWords(
        "a list in brackets has no end", "[a, b]", "close it with ], and write commas between its parts"
    ),
    "expected ',' or '}'": YamlWords(
        "keys in braces have no end", "{a: 1, b: 2}", "close them with }, and write commas between them"
    ),
    "expected key": YamlWords(
        "the line is indented otherwise than those beside it, or is no `key: value`",
        "keys of one thing at one depth",
        "indent it as the lines beside it, or write `key: value`",
    ),
    "expected ':'": YamlWords(
        "a key has no colon with a blank behind it", "`key: value`", "write a colon and a blank after the key"
    ),
    "unexpected end of stream": YamlWords("a quote has no end", "text in quotes", "close the quote"),
    "unknown escape character": YamlWords(
        "a backslash in double quotes begins no character that there is",
        "text in single quotes, where a backslash is one",
        "use single quotes",
    ),
    "undefined alias": YamlWords(
        "found an undefined alias: a text that begins with * names an anchor",
        "an anchor that stands above, `&name`",
        "put the text in quotes, or name an anchor",
    ),
    "control characters": YamlWords("", "characters that can be seen", "remove it"),
    "infinity": YamlWords("", "a number", "write a number with digits, or put the text in quotes"),
    "nested too deeply": YamlWords("", f"{DEEPEST} levels at most", "take levels away"),
    "given twice": YamlWords("", "each key once", "remove one of the two"),
    "more than one document": YamlWords("", "one document", "remove the line `---` and what is below it"),
    "no configuration key": YamlWords("", "`<namespace>:<name>`", "write `eks-accelerators:<name>`"),
}
"""By what the parser, or we, say; without a message of its own that of the parser is plain enough."""

_SAID["expected <block end>"] = _SAID["expected key"]


def plainly(problem: str, character: str) -> YamlWords:
    """The words for what the parser calls ``problem``, at ``character``, which is empty where it names no place."""
    if "cannot start any token" in problem:
        starts = f"a text cannot begin with {character}" if character else problem
        return _TAB if character == "\t" else YamlWords(starts, "text in quotes", "put the text in quotes")
    found = next((words for said, words in _SAID.items() if said in problem), None)
    words = found or YamlWords("", "YAML as Pulumi reads it", "correct what stands there")
    return words._replace(message=words.message or problem)
