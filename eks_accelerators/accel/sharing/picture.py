"""The picture of docs/sharing.md: one GPU under each kind of sharing. `python -m eks_accelerators.accel.sharing.picture` writes it.

It has no script, no font and no address of its own, and follows the reader's light or dark mode.
"""

import sys
import textwrap
from xml.etree import ElementTree as ET

from eks_accelerators.accel.sharing.panels import Panel, Part, panels
from eks_accelerators.monitoring import svg
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "sharing.svg"

WIDTH, MARGIN, GAP = 920, 16, 14
BAR, BAR_HEIGHT, LANES_HEIGHT = 380, 30, 98
_FACTS_AT, _VALUES_AT, _LINE = 428, 510, 17
FONT_SIZES = {"title": 15, "label": 13, "key": 13, "value": 13, "small": 11}
"""Of each class of text, in pixels."""
_VALUE_CHARACTERS = 48

_STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
.page { fill: #ffffff; }
.panel { fill: #f6f8fa; stroke: #d1d9e0; }
.title { font-weight: 600; }
.key, .label { fill: #59636e; }
.part { stroke: #1f2328; stroke-width: 1.5; }
.open { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3; }
.A { fill: #a5c8f0; } .B { fill: #f3c78c; } .C { fill: #a9d9a4; } .D { fill: #dcb3e6; } .E { fill: #efb0b0; }
.all { fill: #dfe3e8; } .others { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .page { fill: #0d1117; }
  .panel { fill: #151b23; stroke: #3d444d; }
  .key, .label { fill: #9198a1; }
  .part, .open { stroke: #c9d1d9; }
  .A { fill: #1f4f86; } .B { fill: #7a4d10; } .C { fill: #2b6127; } .D { fill: #653a73; } .E { fill: #7d3131; }
  .all { fill: #3d444d; } .others { fill: #0d1117; }
}
"""

_DESCRIPTION = (
    "Five panels, one for each kind of sharing. Each has a bar of the GPU's memory, with the part that each pod may "
    "allocate, and its compute over time. A solid border is enforced, a dashed one is not."
)


def picture() -> str:
    """The picture of docs/sharing.md, as SVG: every kind of sharing beside the others."""
    shown = panels()
    height = MARGIN + sum(_height(panel) + GAP for panel in shown) + 2 * _LINE
    sizes = "\n".join(f".{kind} {{ font-size: {size}px; }}" for kind, size in FONT_SIZES.items())
    root = svg.page(WIDTH, height, "One GPU under each kind of sharing", _DESCRIPTION, f"\n{sizes}{_STYLE}")
    top = MARGIN
    for panel in shown:
        _draw(root, panel, top)
        top += _height(panel) + GAP
    legend = (
        "Solid border: held to it by the driver, MPS, the GPU or EC2. Dashed border: nothing holds a pod to its part."
    )
    svg.text(root, "label", MARGIN, top + _LINE, legend)
    return svg.written(root)


def wrapped(text: str) -> list[str]:
    """``text`` in lines that fit the column of values."""
    return textwrap.wrap(text, _VALUE_CHARACTERS, break_long_words=False, break_on_hyphens=False)


def _height(panel: Panel) -> int:
    lines = sum(len(wrapped(value)) for value in panel.facts.values())
    bars = 2 * _LINE + BAR_HEIGHT + LANES_HEIGHT + 14
    return 38 + max(bars, lines * _LINE) + 6


def _draw(root: ET.Element, panel: Panel, top: int) -> None:
    group = ET.SubElement(root, "g")
    svg.rectangle(group, "panel", MARGIN, top, WIDTH - 2 * MARGIN, _height(panel), radius=6)
    left, y = MARGIN + 14, top + 24
    svg.text(group, "title", left, y, panel.title)
    y += 24
    svg.text(group, "label", left, y, f"memory of one {panel.chip}: {panel.whole_gib:.2f} GiB")
    y += 7
    for part in panel.memory:
        at, width = left + BAR * part.start, BAR * part.size
        _part(group, part, float(at), y, float(width), BAR_HEIGHT)
    y += BAR_HEIGHT + 20
    svg.text(group, "label", left, y, "compute over time →")
    y += 7
    for part in panel.compute:
        if panel.in_turns:
            _part(group, part, float(left + BAR * part.start), y, float(BAR * part.size), LANES_HEIGHT)
        else:
            _part(group, part, left, float(y + LANES_HEIGHT * part.start), BAR, float(LANES_HEIGHT * part.size))
    y = top + 48
    for key, value in panel.facts.items():
        svg.text(group, "key", _FACTS_AT, y, key)
        for line in wrapped(value):
            svg.text(group, "value", _VALUES_AT, y, line)
            y += _LINE


def _part(root: ET.Element, part: Part, x: float, y: float, width: float, height: float) -> None:
    kind = (part.pods or "others") if len(part.pods) <= 1 else "all"
    svg.rectangle(root, f"{kind} {'part' if part.enforced else 'open'}", x, y, width, height)
    middle = y + height / 2 + FONT_SIZES["small"] * 0.36
    svg.text(root, "small", x + width / 2, middle, part.text, anchor="middle")


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, picture(), sys.argv[1:], "python -m eks_accelerators.accel.sharing.picture"))
