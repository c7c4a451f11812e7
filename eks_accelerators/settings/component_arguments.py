"""The public arguments of components, made from the models of the settings: `python -m eks_accelerators.settings.component_arguments` writes
`components/arguments.py`.

Pulumi's multi-language packaging reads TypedDicts with a docstring under each field, so that is what they become. A field
is written once: a setting in `eks_accelerators.settings.model`, and what is no setting in `components/wiring.py`, which is only read as
text here. `--check` exits 1 where the written module is stale.
"""

import ast
import itertools
import sys
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings, Purchase
from eks_accelerators.settings.model.cluster import ClusterSettings
from eks_accelerators.settings.model.descriptions import descriptions
from eks_accelerators.settings.model.network import CreatedNetwork
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, SystemNodeGroupSettings
from eks_accelerators.settings.model.storage import Efs, FsxLustre, S3Files
from eks_accelerators.settings.release_inputs import NeuronMonitorInputs, WrittenAs
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.settings.workload_kinds import KINDS

PATH = ROOT / "components" / "arguments.py"
WIRING = ROOT / "components" / "wiring.py"

_WIDTH = 120
_HEAD = '''"""The arguments that components take, as Pulumi's multi-language packaging reads them.

Written by `python -m eks_accelerators.settings.component_arguments` from `eks_accelerators.settings.model` and `eks_accelerators.components.wiring`: change those.
"""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.components.wiring import CapacityBlockRef, SubnetArgs
'''
_PLAIN = {str: "str", int: "int", float: "float", bool: "bool", datetime: "str", Decimal: "str"}
_NO_SETTING = frozenset({"node_group", "namespace", "hugging_face_token", "ngc_key", "image_compressed_gib"})
"""Of a workload: what joins it to others is wiring, and what only judges a whole stack is not asked."""


@dataclass(frozen=True)
class Arguments:
    """One TypedDict: the fields of ``model``, and those of the ``wiring`` if there is one; ``nested`` are further ones, by
    type.
    """

    name: str
    model: type[Model]
    wiring: str | None
    only: frozenset[str] | None = None
    leave_out: frozenset[str] = frozenset()
    nested: dict[str, str] = field(default_factory=dict)


_SERVED = frozenset(
    {
        *("instance_type", "size", "ami", "efa", "sharing", "taints"),
        *("dynamic_resource_allocation", "logical_core_size"),
    }
)
_BLOCKS = frozenset({"capacity_block", "next_capacity_blocks"})
_OF_SEVERAL_GROUPS = frozenset({"spot_fallback", "karpenter"})
_OF_A_STACK = frozenset({"reservation_id", "purchase"})
_OF_A_COST = frozenset({"expected_gib"})

ARGUMENTS = (
    Arguments(
        "AcceleratorNodeGroupArgs",
        AcceleratorNodeGroupSettings,
        "AcceleratorNodeGroupWiring",
        leave_out=_BLOCKS | _OF_SEVERAL_GROUPS,
    ),
    Arguments(
        "KarpenterNodePoolArgs",
        AcceleratorNodeGroupSettings,
        "KarpenterNodePoolWiring",
        only=frozenset(
            {
                *("instance_type", "size", "capacity_type", "zones", "ami", "disk", "local_nvme", "labels", "taints"),
                *("image_pull", "instance_metadata", "security_group_ids", "karpenter"),
            }
        ),
    ),
    Arguments("ServedNodeGroupArgs", AcceleratorNodeGroupSettings, "ServedNodeGroupWiring", only=_SERVED),
    Arguments("NetworkArgs", CreatedNetwork, "NetworkWiring"),
    Arguments("ClusterArgs", ClusterSettings, "ClusterWiring", leave_out=frozenset({"name"})),
    Arguments("SystemNodeGroupArgs", SystemNodeGroupSettings, "SystemNodeGroupWiring"),
    Arguments("CapacityBlockArgs", CapacityBlockSettings, "CapacityBlockWiring", leave_out=_OF_A_STACK),
    Arguments("CapacityBlockPurchaseArgs", Purchase, "CapacityBlockPurchaseWiring"),
    Arguments("LustreStorageArgs", FsxLustre, "FileSystemWiring"),
    Arguments("EfsStorageArgs", Efs, "FileSystemWiring", leave_out=_OF_A_COST),
    Arguments("S3FilesStorageArgs", S3Files, "S3FilesStorageWiring", leave_out=_OF_A_COST),
    Arguments("NeuronMonitorArgs", NeuronMonitorInputs, None),
    *{each.component: Arguments(f"{each.component}Args", each.takes, each.wiring) for each in RELEASES}.values(),
    *(
        Arguments(
            f"{kind.component}Args",
            kind.model,
            kind.wiring,
            leave_out=_NO_SETTING,
            nested={kind.group_argument: "ServedNodeGroupArgs"},
        )
        for kind in KINDS.values()
    ),
)


