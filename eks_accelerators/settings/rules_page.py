"""The page about all problem codes: `python -m eks_accelerators.settings.rules_page` writes it from the rules themselves.

`--check` exits 1 where the written page is stale.
"""

import re
import sys
from collections.abc import Iterator
from itertools import groupby

from eks_accelerators.settings import launch_template_rules
from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.settings.rules import RULES

PATH = ROOT / "docs" / "rules.md"

SHAPE_CODES = {
    "stack-file": "The file is there, is UTF-8 YAML, and has a `config` section of plain data.",
    "unknown-namespace": "Every key under `config` has a namespace, ours or that of a provider; ours need not be written.",
    "unknown-key": "Every key is a setting. A misspelt one is answered with the nearest that exists.",
    "renamed-key": "A setting that had another name is written by its name of today, which the answer says.",
    "missing-key": "Keys without a default are there.",
    "wrong-type": "Values have the type of their setting: text, number, true or false, list, keys with values.",
    "unquoted-date": "Text that looks like a date stands in quotes: Pulumi takes it for a time, and hands over another text.",
    "not-allowed": "Where a setting has a fixed list of words, the value is one of them.",
    "invalid-name": "Names of node groups, Capacity Blocks, workloads and the like follow the rule for names.",
    "invalid-value": "Values keep to the limits and patterns of their setting.",
    "secret-inline": "Tokens and the addresses of webhooks are Pulumi secrets under a key of their own, and settings are no secrets.",
    "aws-provider": "Whoever asks AWS for the stack can do so as its provider does: every `aws:` key that says who or where is "
    "honoured, and none is encrypted. Asked before AWS is, and not by `accel check`.",
    "facts-file": "`facts/instance-types.json`, where there is one, can be read: `accel facts add` writes it.",
    "secret-unset": "Pulumi secrets that the settings name are set; `accel check` only warns of it.",
}
"""What is checked beside the rules: code and meaning. Each is an error when it comes to a deployment."""

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.settings.rules_page` from the rules in `eks_accelerators/settings/rules/`. -->

# Rules

Every problem with a stack file has one of these codes. An **error** stops a deployment before anything
is created; a **warning** does not. `accel check` shows all problems at once, each with its place, what
was found, what is allowed and how to fix it.
"""


def page() -> str:
    """The page in Markdown."""
    return "\n".join([_INTRODUCTION, *_shape(), *_rules(), *_registered()]).rstrip() + "\n"


def _shape() -> Iterator[str]:
    yield "## The shape of the file\n"
    yield "Checked first. What has the wrong shape is set aside, and the rules below judge the rest.\n"
    yield from (line for code, text in SHAPE_CODES.items() for line in _entry(code, "error", text))


def _rules() -> Iterator[str]:
    for module, rules in groupby(RULES.values(), key=lambda rule: rule.check.__module__):
        yield f"## {_heading(module)}\n"
        for rule in rules:
            yield from _entry(rule.code, rule.severity.value, _prose(rule.description))


def _registered() -> Iterator[str]:
    yield "## Launch templates and node groups\n"
    yield "`accel plan` holds these against what a program registers, also where it uses no component of ours.\n"
    yield from _entry("duplicate-urn", "error", "No two resources have one URN: the engine stops at the second.")
    for code, judge in launch_template_rules.RULES.items():
        yield from _entry(code, "error", _prose((judge.__doc__ or "").strip()))


def _entry(code: str, severity: str, text: str) -> Iterator[str]:
    yield f"### {code}\n"
    yield f"**{severity}**. {text}\n"


def _prose(description: str) -> str:
    """A rule's docstring, each paragraph on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in description.split("\n\n"))


def _heading(module: str) -> str:
    words = (sys.modules[module].__doc__ or module).removeprefix("Rules about ")
    title = re.split(r"[.:]| that ", words, maxsplit=1)[0]
    return title[0].upper() + title[1:]


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.settings.rules_page"))
