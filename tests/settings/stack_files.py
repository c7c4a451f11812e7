"""Stack files for tests: written from a patch to the example, or as text."""

from pathlib import Path

import yaml

from eks_accelerators.settings import load_stack_file
from eks_accelerators.settings.load import PROJECT, Checked
from tests.conftest import NOW
from tests.settings.example import Patch, patched

SHIPPED = sorted((Path(__file__).parents[2] / "stacks").glob("Pulumi.*.yaml"))


def document(patch: Patch) -> dict[str, object]:
    """A whole stack file with the patched example as its `config`."""
    values = patched(patch)
    region = {"aws:region": values.pop("region")} if "region" in values else {}
    return {"config": region | {f"{PROJECT}:{key}": value for key, value in values.items()}}


def check_text(folder: Path, text: str) -> Checked:
    """What comes of a stack file that reads ``text``."""
    path = folder / "Pulumi.test.yaml"
    path.write_text(text, encoding="utf-8")
    return load_stack_file(path, now=NOW)


def check_file(folder: Path, patch: Patch) -> Checked:
    """What comes of a stack file with the patched example."""
    return check_text(folder, yaml.safe_dump(document(patch), sort_keys=False))
