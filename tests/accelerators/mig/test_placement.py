"""A layout is possible exactly where an exhaustive search over starts, written without the code under test, ends."""

from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.mig import gpus, instance_memory_mib, layouts, nearest, parse, place, written

GPUS = {gpu.name: gpu for gpu in gpus()}
SHAPES = ("1g", "1g+me", "1g double", "2g", "3g", "4g", "7g")
"""The order of every GPU's profiles."""
STARTS = {
    "1g": (range(7), 1),
    "1g+me": (range(7), 1),
    "1g double": ((0, 2, 4, 6), 2),
    "2g": ((0, 2, 4), 2),
    "3g": ((0, 4), 4),
    "4g": ((0,), 4),
    "7g": ((0,), 8),
}
"""`nvidia-smi mig -lgipp` of an A100 and an H100: where an instance may start, and how many memory slices it takes."""


def reachable():
    """Every multiset of shapes that can be put on eight memory slices, one instance after another, in any order."""
    found, frontier = set(), {(0, ())}
    while frontier:
        found |= {held for _, held in frontier}
        frontier = {
            (taken | bits, tuple(sorted((*held, shape))))
            for taken, held in frontier
            for shape, (starts, size) in STARTS.items()
            for bits in (((1 << size) - 1) << start for start in starts)
            if not taken & bits and not (shape == "1g+me" and "1g+me" in held)
        }
    return found - {()}


REACHABLE = reachable()


def shaped(gpu, layout):
    """A layout with shapes in place of the GPU's own names."""
    shape = dict(zip(gpu.profiles, SHAPES, strict=True))
    return tuple(sorted(shape[name] for name, count in layout.items() for _ in range(count)))


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_every_layout_of_up_to_eight_instances_is_judged_as_by_an_exhaustive_search(gpu):
    for instances in range(1, 9):
        for held in combinations_with_replacement(gpu.profiles, instances):
            layout = Counter(held)
            assert (place(gpu, layout) is not None) == (shaped(gpu, layout) in REACHABLE), layout


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_all_possible_layouts_are_listed_once(gpu):
    listed = [shaped(gpu, layout) for layout in layouts(gpu)]

    assert set(listed) == REACHABLE
    assert len(listed) == len(REACHABLE) == 127


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_placements_are_where_the_hardware_lets_instances_start(gpu):
    shape = dict(zip(gpu.profiles, SHAPES, strict=True))
    for layout in layouts(gpu):
        placed = place(gpu, layout)
        taken = [slice_ for one in placed for slice_ in range(one.start, one.start + one.size)]

        assert Counter(one.profile for one in placed) == Counter(layout)
        assert all(one.start in STARTS[shape[one.profile]][0] for one in placed)
        assert all(one.size == STARTS[shape[one.profile]][1] for one in placed)
        assert len(taken) == len(set(taken))
        assert set(taken) <= set(range(8))


H100 = GPUS["H100 80GB"]


@pytest.mark.parametrize(
    "text",
    [
        "1g.10gb=7",
        "2g.20gb=3,1g.10gb=1",
        "2g.20gb=3,1g.20gb=1",
        "4g.40gb,3g.40gb",
        "4g.40gb,2g.20gb,1g.10gb",
        "4g.40gb,1g.10gb=3",
        "4g.40gb,2g.20gb,1g.20gb",
        "3g.40gb=2",
        "3g.40gb,2g.20gb,1g.10gb=2",
        "3g.40gb,2g.20gb=2",
        "3g.40gb,1g.10gb=4",
        "3g.40gb,1g.20gb=2",
        "2g.20gb=2,1g.10gb=3",
        "1g.20gb=4",
        "7g.80gb",
        "1g.10gb=6,1g.10gb+me",
    ],
)
def test_layouts_that_are_known_to_work(text):
    assert place(H100, parse(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("3g.40gb=2,1g.10gb", id="seven-compute-slices-and-nine-memory-slices"),
        "4g.40gb,3g.40gb,1g.10gb",
        "4g.40gb,1g.10gb=4",
        "3g.40gb,2g.20gb,1g.10gb=3",
        "3g.40gb,2g.20gb=2,1g.10gb",
        "7g.80gb,1g.10gb",
        "1g.10gb+me=2",
        "1g.10gb=8",
        "1g.10gb=7,1g.10gb+me",
        "4g.40gb=2",
    ],
)
def test_layouts_that_are_known_not_to_work(text):
    assert place(H100, parse(text)) is None


WANTED = st.dictionaries(st.sampled_from(list(H100.profiles)), st.integers(1, 7), min_size=1, max_size=4)


@given(WANTED)
def test_a_possible_layout_is_nearest_to_itself_and_every_proposal_is_possible(layout):
    proposals = nearest(H100, layout)

    assert all(place(H100, proposal) is not None for proposal in proposals)
    assert (proposals[0] == layout) == (place(H100, layout) is not None)


@given(WANTED)
def test_no_layout_is_nearer_than_the_first_proposal(layout):
    def changes(candidate):
        wanted, offered = Counter(layout), Counter(candidate)
        return max((wanted - offered).total(), (offered - wanted).total())

    assert changes(nearest(H100, layout)[0]) == min(changes(candidate) for candidate in layouts(H100))


@given(WANTED)
def test_what_is_written_is_read_again(layout):
    assert parse(written(layout)) == layout


@pytest.mark.parametrize(
    ("name", "memory_mib", "profile", "seen_mib"),
    [
        ("A100 40GB", 40960, "1g.5gb", 4864),
        ("A100 40GB", 40960, "2g.10gb", 9984),
        ("A100 40GB", 40960, "3g.20gb", 20096),
        ("H100 80GB", 81920, "1g.10gb", 9984),
        ("H100 80GB", 81920, "3g.40gb", 40448),
    ],
)
def test_an_instance_has_at_least_the_memory_that_is_counted(name, memory_mib, profile, seen_mib):
    """Against what `nvidia-smi mig -lgip` shows in public captures."""
    assert seen_mib * 0.95 <= instance_memory_mib(GPUS[name], profile, memory_mib) <= seen_mib
