"""The command `accel simulate`. Thin: it parses and calls; what it needs it imports late."""

from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.emit import Format
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.option_numbers import number, whole_number, whole_number_or_none
from eks_accelerators.accel.parameters import AsJson, AsMarkdown, Stack


def simulate(
    stack: Stack,
    action: Annotated[
        str, typer.Argument(metavar="[ACTION]", help="up (default), preview, refresh, destroy, status, watch or load.")
    ] = "up",
    state: Annotated[
        Path | None, typer.Option(help="Folder of the simulation; by default .simulations/STACK beside Pulumi.yaml.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew: an empty account.")] = False,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Move the clock first: 2026-12-01T11:30, +3h, +2d.")
    ] = None,
    fail: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE[:NAME][=REASON]", help="An operation that fails, such as NodeGroup:h100."),
    ] = None,
    throttle: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number, help="AWS throttles every N-th call; 1 throttles all."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the API server up until Ctrl-C, for kubectl.")] = False,
    helm: Annotated[
        bool, typer.Option("--helm", help="Render charts with helm from their repositories, in place of stand-ins.")
    ] = False,
    account: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the account has: docs/simulation.md describes it.")
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="With load: the model server that is asked; docs/load.md says which by default."
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number_or_none,
            help="With load: requests in flight, as of so many users who each ask again once they are answered; by default 40.",
        ),
    ] = None,
    request_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", parser=number, help="With load: how long a request takes, of Triton on a repository."
        ),
    ] = None,
    lasts: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="With load: how long, such as 45m or 1h30m; by default 30m."),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With load: a load in steps; docs/load.md describes it.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With load: draw its timeline into this file, as SVG.")
    ] = None,
    pace: Annotated[
        float,
        typer.Option(metavar="N", parser=number, help="With load: simulated seconds in a second of the wall clock."),
    ] = 30.0,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAULT[@+TIME[..+TIME]]",
            help="With load: what goes wrong, such as xid=79:GROUP@+5m; docs/faults.md.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Deploy on simulated AWS, with the real Pulumi engine. A real Kubernetes scheduler places pods; no account, no cost."""
    from eks_accelerators.accel.simulate.options import Action, LoadOptions, Options
    from eks_accelerators.accel.stacks import locate

    if action not in set(Action):
        raise typer.BadParameter(f"{action!r} is none of {', '.join(Action)}", param_hint="ACTION")
    try:
        from eks_accelerators.accel.simulate.command import simulate as run
    except ModuleNotFoundError as error:
        typer.echo(f"{error}: install eks-accelerators[simulate], or run `make environment`", err=True)
        raise typer.Exit(ExitStatus.REFUSED) from None
    asked = LoadOptions(
        server, requests, lasts, profile, picture, pace, tuple(fault or ()), request_seconds=request_seconds
    )
    if asked != LoadOptions() and action != Action.LOAD:
        raise typer.BadParameter(
            "--server, --requests, --request-seconds, --for, --profile, --picture, --pace and --fault go with the action load"
        )
    form = Format.of(as_json, as_markdown)
    options = Options(
        Action(action),
        state,
        fresh,
        at,
        tuple(fail or ()),
        throttle,
        keep,
        helm,
        account,
        form is Format.JSON,
        form is Format.MARKDOWN,
        asked,
    )
    raise typer.Exit(run(locate(stack), options))
