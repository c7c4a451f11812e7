"""The base of every settings model: camelCase keys, unknown keys refused, values immutable."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

Name = Annotated[str, StringConstraints(pattern=r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$")]
"""A name the user chooses: lower-case letters, digits and dashes, at most 40 characters, as it becomes
part of resource names and label values."""

ConfigSecret = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9-]{0,63}$")]
"""The name of a Pulumi secret. Neither a Hugging Face token, which has an underscore, nor an address is one: what is pasted in
place of the name is refused, and not shown."""

UTC_TIME = "a time as AWS takes it, such as 2026-12-01T20:00:00Z"
"""Marks the annotation of a text that is a time."""


class Model(BaseModel):
    """A part of the settings."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
    )
