"""The command `accel verify`. Thin: it parses and calls; what it needs it imports late."""

from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.emit import Format
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.parameters import AsJson, AsMarkdown, Stack


def verify(
    context: typer.Context,
    stack: Stack,
    level: Annotated[
        str, typer.Option(metavar="LEVEL", help="api, quick (a minute), standard or thorough; docs/verify.md.")
    ] = "quick",
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The cluster; by default the one of kubectl.")
    ] = None,
    kube_context: Annotated[
        str | None, typer.Option("--context", metavar="NAME", help="Context of the kubeconfig; by default its current.")
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar="FAULT", help="With --simulated: what is broken, such as xid=79:GROUP; docs/faults.md."),
    ] = None,
    watch_block: Annotated[
        str | None,
        typer.Option(metavar="BLOCK", help="Wait until this Capacity Block begins, and look at its nodes then."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before what takes long.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 3 where something was not verified.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show what is as expected as well.")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the findings into this file too, as JUnit's XML.")
    ] = None,
    as_json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Whether the nodes of a stack do what was paid for. First what the API says, then checks on the devices."""
    from eks_accelerators.accel.stacks import locate

    form = Format.of(as_json, markdown)
    try:
        from eks_accelerators.accel.verify.command import verify as run
        from eks_accelerators.accel.verify.question import VerifyQuestion
        from eks_accelerators.verification.device_checks import Level
    except ModuleNotFoundError as error:
        typer.echo(f"{error}: install eks-accelerators[verify], or run `make environment`", err=True)
        raise typer.Exit(ExitStatus.REFUSED) from None
    if level not in set(Level):
        raise typer.BadParameter(f"{level!r} is none of {', '.join(Level)}", param_hint="--level")
    question = VerifyQuestion(
        Level(level),
        kubeconfig,
        kube_context,
        tuple(fault or ()),
        watch_block,
        yes,
        strict,
        junit,
        form,
        Detail.EVERYTHING if everything else Detail.USUAL,
    )
    raise typer.Exit(run(locate(stack), context.obj, question))
