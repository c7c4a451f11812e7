import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.timeline import chart, schedule
from tests.simulator.timeline.operations import component, op


def example():
    return schedule(
        [
            component("z", type="eks-accelerators:index:Network"),
            op("a", 120, parent="z"),
            op("b", 60, "a", parent="z"),
            op("c", 300, "a", type="aws:eks/cluster:Cluster"),
            op("d", 60, "c", parent="z"),
        ],
        None,
    )


def test_a_bar_for_each_part():
    assert chart(example(), 40).splitlines() == [
        "Network  ██████▒▒▒············███  8 min",
        "Cluster        ███████████████     5 min",
        "         0              5 min",
    ]


def test_a_deployment_without_length_has_no_chart():
    assert chart(schedule([component("a"), op("b", None)])) == ""


@given(st.lists(st.floats(0.001, 100_000), min_size=1, max_size=8), st.integers(30, 200))
def test_rows_are_as_wide_as_asked_and_every_part_is_seen(lengths, width):
    kinds = [f"test:index:{chr(65 + index) * 3}" for index in range(len(lengths))]
    operations = [op(kind, seconds, type=kind) for kind, seconds in zip(kinds, lengths, strict=True)]
    rows = chart(schedule(operations, 1), width).splitlines()

    assert len(rows) == len(lengths) + 1
    assert all("█" in row or "▒" in row for row in rows[:-1])
    assert max(len(row) for row in rows[:-1]) <= width


@pytest.mark.parametrize("width", [0, 1, 20])
def test_names_are_never_cut(width):
    assert [row[:9] for row in chart(example(), width).splitlines()] == ["Network  ", "Cluster  ", "         "]


@pytest.mark.parametrize(
    ("seconds", "scale"),
    [
        pytest.param(60, "0 10 20 30 40 50 s", id="seconds"),
        pytest.param(1_140, "0 5 10 15 min", id="minutes"),
        pytest.param(30_000, "0 120 240 360 480 min", id="hours"),
    ],
)
def test_the_scale_has_round_numbers(seconds, scale):
    line = chart(schedule([op("a", seconds, type="test:index:A")]), 76).splitlines()[-1]

    assert " ".join(line.split()) == scale
