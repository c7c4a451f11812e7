"""Where the parts of a Pulumi project are."""

from pathlib import Path

OWN_FACTS = Path("facts") / "instance-types.json"
"""The user's own facts of instance types, from the folder of the project."""


def project_folder(start: Path) -> Path:
    """The nearest folder from ``start`` upwards that holds a Pulumi program; ``start`` where there is none."""
    for folder in (start, *start.parents):
        if (folder / "Pulumi.yaml").exists():
            return folder
    return start
