"""The page about all codes and checks of a verification: `python -m eks_accelerators.verification.codes_page` writes it.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterator

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.verification.checks import CHECKS
from eks_accelerators.verification.codes import table
from eks_accelerators.verification.severity import MEANS

PATH = ROOT / "docs" / "verify-codes.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.verification.codes_page` from `eks_accelerators/verification/codes.py` and `checks.py`. -->

# Codes and checks of a verification

What [`accel verify`](verify.md) looks at, and what it says of it.

## Codes

A finding has the severity of its code, unless who found it says otherwise: an XID, DCGM's own severity, a plugin that
hands out nothing.
"""


def page() -> str:
    """The page in Markdown."""
    return "\n".join([_INTRODUCTION, *table(), "", "## Severities", "", *_severities(), "", *_checks()]).rstrip() + "\n"


def _severities() -> Iterator[str]:
    yield from ("| Severity | What it asks for |", "| --- | --- |")
    for severity, means in MEANS.items():
        yield f"| `{severity}` | {means} |"


def _checks() -> Iterator[str]:
    yield from ("## Checks of nodes", "", "Each level has what the one before has; `api` has none of these.", "")
    yield from (
        "| Check | Level | What holds | Takes | Code where it cannot be made |",
        "| --- | --- | --- | --- | --- |",
    )
    for check in CHECKS:
        means = f"{check.means[0].upper()}{check.means[1:]}"
        yield f"| `{check.name}` | {check.level} | {means} | about {check.seconds} s | `{check.code}` |"


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.verification.codes_page"))