def source() -> str:
    """The Python source of the generated module."""
    wirings = {
        each.name: each for each in ast.parse(WIRING.read_text(encoding="utf-8")).body if isinstance(each, ast.ClassDef)
    }
    written: dict[str, str] = {}
    for arguments in ARGUMENTS:
        wiring = wirings[arguments.wiring] if arguments.wiring else None
        lines = [_field(name, kind, "The node group that its pods run on.") for name, kind in arguments.nested.items()]
        lines += list(_wired(wiring, wirings)) if wiring else []
        texts = descriptions(arguments.model)
        lines += [_setting(name, info, texts.get(name, ""), written) for name, info in _fields(arguments)]
        doc = ast.get_docstring(wiring) if wiring else arguments.model.__doc__
        written[arguments.name] = _class(arguments.name, doc or "", lines)
    return "\n\n".join([_HEAD, *written.values()])


def _fields(arguments: Arguments) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in arguments.model.model_fields.items():
        if name not in arguments.leave_out and (arguments.only is None or name in arguments.only):
            yield name, info


def _wired(wiring: ast.ClassDef, wirings: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """Each field of a wiring with its docstring, as it is written there; those of what it is based on come first."""
    for base in wiring.bases:
        if isinstance(base, ast.Name) and base.id in wirings:
            yield from _wired(wirings[base.id], wirings)
    for statement, after in itertools.pairwise(wiring.body):
        if isinstance(statement, ast.AnnAssign):
            assert isinstance(after, ast.Expr)
            yield _field(
                ast.unparse(statement.target), ast.unparse(statement.annotation), ast.literal_eval(after.value)
            )


def _setting(name: str, info: FieldInfo, text: str, written: dict[str, str]) -> str:
    kind = _kind(Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation, written)
    return _field(name, kind if info.is_required() else f"NotRequired[{kind}]", _described(info, text))


def _described(info: FieldInfo, said: str) -> str:
    """What is said of a field, with allowed words and default where it does not say them: no editor knows the enums."""
    words = [f"`{member.value}`" for member in _enum(info.annotation) or ()]
    if words and not all(word in said for word in words):
        said += f" {', '.join(words[:-1])} or {words[-1]}."
    default = info.get_default()
    if isinstance(default, Enum | str | int | float) and "default" not in said.lower() and default != "":
        shown = str(default).lower() if isinstance(default, bool) else default
        said += f" By default {f'`{default}`' if isinstance(default, str) else shown}."
    return said


def _enum(annotation: Any) -> type[Enum] | None:
    """The enum that the value is of, through Optional; None where it is none."""
    kinds = [annotation, *typing.get_args(annotation)]
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum)), None)


def _kind(annotation: Any, written: dict[str, str]) -> str:
    """The annotation of plain data that becomes a value of ``annotation``."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        items = next((each.model for each in arguments[1:] if isinstance(each, WrittenAs)), None)
        return f"list[{_nested(items, written)}]" if items else _kind(arguments[0], written)
    if origin in (typing.Union, types.UnionType):
        return _kind(next(each for each in arguments if each is not types.NoneType), written)
    if origin is tuple:
        return f"list[{_kind(arguments[0], written)}]"
    if origin is dict:
        return f"dict[str, {_kind(arguments[1], written)}]"
    if origin is typing.Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return "str"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _nested(annotation, written)
    return _PLAIN[annotation]


def _nested(model: type[BaseModel], written: dict[str, str]) -> str:
    name = f"{model.__name__.removesuffix('Settings')}Args"
    if name not in written:
        texts = descriptions(model)
        lines = [_setting(key, info, texts.get(key, ""), written) for key, info in model.model_fields.items()]
        written[name] = _class(name, model.__doc__ or "", lines)
    return name


def _class(name: str, doc: str, lines: list[str]) -> str:
    return "\n".join([f"class {name}(TypedDict):", _docstring(doc), "", *lines, ""])


def _field(name: str, kind: str, doc: str) -> str:
    return f"    {name}: {kind}\n{_docstring(doc)}"


def _docstring(text: str) -> str:
    text = " ".join(text.split())
    return textwrap.fill(
        f'"""{text}"""', _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, source(), sys.argv[1:], "python -m eks_accelerators.settings.component_arguments"))
