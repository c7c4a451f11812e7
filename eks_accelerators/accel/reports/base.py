"""What every report of a command is: typed, immutable, with the keys of the documented JSON."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel

from eks_accelerators.accel.detail import Detail
from eks_accelerators.settings.printable import one_line

if TYPE_CHECKING:
    from rich.console import Console

SCHEMA: Literal[1] = 1
"""Version of the JSON: it changes only when a key goes or changes its meaning."""

Properties = dict[str, JsonValue]
"""Values with keys of their own, such as the inputs of a resource."""

_DIGITS = Decimal("0.0001")

Usd = Annotated[
    Decimal,
    AfterValidator(lambda amount: amount.quantize(_DIGITS)),
    WithJsonSchema({"type": "string", "pattern": r"^-?\d+\.\d{4}$", "title": "money"}),
]
"""An amount of money as text with four digits, two more than a cent."""

Cents = Annotated[
    Decimal,
    AfterValidator(lambda amount: amount.quantize(Decimal("0.01"))),
    WithJsonSchema({"type": "string", "pattern": r"^\d+\.\d{2}$", "title": "money"}),
]
"""An amount of money as text with two digits."""

Gib = Annotated[float, AfterValidator(lambda amount: round(amount, 2))]
"""GiB with two digits."""

Moment = Annotated[
    datetime, PlainSerializer(datetime.isoformat), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""A time with its offset, as RFC 3339 has it."""


class ReportPart(BaseModel):
    """A part of a report. Objects that have attributes of the same names can be given for it."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        from_attributes=True,
        extra="forbid",
        frozen=True,
        defer_build=True,
        json_schema_serialization_defaults_required=True,
    )

    as_they_are: ClassVar[frozenset[str]] = frozenset()
    """Fields whose text has lines, or is shown as JSON: a terminal gets it unchanged."""


class Report(ReportPart):
    """What a command finds out. It is data; `accel.renderers` shows it to people."""

    def print_text(self, out: "Console", detail: Detail) -> None:
        """Print it for a terminal, where it is no more than a few lines; what shows the others is in `accel.renderers`."""
        raise NotImplementedError

    def as_data(self) -> dict[str, JsonValue]:
        """The documented JSON."""
        return self.model_dump(mode="json", by_alias=True)


class VersionedReport(Report):
    """A report that says the version of its format."""

    version: Literal[1] = Field(SCHEMA, alias="schema", description="Version of this format")


P = TypeVar("P", bound=ReportPart)


def one_lined(part: P) -> P:
    """The same with every text on one line, and what cannot be seen in it escaped."""
    changed = {name: _one_lined(value) for name, value in part if name not in part.as_they_are}
    return part.model_copy(update=changed)


def _one_lined(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, ReportPart):
        return one_lined(value)
    if isinstance(value, Mapping):
        return {_one_lined(key): _one_lined(child) for key, child in value.items()}
    return tuple(map(_one_lined, value)) if isinstance(value, list | tuple) else value
