"""The commands of `accel facts`. Thin: they parse, call and render; what they need they import late."""

from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.parameters import AsJson

facts = typer.Typer(
    help="Facts of instance types, and types that the package lacks.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Type = Annotated[str, typer.Argument(metavar="TYPE", help="EC2 instance type, such as p5.48xlarge.")]


@facts.command("add")
def add_type(
    context: typer.Context,
    name: Type,
    region: Annotated[
        str | None, typer.Option(help="Region that has it; by default that of your AWS settings.")
    ] = None,
    recorded: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Recorded answers, not AWS.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write AWS's answers into this folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask AWS for an instance type that the package lacks. Writes it to facts/instance-types.json."""
    from eks_accelerators.accel.facts.add import add

    found = add(context.obj, _project(), name, region, recorded=recorded, record=record, as_json=as_json)
    raise typer.Exit(found)


@facts.command("remove")
def remove_type(name: Type, as_json: AsJson = False) -> None:
    """Forget an instance type that was added."""
    from eks_accelerators.accel.facts.add import remove

    raise typer.Exit(remove(_project(), name, as_json=as_json))


@facts.command("list")
def list_types(as_json: AsJson = False) -> None:
    """Every instance type that is known, and the source of its facts."""
    from eks_accelerators.accel.facts.type_list import listed

    emit(listed(), Format.of(as_json))


@facts.command("show")
def show_type(name: Type, as_json: AsJson = False) -> None:
    """What is known of an instance type."""
    from eks_accelerators.accel.facts.type_list import shown
    from eks_accelerators.accelerators.instance_types import UnknownInstanceTypeError
    from eks_accelerators.settings.printable import one_line

    try:
        found = shown(name)
    except UnknownInstanceTypeError as error:
        typer.echo(one_line(str(error)), err=True)
        raise typer.Exit(ExitStatus.REFUSED) from None
    emit(found, Format.of(as_json))


def _project() -> Path:
    from eks_accelerators.settings.project import project_folder

    return project_folder(Path.cwd())
