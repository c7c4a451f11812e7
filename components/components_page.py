"""The sections of `docs/components.md`: `python -m eks_accelerators.components.components_page` writes them from the components.

A section is the docstring of a component, with its arguments and outputs. Sections keep their order, and new ones come last.
What is before the first of them is written by hand. `--check` exits 1 where a section is stale.
"""

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

from eks_accelerators import components
from eks_accelerators.components.arguments import ServedNodeGroupArgs
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "components.md"

_PLACE = re.compile(r"`docs/(?P<page>[\w-]+\.md)(?P<anchor>#[\w-]+)?`|`examples/(?P<example>[\w-]+)`")
"""How a docstring names a page or an example."""
_LABELS = ("Providers: ", "Alone: ")
"""How the last paragraphs of a docstring begin."""
_NODE_GROUP = """## The node group of a workload

`serves_on` and `runs_on` describe it, in the words of the stack file:
"""


def page(current: str) -> str:
    """``current`` with a section for every component as its code has it."""
    introduction, *sections = re.split(r"^## ", current, flags=re.MULTILINE)
    order = [section.partition("\n")[0] for section in sections]
    known = {component.__name__: component for component in components.ALL}
    names = [*(name for name in order if name in known), *(name for name in known if name not in order)]
    keys = "\n".join([_NODE_GROUP, *_arguments("Key", ServedNodeGroupArgs)])
    return "\n".join([introduction.rstrip(), "", *(f"{_section(known[name])}\n" for name in names), keys, ""])


def _section(component: type) -> str:
    texts = [" ".join(each.split()) for each in inspect.cleandoc(component.__doc__ or "").split("\n\n")]
    told = [text for text in texts if not text.startswith(_LABELS)]
    labelled = [f"**{label.strip(': ')}**: {text.removeprefix(label)}" for text, label in _labelled(texts)]
    return "\n".join(
        [
            f"## {component.__name__}\n",
            *(f"{_linked(text)}\n" for text in (" ".join(told), " ".join(labelled))),
            *_arguments("Argument", getattr(components, f"{component.__name__}Args")),
            "",
            *_table(
                ("Output", "Type", "Meaning"),
                ((f"`{name}`", f"`{_output(kind)}`", meaning) for name, kind, meaning in _fields(component)),
            ),
        ]
    )


def _labelled(texts: list[str]) -> Iterator[tuple[str, str]]:
    return ((text, label) for label in _LABELS for text in texts if text.startswith(label))


def _arguments(head: str, arguments: Any) -> Iterator[str]:
    """The table of a TypedDict's keys."""
    needed = arguments.__required_keys__
    rows = (
        (f"`{name}`", f"`{_input(kind)}`", "yes" if name in needed else "", meaning)
        for name, kind, meaning in _fields(arguments)
    )
    return _table((head, "Type", "Required", "Meaning"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"


def _linked(text: str) -> str:
    """``text`` with a link for each page and example that it names."""

    def link(found: re.Match[str]) -> str:
        if example := found["example"]:
            return f"[{example}](../examples/{example})"
        title = re.search(r"^# (.+)$", (PATH.parent / found["page"]).read_text(encoding="utf-8"), re.MULTILINE)
        assert title, f"{found['page']} has no title"
        return f"[{title[1]}]({found['page']}{found['anchor'] or ''})"

    return _PLACE.sub(link, text)


def _fields(cls: type) -> Iterator[tuple[str, str, str]]:
    """Name, annotation and docstring of each documented field of a class, as they are written."""
    module = inspect.getmodule(cls)
    assert module is not None
    definition = next(
        each for each in _parsed(module).body if isinstance(each, ast.ClassDef) and each.name == cls.__name__
    )
    for statement, after in itertools.pairwise(definition.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(after, ast.Expr):
            meaning = " ".join(str(ast.literal_eval(after.value)).split())
            yield ast.unparse(statement.target), ast.unparse(statement.annotation), meaning.replace("|", "\\|")


@cache
def _parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _input(annotation: str) -> str:
    return re.sub(r"^NotRequired\[(.*)\]$", r"\1", annotation).replace("pulumi.", "")


def _output(annotation: str) -> str:
    return re.sub(r"^pulumi\.Output\[(.*)\]$", r"\1", annotation)


if __name__ == "__main__":
    text = page(PATH.read_text(encoding="utf-8"))
    sys.exit(write_or_check(PATH, text, sys.argv[1:], "python -m eks_accelerators.components.components_page"))
