"""The picture of the kinds of sharing: its numbers, its bars, and that it can be read."""

import re
from fractions import Fraction
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accel.sharing import panels
from eks_accelerators.accel.sharing.picture import BAR, FONT_SIZES, LANES_HEIGHT, PATH, WIDTH, picture
from eks_accelerators.accelerators import instance_types, mig

SVG = "{http://www.w3.org/2000/svg}"
L4, H100, PART_OF_L4 = (instance_types.get(name) for name in ("g6.2xlarge", "p5.4xlarge", "g6f.2xlarge"))
DRAWN = ET.fromstring(picture())
NUMBER = r"\d+(?:\.\d+)?(?:/\d+)?"


def gib(memory_mib, digits=2):
    return f"{memory_mib / 1024:.{digits}f}"


def test_the_written_picture_is_current():
    assert PATH.read_text(encoding="utf-8") == picture(), "run `python -m eks_accelerators.accel.sharing.picture`"


def test_it_stands_alone_and_is_small():
    text = picture()

    assert len(text.encode()) <= 30_000
    assert re.findall(r"https?://[^\"\s]+", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|@import|@font-face|url\(|<image|href=", text)


def test_it_says_in_words_what_it_is():
    named = {one.get("id"): one.text for one in DRAWN if one.get("id")}

    assert DRAWN.get("role") == "img"
    assert DRAWN.get("aria-labelledby") == "title description"
    assert all(named[name] for name in ("title", "description"))


def test_it_follows_light_and_dark_mode():
    """Every class that has a colour by day has another by night."""
    day, night = (DRAWN.find(f"{SVG}style").text or "").split("@media (prefers-color-scheme: dark)")
    coloured = r"\.(page|panel|key|label|part|open|others|all|[A-E])\b"

    assert set(re.findall(coloured, day)) == set(re.findall(coloured, night))


MEMORY, PART, DIVIDED = L4.accelerator.memory_mib, PART_OF_L4.accelerator.memory_mib, H100.accelerator.memory_mib
SMALL, LARGE = (mig.instance_memory_mib(mig.gpu_of(H100), name, DIVIDED) for name in ("1g.10gb", "3g.40gb"))


@pytest.mark.parametrize(
    ("index", "whole", "memory", "compute", "asked"),
    [
        (0, gib(MEMORY), [gib(MEMORY)], [], ["1", "1"]),
        (1, gib(MEMORY), [gib(MEMORY)], [], ["1", "4"]),
        (2, gib(MEMORY), [gib(MEMORY / 4)] * 4, ["1/4"] * 4, ["1", "4"]),
        (
            3,
            gib(DIVIDED),
            [*[gib(SMALL, 1)] * 4, gib(LARGE, 1), "3", "40"],
            [*["1", "7"] * 4, "3", "7"],
            ["3", "40", "1", "1", "1", "10", "1", "4"],
        ),
        (4, gib(PART / PART_OF_L4.accelerator.partition_size), [gib(PART), "2"], ["2"], ["1", "1"]),
    ],
    ids=["exclusive", "time-slicing", "mps", "mig", "fractional"],
)
def test_numbers_come_from_the_arithmetic(index, whole, memory, compute, asked):
    panel = panels.panels()[index]

    def numbers(parts):
        return [number for part in parts for number in re.findall(NUMBER, part.text)]

    assert f"{panel.whole_gib:.2f}" == whole
    assert numbers(panel.memory) == memory
    assert numbers(panel.compute) == compute
    assert re.findall(NUMBER, panel.facts["a pod asks"]) == asked


def test_everything_that_a_panel_says_is_drawn():
    drawn = " ".join(text.text or "" for text in DRAWN.iter(f"{SVG}text"))

    for panel in panels.panels():
        for text in (panel.title, *panel.facts.values(), *(part.text for part in (*panel.memory, *panel.compute))):
            assert text in drawn


def are_the_whole(parts):
    """Whether the parts lie side by side, from one end to the other."""
    ends = [Fraction(0), *(part.start + part.size for part in parts)]
    return [part.start for part in parts] == ends[:-1] and ends[-1] == 1


KNOWN = [kind for kind in instance_types.every() if kind.has_nvidia_gpu and kind.accelerator.memory_mib]
DIVIDED_BY_EC2 = [kind for kind in KNOWN if kind.accelerator.partition_size < 1]


@given(st.integers(2, len(panels.PODS)), st.sampled_from(KNOWN), st.sampled_from(DIVIDED_BY_EC2))
def test_parts_add_up_to_the_gpu(replicas, kind, part):
    for panel in (panels.time_sliced(kind, replicas), panels.by_mps(kind, replicas), panels.fractional(part)):
        assert are_the_whole(panel.memory)
        assert are_the_whole(panel.compute)


@pytest.mark.parametrize("gpu", mig.gpus(), ids=lambda gpu: gpu.name)
def test_instances_and_what_is_unused_add_up_to_the_gpu(gpu):
    kind = next(kind for kind in instance_types.every() if mig.gpu_of(kind) == gpu)

    for layout in mig.layouts(gpu):
        panel = panels.divided(kind, layout)
        assert are_the_whole(panel.memory)
        assert are_the_whole(panel.compute)


def test_a_layout_that_has_no_places_is_not_drawn():
    with pytest.raises(ValueError, match="cannot be divided"):
        panels.divided(H100, {"3g.40gb": 2, "1g.10gb": 1})


def test_bars_are_as_wide_as_the_gpu():
    for group, panel in zip(DRAWN.iter(f"{SVG}g"), panels.panels(), strict=True):
        bars = [one for one in group.iter(f"{SVG}rect") if one.get("class") != "panel"]
        memory, compute = bars[: len(panel.memory)], bars[len(panel.memory) :]
        along, whole = ("width", BAR) if panel.in_turns else ("height", LANES_HEIGHT)
        assert sum(float(bar.get("width")) for bar in memory) == pytest.approx(BAR, abs=0.01)
        assert sum(float(bar.get(along)) for bar in compute) == pytest.approx(whole, abs=0.01)


def boxes():
    """Where each text is, if a letter is 0.6 of the font's size wide: left, top, right, bottom."""
    for text in DRAWN.iter(f"{SVG}text"):
        size = FONT_SIZES[text.get("class")]
        x, y, width = float(text.get("x")), float(text.get("y")), len(text.text) * size * 0.6
        left = x - width / 2 if text.get("text-anchor") == "middle" else x
        yield text.text, (left, y - 0.8 * size, left + width, y + 0.25 * size)


def test_no_text_lies_on_another_or_outside():
    found = list(boxes())

    for text, (left, top, right, bottom) in found:
        assert 0 < left < right < WIDTH, text
        assert 0 < top < bottom < float(DRAWN.get("height")), text
    for (one, first), (other, second) in combinations(found, 2):
        apart = first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
        assert apart, (one, other)
