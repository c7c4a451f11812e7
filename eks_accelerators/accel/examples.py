"""An example of each command, for its help."""

from collections.abc import Mapping

import typer

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "check": ("accel check dev", "accel check stacks/Pulumi.prod.yaml --json"),
    "plan": ("accel plan dev", "accel plan dev --against origin/main --markdown"),
    "preflight": ("accel preflight dev", "accel --simulated preflight dev"),
    "verify": ("accel verify dev", "accel --simulated verify dev --fault xid=79:l4-shared"),
    "policy": ("accel policy deploy dev", "accel policy preflight --account 111122223333"),
    "simulate": ("accel simulate dev", "accel simulate dev status --at +3h", "accel simulate dev load --requests 80"),
    "fit": ("accel fit --model meta-llama/Llama-3.2-1B --instances g6,g6e", "accel fit --model ./config.json --best"),
    "images": ("accel images --newer",),
    "schema": ("accel schema blocks list",),
    "sharing check": ("accel sharing check plugin.yaml --instance-type g6.2xlarge",),
    "mig check": ("accel mig check p5.48xlarge 3g.40gb=1,1g.10gb=4",),
    "monitoring dashboards": ("accel monitoring dashboards dev --output dashboards",),
    "blocks search": (
        "accel blocks search --stack prod --group h100 --days 7",
        "accel blocks search --type p5.48xlarge --count 1 --days 7 --region us-east-2",
    ),
    "blocks buy": ("accel blocks buy cb-0123456789abcdef0 --stack prod --group h100 --max-price 7000",),
    "blocks clear": ("accel blocks clear cb-0123456789abcdef0",),
    "blocks list": ("accel blocks list --stack prod",),
    "blocks show": ("accel blocks show cr-0123456789abcdef0 --stack prod",),
    "blocks extend": (
        "accel blocks extend cr-0123456789abcdef0 --days 2",
        "accel blocks extend cr-0123456789abcdef0 --until 2026-12-06 --max-price 3400",
    ),
    "blocks status": ("accel blocks status --stack prod",),
    "blocks watch": ("accel blocks watch cr-0123456789abcdef0",),
    "blocks calendar": ("accel blocks calendar --stack prod --html blocks.html",),
    "facts add": ("accel facts add p7.48xlarge --region us-east-2",),
    "facts remove": ("accel facts remove p7.48xlarge",),
    "facts list": ("accel facts list",),
    "facts show": ("accel facts show p5.48xlarge",),
}
"""Command lines by the words of their command."""

_AS_WRITTEN = "\b\n"
"""What keeps the lines of a paragraph apart, for who prints the help."""


def add_examples(app: typer.Typer, words: tuple[str, ...] = ()) -> None:
    """Give every command of ``app``, which has the ``words`` before its own, its examples as the end of its help."""
    for command in app.registered_commands:
        name = command.name or str(getattr(command.callback, "__name__", ""))
        command.epilog = f"{_AS_WRITTEN}Examples:\n" + "\n".join(
            f"  {line}" for line in EXAMPLES[" ".join((*words, name))]
        )
    for group in app.registered_groups:
        if group.typer_instance:
            add_examples(group.typer_instance, (*words, str(group.name)))
