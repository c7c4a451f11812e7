"""What the simulation's own code says of itself: which operations of AWS a kind asks for, and what a model refuses.

Read from the syntax trees, through the functions of the package that a function names, so that a page about it cannot go stale.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import Any

from eks_accelerators.simulator.providers.kind import Kind

SOMETHING = "…"
"""Stands for words that are not the model's own, or not always the same."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of AWS: its code, its message, in which `<name>` and `…` stand for what is not always the same, and the
    name of the module that gives it.
    """

    code: str
    message: str
    module: str


def prose(documented: Any) -> str:
    """The docstring without its sources, each paragraph on one line."""
    return _prose(documented).partition("Source: ")[0].strip()


def source(documented: Any) -> str | None:
    """The sources that the docstring names, or None."""
    return _prose(documented).partition("Source: ")[2].strip() or None


def operations(kind: Kind) -> set[tuple[str, str]]:
    """Service and operation, in boto3's spelling, of every call to AWS that the methods of ``kind`` can make."""
    methods = [
        value for each in type(kind).__mro__ for value in vars(each).values() if each.__module__ != Kind.__module__
    ]
    functions = [getattr(value, "__func__", value) for value in methods]
    return {found for function in functions if inspect.isfunction(function) for found in _calls(function, kind)}


def refusals(function: Callable[..., Any]) -> list[Refusal]:
    """What ``function`` can raise as an `AwsError` of its own, in the order of the code, each once."""
    found: dict[Refusal, None] = {}
    for each in _reached(function):
        tree = _tree(each)
        for code, message, *_ in _arguments(tree, "AwsError"):
            if isinstance(code, ast.Constant):
                said = (Refusal(str(code.value), words, each.__module__) for words in _words(message, tree))
                found.update(dict.fromkeys(said))
    return list(found)


def _prose(documented: Any) -> str:
    text = inspect.getdoc(documented) or ""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _calls(function: Any, kind: Kind) -> Iterator[tuple[str, str]]:
    for each in _reached(function, caught=True):
        for service, operation, *_ in _arguments(_tree(each), "call", caught=True):
            if isinstance(service, ast.Constant):
                yield str(service.value), _operation(operation, kind)


def _operation(written: ast.expr, kind: Kind) -> str:
    """The operation's name; in an f-string the values are attributes of the kind."""
    if isinstance(written, ast.Constant):
        return str(written.value)
    parts = written.values if isinstance(written, ast.JoinedStr) else []
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else getattr(kind, part.value.attr)  # type: ignore[attr-defined]
        for part in parts
    )


def _arguments(tree: ast.AST, name: str, *, caught: bool = False) -> Iterator[list[ast.expr]]:
    """The arguments by position of every call of a function or method called ``name`` with two of them or more."""
    for node in _walk(tree, caught=caught):
        if isinstance(node, ast.Call) and len(node.args) > 1 and _last(node.func) == name:
            yield node.args


def _walk(tree: ast.AST, *, caught: bool = False) -> Iterator[ast.AST]:
    """Everything in ``tree``; without ``caught`` not what is tried and whose refusals are caught."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        yield node
        below = list(ast.iter_child_nodes(node))
        if not caught and isinstance(node, ast.Try) and any(_catches(handler) for handler in node.handlers):
            below = [child for child in below if child not in node.body]
        waiting += below


def _catches(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.type, ast.Name) and handler.type.id == "AwsError"


def _last(function: ast.expr) -> str | None:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def _reached(function: Any, known: set[Any] | None = None, *, caught: bool = False) -> Iterator[Any]:
    """The function, and all of ours that it names, and those that they name."""
    known = set() if known is None else known
    known.add(function)
    yield function
    for node in _walk(_tree(function), caught=caught):
        named = _named(node, vars(sys.modules[function.__module__]))
        if inspect.isfunction(named) and _package(named) == _package(function) and named not in known:
            yield from _reached(named, known, caught=caught)


def _package(function: Any) -> str:
    return str(function.__module__).partition(".")[0]


def _named(node: ast.AST, names: dict[str, Any]) -> Any:
    """What a name means, or a name in a module."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = names.get(node.value.id)
        return getattr(module, node.attr, None) if inspect.ismodule(module) else None
    return None


@cache
def _tree(function: Any) -> ast.AST:
    return ast.parse(dedent(inspect.getsource(function)))


def _words(message: ast.expr, function: ast.AST) -> Iterator[str]:
    """The message, or messages where it depends."""
    if isinstance(message, ast.IfExp):
        yield from _words(message.body, function)
        yield from _words(message.orelse, function)
    elif isinstance(message, ast.Name):
        values = [node.value for node in ast.walk(function) if isinstance(node, ast.Assign) and _assigns(node, message)]
        for value in values or [ast.Constant(SOMETHING)]:
            yield from _words(value, function)
    elif isinstance(message, ast.JoinedStr):
        yield "".join(_part(part) for part in message.values)
    else:
        yield str(message.value) if isinstance(message, ast.Constant) else SOMETHING


def _assigns(node: ast.Assign, name: ast.Name) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name.id for target in node.targets)


def _part(part: ast.expr) -> str:
    value = getattr(part, "value", None)
    if isinstance(part, ast.Constant):
        return str(value)
    if isinstance(value, ast.Name):
        return f"<{value.id}>"
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return f"<{value.slice.value}>" if isinstance(value.slice.value, str) else SOMETHING
    return SOMETHING
