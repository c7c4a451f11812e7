"""The page about what is simulated of AWS: `python -m eks_accelerators.simulator.models_page` writes it from the models themselves.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from types import ModuleType

from eks_accelerators.accelerators.replacement import REPLACING, replaces_any
from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.simulator.aws import handlers  # noqa: F401  (they register)
from eks_accelerators.simulator.aws.operations import HANDLERS, Handler
from eks_accelerators.simulator.kubernetes import readiness
from eks_accelerators.simulator.models_source import SOMETHING, operations, prose, refusals, source
from eks_accelerators.simulator.providers import eks_component
from eks_accelerators.simulator.providers.aws import KINDS, lookups
from eks_accelerators.simulator.providers.aws.lookups import LOOKUPS
from eks_accelerators.simulator.providers.kind import Kind

PATH = ROOT / "docs" / "simulated-aws.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.simulator.models_page` from `eks_accelerators/simulator/providers/` and `eks_accelerators/simulator/aws/`. -->

# Simulated AWS

What [`accel simulate`](simulation.md) knows of AWS, and from which source. A resource type, a property, a look-up or
an argument that is not on this page is an error that names it; nothing is accepted and then ignored.

Resources reach the account as calls of the AWS API, through boto3: botocore's request models judge each of them, and
so what is inside of objects. Calls go to moto, except for [operations of our own](#operations-of-our-own), which model
what moto does not have, forgets, or lets happen where AWS refuses.

Not modelled: IAM permissions, so that every call is allowed; eventual consistency; traffic and its prices; what the
account had before, except for what the [account file](simulation.md#the-account) says.

A change of a property either happens in place or replaces the resource, as the provider does it. Of a few properties
no change is known: to change them is an error that names them.
"""


def page() -> str:
    """The page in Markdown."""
    return (
        "\n".join([_INTRODUCTION, *_resources(), *_component(), *_waiting(), *_lookups(), *_operations()]).rstrip()
        + "\n"
    )


def _resources() -> Iterator[str]:
    yield "## Resources\n"
    for module, kinds in groupby(KINDS.values(), key=lambda kind: sys.modules[type(kind).__module__]):
        yield from _heading(module)
        for kind in kinds:
            yield from _kind(kind)


def _kind(kind: Kind) -> Iterator[str]:
    replacing = [path for path in REPLACING.get(kind.token, ()) if path.partition(".")[0] in kind.properties]
    fixed = {name for name in kind.properties - kind.changeable if not replaces_any(kind.token, name)}
    called = operations(kind)
    listed = {
        "In place": kind.changeable,
        "Replaces": replacing,
        "No change is known": fixed,
        "Inside of objects only": [f"{name}.{each}" for name, known in kind.inside.items() for each in known],
        "Through moto": {".".join(each) for each in called if each not in HANDLERS},
        "Ours": {".".join(each) for each in called if each in HANDLERS},
    }
    name = _short(kind.token)
    yield f"#### {name}\n"
    if more := prose(type(kind)).removeprefix(f"`{name}`").lstrip(" ,;:."):
        yield f"{more[0].upper()}{more[1:]}\n"
    yield from (f"- {what}: {_code(names)}" for what, names in listed.items() if names)
    if own := source(type(kind)):
        yield f"- Source: {own}"
    yield ""


def _component() -> Iterator[str]:
    yield "## eks.Cluster\n"
    yield f"{prose(eks_component)}\n"
    yield f"- Inputs: {_code(eks_component.INPUTS)}"
    yield f"- Only with: {_code(f'{name}={value}' for name, value in eks_component.WANTED.items())}"
    yield f"- Source: {source(eks_component)}\n"


def _waiting() -> Iterator[str]:
    yield "## Waiting for Kubernetes objects\n"
    yield f"{prose(readiness)}\n"
    yield f"- Waited for: {_code(readiness.KINDS)}"
    yield f"- Source: {source(readiness)}\n"


def _lookups() -> Iterator[str]:
    yield "## Look-ups\n"
    yield from (f"- `{_short(token)}` by {_code(each.arguments) or 'nothing'}" for token, each in LOOKUPS.items())
    yield f"- Source: {source(lookups)}\n"


def _operations() -> Iterator[str]:
    yield "## Operations of our own\n"
    yield "Each with what it refuses beyond what botocore and moto do: the code, and the message.\n"
    by_module = sorted(HANDLERS.items(), key=lambda entry: entry[1].__module__)
    with_operations = {handler.__module__ for _, handler in by_module}
    for name, grouped in groupby(by_module, key=lambda entry: entry[1].__module__):
        entries = list(grouped)
        yield from _heading(sys.modules[name])
        judges = {refusal.module for _, handler in entries for refusal in refusals(handler)}
        for judge in sorted(judges - with_operations):
            if found := source(sys.modules[judge]):
                yield f"{prose(sys.modules[judge])} Source: {found}\n"
        for called, handler in entries:
            yield from _operation(".".join(called), handler)
        yield ""


def _operation(name: str, handler: Handler) -> Iterator[str]:
    yield f"- **{name}**: {prose(handler)}"
    for refusal in refusals(handler):
        yield f"  - `{refusal.code}`" + (f": `{refusal.message}`" if refusal.message != SOMETHING else "")


def _heading(module: ModuleType) -> Iterator[str]:
    title, _, rest = prose(module).partition(".")
    yield f"### {title}\n"
    if rest.strip():
        yield f"{rest.strip()}\n"
    if found := source(module):
        yield f"Source: {found}\n"


def _short(token: str) -> str:
    """`aws:ec2/vpc:Vpc` as `aws.ec2.Vpc`."""
    package, module, name = token.split(":")
    folder = module.partition("/")[0]
    return ".".join(part for part in (package, folder, name) if part != "index")


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.simulator.models_page"))
