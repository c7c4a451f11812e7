"""The base of every settings model: camelCase keys, unknown keys refused, values immutable."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, GetJsonSchemaHandler, StringConstraints
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from eks_accelerators.settings.model.descriptions import descriptions
from eks_accelerators.settings.pasted_secrets import has_secret

Name = Annotated[str, StringConstraints(pattern=r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$")]
"""A name the user chooses: lower-case letters, digits and dashes, at most 40 characters, as it becomes
part of resource names and label values."""


def _no_secret(name: str) -> str:
    if has_secret(name):
        raise PydanticCustomError("secret_inline", "a secret in place of its name")
    return name


NoSecret = AfterValidator(_no_secret)
"""Refuses what is pasted in place of the name of a secret; it is not shown."""

ConfigSecret = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9-]{0,63}$"), NoSecret]
"""The name of a Pulumi secret."""

UTC_TIME = "a time as AWS takes it, such as 2026-12-01T20:00:00Z"
"""Marks the annotation of a text that is a time."""


class Model(BaseModel):
    """Base of all models of the stack file: camel-case keys, strict types, no unknown key, frozen."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> Any:
        """The schema, with what the fields say of themselves."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in descriptions(cls).items():
            properties[cls.model_fields[name].alias].setdefault("description", text)
        return schema
