"""The pages of the documentation, and what is quoted in them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNBOOKS = sorted((ROOT / "docs" / "runbooks").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CUT = "[...]"

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def name(page: Path) -> str:
    """A page's path below the root, for the names of tests."""
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    """The text of a page."""
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> Iterator[str]:
    """Fenced blocks of a page in ``language``, without the indentation of their fence."""
    for indent, found, content in _FENCE.findall(text(page)):
        if found == language:
            yield re.sub(f"^{indent}", "", content, flags=re.MULTILINE)


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", text(page))


def spans(page: Path) -> list[str]:
    """The code spans of a page's prose, on one line each."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]


def anchors(page: Path) -> set[str]:
    """The anchors that a forge makes of a page's headings; those of further headings of one name are numbered."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    counts = [slugs[:index].count(slug) for index, slug in enumerate(slugs)]
    return {f"{slug}-{count}" if count else slug for slug, count in zip(slugs, counts, strict=True)}


def links(page: Path) -> list[str]:
    """Targets of a page's links that are not addresses."""
    targets = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def is_shown_of(shown: str, whole: str) -> bool:
    """Whether ``shown`` is ``whole`` with parts left out at the marks; trailing blanks do not count."""
    rest = _tidy(whole)
    for part in re.split(rf"^{re.escape(CUT)}$", shown, flags=re.MULTILINE):
        _, found, rest = rest.partition(_tidy(part))
        if not found and _tidy(part):
            return False
    return True


def _tidy(text: str) -> str:
    """``text`` without blank lines and trailing blanks."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
