"""The page about what is simulated of AWS: `python -m eks_accelerators.simulator.models_page` writes it from the models themselves.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.simulator.aws import (
    handlers,  # noqa: F401  (they register)
    launches,
)
from eks_accelerators.simulator.aws.operations import HANDLERS, Operation
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter, paragraphs
from eks_accelerators.simulator.kubernetes import readiness
from eks_accelerators.simulator.providers import eks_component
from eks_accelerators.simulator.providers.aws import CHAPTERS, lookups
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

A resource is one kind in a file of `eks_accelerators/simulator/providers/aws/`, which also says what replaces it, the IAM
actions that it takes and how long it takes. `tests/simulator/providers/test_new_kinds.py` names what a new one lacks.
"""


def page() -> str:
    """The page in Markdown."""
    return (
        "\n".join(
            [_INTRODUCTION, *_resources(), *_component(), *_waiting(), *_lookups(), *_operations(), *_launches()]
        ).rstrip()
        + "\n"
    )


def _resources() -> Iterator[str]:
    yield "## Resources\n"
    for chapter, kinds in CHAPTERS.items():
        yield from _heading(chapter)
        for kind in kinds:
            yield from _kind(kind)


def _kind(kind: Kind) -> Iterator[str]:
    known = [path for path in kind.facts.replacing if path.partition(".")[0] in kind.properties]
    fixed = kind.properties - kind.changeable - {path.partition(".")[0] for path in kind.facts.replacing}
    ours = {".".join(called) for called in HANDLERS}
    listed = {
        "In place": kind.changeable,
        "Replaces": known,
        "No change is known": fixed,
        "Inside of objects only": [f"{name}.{each}" for name, known in kind.inside.items() for each in known],
        "Through moto": kind.calls - ours,
        "Ours": kind.calls & ours,
    }
    name = _short(kind.token)
    yield f"#### {name}\n"
    if more := paragraphs(kind.__doc__).removeprefix(f"`{name}`").lstrip(" ,;:."):
        yield f"{more[0].upper()}{more[1:]}\n"
    yield from (f"- {what}: {_code(names)}" for what, names in listed.items() if names)
    if kind.source:
        yield f"- Source: {kind.source}"
    yield ""


def _component() -> Iterator[str]:
    yield "## eks.Cluster\n"
    yield f"{paragraphs(eks_component.CHAPTER.text)}\n"
    yield f"- Inputs: {_code(eks_component.INPUTS)}"
    yield f"- Only with: {_code(f'{name}={value}' for name, value in eks_component.WANTED.items())}"
    yield f"- Source: {eks_component.CHAPTER.source}\n"


def _waiting() -> Iterator[str]:
    yield "## Waiting for Kubernetes objects\n"
    yield f"{paragraphs(readiness.CHAPTER.text)}\n"
    yield f"- Waited for: {_code(readiness.KINDS)}"
    yield f"- Source: {readiness.CHAPTER.source}\n"


def _lookups() -> Iterator[str]:
    yield "## Look-ups\n"
    yield from (f"- `{_short(token)}` by {_code(each.arguments) or 'nothing'}" for token, each in LOOKUPS.items())
    yield f"- Source: {lookups.CHAPTER.source}\n"


def _operations() -> Iterator[str]:
    yield "## Operations of our own\n"
    yield "Each with what it refuses beyond what botocore and moto do: the code, and the message.\n"
    for chapter, grouped in groupby(sorted(HANDLERS.values(), key=_place), key=lambda each: each.chapter):
        operations = list(grouped)
        yield from _heading(chapter)
        for judge in dict.fromkeys(refusal.chapter for each in operations for refusal in each.refusals):
            if judge is not None:
                yield f"{paragraphs(judge.text)} Source: {judge.source}\n"
        for operation in operations:
            yield from _operation(operation)
        yield ""


def _place(operation: Operation) -> str:
    """Chapters are in the order of their modules, and the operations of each as they are written."""
    return operation.handler.__module__


def _operation(operation: Operation) -> Iterator[str]:
    own = f" Source: {operation.source}." if operation.source else ""
    yield f"- **{operation.service}.{operation.name}**: {paragraphs(operation.handler.__doc__)}{own}"
    yield from (f"  {_refusal(each)}" for each in operation.refusals)


def _launches() -> Iterator[str]:
    yield from _heading(launches.CHAPTER)
    yield from (_refusal(each) for each in launches.FAILURES)


def _refusal(refusal: ApiRefusal) -> str:
    return f"- `{refusal.code}`: `{refusal.said(_stand_in)}`"


def _stand_in(word: str) -> str:
    return f"<{word.replace('_', ' ')}>"


def _heading(chapter: Chapter) -> Iterator[str]:
    yield f"### {chapter.title}\n"
    if chapter.about:
        yield f"{chapter.about}\n"
    yield f"Source: {chapter.source}\n"


def _short(token: str) -> str:
    """`aws:ec2/vpc:Vpc` as `aws.ec2.Vpc`."""
    package, module, name = token.split(":")
    folder = module.partition("/")[0]
    return ".".join(part for part in (package, folder, name) if part != "index")


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.simulator.models_page"))
