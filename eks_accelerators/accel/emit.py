"""The one way in which a command says what it has found out: as text, as JSON or as Markdown."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from eks_accelerators.accel.detail import Detail

if TYPE_CHECKING:
    from eks_accelerators.accel.reports.base import Report


class Format(StrEnum):
    """Formats of a report."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"

    @classmethod
    def of(cls, as_json: bool, markdown: bool = False) -> "Format":
        """The format that the options name; raises `BadParameter` where they name two."""
        if as_json and markdown:
            raise typer.BadParameter("--json and --markdown exclude each other")
        if as_json:
            return cls.JSON
        return cls.MARKDOWN if markdown else cls.TEXT


def emit(report: "Report", form: Format, detail: Detail = Detail.USUAL) -> None:
    """Write the report to standard output."""
    if form is Format.JSON:
        typer.echo(json.dumps(report.as_data(), indent=2))
    elif form is Format.MARKDOWN:
        from eks_accelerators.accel.renderers import markdown

        typer.echo(markdown(report))
    else:
        from eks_accelerators.accel.render_text import console
        from eks_accelerators.accel.renderers import print_text
        from eks_accelerators.accel.reports.base import one_lined

        print_text(one_lined(report), console(), detail)
