"""What the fields of a model say of themselves: the text below each of them.

pydantic reads them too (`use_attribute_docstrings`), whenever a class is made: from the source of every model, a fifth of what
`accel check` takes to start. Only pages, schemas and generated code want them.
"""

import ast
import inspect
import itertools
import textwrap
from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel


@cache
def descriptions(model: type[BaseModel]) -> Mapping[str, str]:
    """The texts by name of field, those that are inherited too, in one line each."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            found |= {name: text for name, text in _written(each).items() if name in model.model_fields}
    return found


def _written(model: type[BaseModel]) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(definition, ast.ClassDef)
    return {
        field.target.id: " ".join(after.value.value.split())
        for field, after in itertools.pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }
