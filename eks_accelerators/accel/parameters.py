"""Parameters that several commands have."""

from typing import Annotated

import typer

Stack = Annotated[str, typer.Argument(help="Name of a stack, such as dev, or path of a stack file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; docs/json.md describes it.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request comment.")]
