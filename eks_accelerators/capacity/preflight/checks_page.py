"""The page about all checks of a preflight: `python -m eks_accelerators.capacity.preflight.checks_page` writes it from the checks themselves.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterator
from itertools import groupby

from eks_accelerators.capacity.preflight import checks  # noqa: F401  (they register)
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "preflight-checks.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.capacity.preflight.checks_page` from the checks in `eks_accelerators/capacity/preflight/checks/`. -->

# Checks of a preflight

What [`accel preflight`](preflight.md) asks AWS. Every check only reads. A check without anything to ask about, such as Spot
scores of a stack without Spot, says nothing.
"""


def page() -> str:
    """The page in Markdown."""
    return "\n".join([_INTRODUCTION, *_checks()]).rstrip() + "\n"


def _checks() -> Iterator[str]:
    for module, found in groupby(CHECKS.values(), key=lambda check: check.function.__module__):
        heading = (sys.modules[module].__doc__ or module).partition(".")[0].partition(":")[0]
        yield f"## {heading[0].upper()}{heading[1:]}\n"
        for check in found:
            yield f"### {check.code}\n"
            for paragraph in check.description.split("\n\n"):
                yield " ".join(paragraph.split()) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.capacity.preflight.checks_page"))
