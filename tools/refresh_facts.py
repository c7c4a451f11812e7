"""Write the data files of facts from AWS's answers: `.venv/bin/python tools/refresh_facts.py --help`."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.aws import ANY_REGION
from eks_accelerators.accel.facts.refresh import RefreshOptions, refresh
from eks_accelerators.accelerators import data


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Such as prices; by default all.")
    ] = None,
    recorded: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Recorded answers, not AWS.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write AWS's answers into this folder.")] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the files are; by default the package.")
    ] = None,
    region: Annotated[str, typer.Option(help="Region for what is alike in all of them.")] = ANY_REGION,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit status 2 where a value would change.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON, ask nothing, and write with --yes alone; docs/json.md describes it."),
    ] = False,
) -> None:
    """Show what AWS's answers change in the data files of facts, and write it. Needs credentials that may read."""
    folder = into or Path(str(files(data)))
    raise typer.Exit(refresh(RefreshOptions(folder, names or (), recorded, record, region, check, yes, as_json)))


if __name__ == "__main__":
    typer.run(main)
