"""Data files as AWS answers them today."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import Merged, merge
from eks_accelerators.capacity.facts.layout import written
from eks_accelerators.capacity.facts.registry import MADE, DataFile


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A data file, and what AWS's answers change in it."""

    file: DataFile
    path: Path
    merged: Merged

    def write(self) -> None:
        """Write the file, where anything changes."""
        if self.merged.changes:
            self.path.write_text(written(self.merged.document, self.file.depth), encoding="utf-8")


def refreshed(asker: Asker, folder: Path, names: Iterable[str] = MADE) -> Iterator[Refreshed]:
    """The files called ``names`` of ``folder``, with AWS's answers in them. Writes nothing."""
    for name in names:
        file, path = MADE[name], folder / f"{name}.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        yield Refreshed(file, path, merge(document, file.found(asker, document), asker.today))
