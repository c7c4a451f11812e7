"""The command line. Thin: it parses, calls and renders; what it needs it imports late."""

import json
from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.blocks.app import blocks
from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.examples import add_examples
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.facts.app import facts
from eks_accelerators.accel.option_numbers import whole_number
from eks_accelerators.accel.parameters import AsJson, AsMarkdown, Stack
from eks_accelerators.accel.sharing.words import Chart, Nodes
from eks_accelerators.accel.simulate.app import simulate
from eks_accelerators.accel.verify.app import verify
from eks_accelerators.settings.project import OWN_FACTS, project_folder

app = typer.Typer(
    name="accel",
    help="NVIDIA GPUs and AWS Trainium on Amazon EKS: what a stack would create, what it costs and what is wrong with it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, without importing what draws tables
)

app.add_typer(blocks, name="blocks")
app.add_typer(facts, name="facts")

NodesOption = Annotated[Nodes, typer.Option(help="Kind of nodes; the last two run a device plugin of their own.")]


@app.callback()
def _group(
    context: typer.Context,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Ask a simulated AWS account, in place of AWS: that of the stack.")
    ] = False,
    simulation: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The same, in this folder; by default .simulations/STACK beside Pulumi.yaml."
        ),
    ] = None,
) -> None:
    """Whom the commands ask, and which instance types they know beside those of the package."""
    if simulated or simulation:
        from eks_accelerators.accel.aws import Whom

        context.obj = Whom(True, simulation)
    project = project_folder(Path.cwd())
    if (project / OWN_FACTS).exists():
        from eks_accelerators.accel.facts.type_list import know_own

        know_own(project)


@app.command()
def check(stack: Stack, as_json: AsJson = False, markdown: AsMarkdown = False) -> None:
    """Problems, node groups, fit and cost of a stack. From settings and facts alone: quick, without network or credentials."""
    from eks_accelerators.accel.report import check_stack
    from eks_accelerators.accel.stacks import locate

    found = check_stack(locate(stack))
    emit(found.report, Format.of(as_json, markdown))
    raise typer.Exit(ExitStatus.REFUSED if found.failed else ExitStatus.DONE)


@app.command()
def plan(
    stack: Stack,
    as_json: AsJson = False,
    markdown: AsMarkdown = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="REF", help="Show what changes from another revision, such as origin/main."),
    ] = None,
) -> None:
    """What `accel check` shows, and every resource of `pulumi up`. No network, no credentials."""
    from eks_accelerators.accel.plan import plan as make_plan
    from eks_accelerators.accel.stacks import locate

    form = Format.of(as_json, markdown)
    location = locate(stack)
    made = make_plan(location)
    report = made.report
    # With errors among the settings nothing is registered, so there is nothing to compare.
    if against is not None and made.recording:
        from eks_accelerators.accel.plan.comparison import compare

        report = compare(report, location, against)
    emit(report, form)
    raise typer.Exit(ExitStatus.REFUSED if made.failed else ExitStatus.DONE)


@app.command()
def preflight(
    context: typer.Context,
    stack: Stack,
    as_json: AsJson = False,
    markdown: AsMarkdown = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 3 where something could not be asked.")] = False,
    everything: Annotated[
        bool, typer.Option("--calls", help="Show the calls of what is fine as well, as commands of the AWS CLI.")
    ] = False,
    my_address: Annotated[
        str | None,
        typer.Option(
            metavar="IP", help="Your address as the internet sees it: whether it may reach the Kubernetes API."
        ),
    ] = None,
) -> None:
    """Whether AWS will let the deployment through. Asks for quotas, capacity, versions and permissions, and only reads."""
    from eks_accelerators.accel.preflight.command import preflight as run
    from eks_accelerators.accel.preflight.public_address import public_address
    from eks_accelerators.accel.stacks import locate

    form, detail = Format.of(as_json, markdown), Detail.EVERYTHING if everything else Detail.USUAL
    raise typer.Exit(
        run(locate(stack), context.obj, form, detail, strict=strict, my_address=public_address(my_address))
    )


app.command()(verify)


@app.command()
def policy(
    purpose: Annotated[str, typer.Argument(metavar="deploy|preflight|blocks|facts", help="What the policy is for.")],
    stack: Annotated[str | None, typer.Argument(help="Stack to deploy.")] = None,
    account: Annotated[str, typer.Option(help="Account ID; by default any.")] = "*",
    part: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="Number of the policy, where a stack takes more than one managed policy.",
        ),
    ] = None,
) -> None:
    """Print an IAM policy of least privilege. For deploying a stack, for `accel preflight`, for `accel blocks`, or for facts."""
    from eks_accelerators.accel.policy import print_policy

    raise typer.Exit(print_policy(purpose, stack, account, part))


app.command()(simulate)


