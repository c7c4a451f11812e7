"""A MIG layout as people write it: profiles and how many of each, for one GPU."""

import re
from collections.abc import Mapping

Layout = Mapping[str, int]
"""How many instances of each profile one GPU is divided into."""

_PART = re.compile(r"(?P<profile>[^\s=,]+)(\s*=\s*(?P<count>\d{1,4}))?", re.ASCII)


class LayoutSyntaxError(ValueError):
    """The text is no layout; says which part."""


def parse(text: str) -> Layout:
    """The layout written as `3g.40gb=1,1g.10gb=4`.

    A profile without a count counts once, and one that is written twice adds up, as in the lists of `nvidia-smi`.
    Raises `LayoutSyntaxError`. Whether any GPU has such profiles is not asked here.
    """
    found: dict[str, int] = {}
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise LayoutSyntaxError(f"{part.strip()!r} is not PROFILE=COUNT, such as 1g.10gb=4")
        found[match["profile"]] = found.get(match["profile"], 0) + int(match["count"] or 1)
    if not any(found.values()):
        raise LayoutSyntaxError("a layout has at least one instance")
    return {profile: count for profile, count in found.items() if count}


def written(layout: Layout) -> str:
    """The text of a layout, large instances first."""
    return ",".join(f"{profile}={layout[profile]}" for profile in sorted(layout, key=by_size) if layout[profile])


def by_size(profile: str) -> tuple[int, int, str]:
    """Sorts profiles: many compute slices first, then much memory."""
    numbers = [int(digits) for digits in re.findall(r"(\d{1,4})g", profile, re.ASCII)]
    return (-numbers[0] if numbers else 0, -numbers[1] if len(numbers) > 1 else 0, profile)
