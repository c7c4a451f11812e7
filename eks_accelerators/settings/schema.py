"""The JSON schema of a whole stack file, for editors: `python -m eks_accelerators.settings.schema` writes it.

It knows the shape of every key; what holds between keys is for the rules. `--check` exits 1 where the
written schema is stale.
"""

import json
import sys
from typing import Any

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.model import Settings

PATH = ROOT / "stacks" / "schema.json"

_SECRET = {
    "title": "Secret",
    "description": "A Pulumi secret, written by `pulumi config set --secret`. Settings themselves are not secret.",
    "type": "object",
    "properties": {"secure": {"type": "string"}},
    "required": ["secure"],
    "additionalProperties": False,
}


def stack_file_schema() -> dict[str, Any]:
    """The JSON schema of a stack file, as plain data."""
    settings = _tidy(Settings.model_json_schema(by_alias=True))
    fields: dict[str, Any] = settings["properties"]
    region = fields.pop("region")
    required = [f"{PROJECT}:{name}" for name in settings["required"] if name != "region"]
    other_than_fields = f"^{PROJECT}:(?!({'|'.join(fields)})$)"
    config = {
        "description": "Settings of this project, and of providers.",
        "type": "object",
        "properties": {"aws:region": region, **{f"{PROJECT}:{name}": field for name, field in fields.items()}},
        "patternProperties": {
            other_than_fields: {"$ref": "#/$defs/Secret"},
            "^[^:]*$": False,  # every key has a namespace; those of other namespaces are not ours to judge
        },
        "required": ["aws:region", *required],
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"Stack file of {PROJECT}",
        "type": "object",
        "properties": {
            "config": config,
            "encryptionsalt": {"type": "string", "description": "Salt of the passphrase; Pulumi writes it."},
            "secretsprovider": {"type": "string", "description": "Secrets provider; Pulumi writes it."},
            "encryptedkey": {"type": "string", "description": "Encrypted data key; Pulumi writes it."},
            "environment": {"type": ["array", "object"], "description": "Pulumi ESC environments."},
        },
        "required": ["config"],
        "additionalProperties": False,
        "$defs": {"Secret": _SECRET, **settings["$defs"]},
    }


def _tidy(node: Any) -> Any:
    """``node`` without the titles that pydantic makes up, and strict about names that the user chooses."""
    if isinstance(node, list):
        return [_tidy(child) for child in node]
    if not isinstance(node, dict):
        return node
    tidy = {key: _tidy(child) for key, child in node.items() if key != "title"}
    return {**tidy, "additionalProperties": False} if "patternProperties" in tidy else tidy


def schema_text() -> str:
    """The schema as it is written."""
    return json.dumps(stack_file_schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, schema_text(), sys.argv[1:], "python -m eks_accelerators.settings.schema"))