@app.command()
def fit(
    model: Annotated[str, typer.Option(metavar="MODEL", help="Hugging Face model, or the path of its config.json.")],
    context: Annotated[
        int, typer.Option(parser=whole_number, metavar="TOKENS", help="Longest context in tokens.")
    ] = 4096,
    concurrency: Annotated[
        int, typer.Option(parser=whole_number, metavar="N", help="Sequences of that length at a time.")
    ] = 4,
    instances: Annotated[
        str | None, typer.Option(metavar="LIST", help="Instance types or families, such as g6,p5; by default all.")
    ] = None,
    region: Annotated[str | None, typer.Option(help="Region of the prices; by default us-east-2.")] = None,
    stack: Annotated[str | None, typer.Option(help="Take the region of this stack.")] = None,
    best: Annotated[bool, typer.Option("--best", help="Print the cheapest as a fragment of a stack file.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show every row, and what does not fit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Which instance types serve a model, and at which price. Shared how, how many servers on a node, and USD per hour of each."""
    from eks_accelerators.accel.fit.command import answer, unanswered
    from eks_accelerators.accel.fit.question import FitQuestion, asked

    question = asked(model, context, concurrency, instances, region, stack)
    found = answer(question) if isinstance(question, FitQuestion) else unanswered(question)
    detail = Detail.EVERYTHING if everything else Detail.USUAL
    emit(found, Format.of(as_json), Detail.BEST if best else detail)
    none = found.problems or (best and not (found.best and found.best.row))
    raise typer.Exit(ExitStatus.REFUSED if none else ExitStatus.DONE)


@app.command()
def images(
    newer: Annotated[
        bool, typer.Option("--newer", help="Ask the registries, and list what has a newer version.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Container images and Helm charts that the package pins. Each with the source of its version."""
    from eks_accelerators.accel.images.command import images as run

    raise typer.Exit(run(Format.of(as_json), newer=newer))


@app.command()
def schema(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="A command, such as plan or blocks list.")],
) -> None:
    """Print the JSON Schema of what a command prints with --json."""
    from eks_accelerators.accel.reports.registry import OF_SCRIPTS, REPORTS, schema_of

    name = " ".join(command)
    if name not in REPORTS and name not in OF_SCRIPTS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join((*REPORTS, *OF_SCRIPTS))}", param_hint="COMMAND")
    typer.echo(json.dumps(schema_of(name), indent=2))


sharing_app = typer.Typer(
    help="Judge a configuration of GPU sharing before a node has it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(sharing_app, name="sharing")


@sharing_app.callback()
def _sharing() -> None:
    """Keep `accel sharing` a group of commands."""


@sharing_app.command("check")
def sharing_check(
    file: Annotated[
        Path, typer.Argument(help="A configuration file of the NVIDIA device plugin, or a chart's values.")
    ],
    instance_type: Annotated[
        str | None, typer.Option(metavar="TYPE", help="Judge it for a node of this EC2 instance type.")
    ] = None,
    mig: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LAYOUT",
            help="The node's MIG layout, such as 1g.10gb=7; once for all GPUs, or once for each; off for a whole GPU.",
        ),
    ] = None,
    nodes: NodesOption = Nodes.AL2023,
    chart: Annotated[
        Chart | None, typer.Option(help="The file has values of this Helm chart, with configurations in them.")
    ] = None,
    namespace: Annotated[str | None, typer.Option(help="Namespace of the chart's release.")] = None,
    as_json: AsJson = False,
) -> None:
    """What the NVIDIA device plugin makes of a configuration. Whether it takes it, and what it ignores."""
    from eks_accelerators.accel.sharing.command import check
    from eks_accelerators.accel.sharing.question import SharingQuestion

    if namespace is not None and chart is None:
        raise typer.BadParameter("--namespace needs --chart")
    question = SharingQuestion(file, instance_type, mig or [], nodes, chart, namespace or Chart.PLUGIN)
    found = check(question)
    emit(found, Format.of(as_json))
    raise typer.Exit(ExitStatus.REFUSED if found.verdict == "rejected" else ExitStatus.DONE)


mig_app = typer.Typer(
    help="Multi-Instance GPU: layouts, judged before a node has them.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(mig_app, name="mig")


@mig_app.callback()
def _mig() -> None:
    """Keep `accel mig` a group of commands."""


@mig_app.command("check")
def mig_check(
    instance_type: Annotated[str, typer.Argument(help="EC2 instance type, such as p5.48xlarge.")],
    layout: Annotated[str, typer.Argument(help="Profiles and counts of one GPU, such as 3g.40gb=1,1g.10gb=4.")],
    nodes: NodesOption = Nodes.AL2023,
    as_json: AsJson = False,
) -> None:
    """Whether GPUs can be divided so, and what comes nearest."""
    from eks_accelerators.accel.mig.command import check

    found = check(instance_type, layout, nodes)
    emit(found, Format.of(as_json))
    raise typer.Exit(ExitStatus.DONE if found.valid else ExitStatus.REFUSED)


monitoring_app = typer.Typer(
    help="What is measured of a stack, and how it is shown.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(monitoring_app, name="monitoring")


@monitoring_app.callback()
def _monitoring() -> None:
    """Keep `accel monitoring` a group of commands."""


@monitoring_app.command("dashboards")
def monitoring_dashboards(
    stack: Stack,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go; it is made.")],
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="EXPORTER", help="An exporter that your Prometheus does not scrape, such as keda."),
    ] = None,
    runbooks: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the pages that say what to do are; by default as alerts have it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write dashboards as files, for a Grafana that is there."""
    from eks_accelerators.accel.dashboards import write_dashboards
    from eks_accelerators.accel.stacks import locate

    raise typer.Exit(write_dashboards(locate(stack), output, without or (), runbooks, Format.of(as_json)))


add_examples(app)
