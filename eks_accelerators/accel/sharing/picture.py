"""The picture of docs/sharing.md: one GPU under each kind of sharing. `python -m eks_accelerators.accel.sharing.picture` writes it.

It has no script, no font and no address of its own, and follows the reader's light or dark mode.
"""

import sys
import textwrap
from xml.etree import ElementTree as ET

from eks_accelerators.accel.sharing.panels import Panel, Part, panels
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
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": str(WIDTH),
            "height": str(height),
            "role": "img",
            "aria-labelledby": "title description",
        },
    )
    ET.SubElement(root, "title", {"id": "title"}).text = "One GPU under each kind of sharing"
    ET.SubElement(root, "desc", {"id": "description"}).text = _DESCRIPTION
    sizes = "\n".join(f".{kind} {{ font-size: {size}px; }}" for kind, size in FONT_SIZES.items())
    ET.SubElement(root, "style").text = f"\n{sizes}{_STYLE}"
    _rectangle(root, "page", 0, 0, WIDTH, height)
    top = MARGIN
    for panel in shown:
        _draw(root, panel, top)
        top += _height(panel) + GAP
    legend = (
        "Solid border: held to it by the driver, MPS, the GPU or EC2. Dashed border: nothing holds a pod to its part."
    )
    _text(root, "label", MARGIN, top + _LINE, legend)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def wrapped(text: str) -> list[str]:
    """``text`` in lines that fit the column of values."""
    return textwrap.wrap(text, _VALUE_CHARACTERS, break_long_words=False, break_on_hyphens=False)


def _height(panel: Panel) -> int:
    lines = sum(len(wrapped(value)) for value in panel.facts.values())
    bars = 2 * _LINE + BAR_HEIGHT + LANES_HEIGHT + 14
    return 38 + max(bars, lines * _LINE) + 6


def _draw(root: ET.Element, panel: Panel, top: int) -> None:
    group = ET.SubElement(root, "g")
    _rectangle(group, "panel", MARGIN, top, WIDTH - 2 * MARGIN, _height(panel), rx=6)
    left, y = MARGIN + 14, top + 24
    _text(group, "title", left, y, panel.title)
    y += 24
    _text(group, "label", left, y, f"memory of one {panel.chip}: {panel.whole_gib:.2f} GiB")
    y += 7
    for part in panel.memory:
        at, width = left + BAR * part.start, BAR * part.size
        _part(group, part, float(at), y, float(width), BAR_HEIGHT)
    y += BAR_HEIGHT + 20
    _text(group, "label", left, y, "compute over time →")
    y += 7
    for part in panel.compute:
        if panel.in_turns:
            _part(group, part, float(left + BAR * part.start), y, float(BAR * part.size), LANES_HEIGHT)
        else:
            _part(group, part, left, float(y + LANES_HEIGHT * part.start), BAR, float(LANES_HEIGHT * part.size))
    y = top + 48
    for key, value in panel.facts.items():
        _text(group, "key", _FACTS_AT, y, key)
        for line in wrapped(value):
            _text(group, "value", _VALUES_AT, y, line)
            y += _LINE


def _part(root: ET.Element, part: Part, x: float, y: float, width: float, height: float) -> None:
    kind = "others" if not part.pods else part.pods if len(part.pods) == 1 else "all"
    _rectangle(root, f"{kind} {'part' if part.enforced else 'open'}", x, y, width, height)
    middle = y + height / 2 + FONT_SIZES["small"] * 0.36
    _text(root, "small", x + width / 2, middle, part.text, anchor="middle")


def _rectangle(root: ET.Element, kind: str, x: float, y: float, width: float, height: float, rx: int = 0) -> None:
    place = {"x": x, "y": y, "width": width, "height": height, **({"rx": rx} if rx else {})}
    ET.SubElement(root, "rect", {"class": kind, **{key: f"{value:.6g}" for key, value in place.items()}})


def _text(root: ET.Element, kind: str, x: float, y: float, text: str, anchor: str = "") -> None:
    more = {"text-anchor": anchor} if anchor else {}
    ET.SubElement(root, "text", {"class": kind, "x": f"{x:.6g}", "y": f"{y:.6g}", **more}).text = text


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, picture(), sys.argv[1:], "python -m eks_accelerators.accel.sharing.picture"))
