"""The file of MIG configurations: taken by mig-parted as it is judged here, and meaning what was wanted."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.gpu_operator import judge_mig_parted
from eks_accelerators.accelerators.mig import gpus, layouts
from eks_accelerators.accelerators.mig.manager import configuration_name, configurations

LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
POSSIBLE = [layout for gpu in gpus() for layout in layouts(gpu)]
ANY = st.sampled_from(POSSIBLE)
ANY_NODE = st.one_of(
    st.tuples(ANY),
    st.lists(st.one_of(st.just({}), ANY), min_size=8, max_size=8).map(tuple),
)


def divided(entries, count):
    """What each of ``count`` GPUs becomes."""
    return [
        next(
            entry.get("mig-devices", {}) for entry in entries if entry["devices"] == "all" or index in entry["devices"]
        )
        for index in range(count)
    ]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ((), "all-disabled"),
        (({"1g.10gb": 7},), "all-1g.10gb"),
        (({"7g.80gb": 1},), "all-7g.80gb"),
        (({"1g.10gb+me": 1},), "all-1g.10gb.me"),
        (({"1g.10gb": 4},), "4x1g.10gb"),  # all that an A100 of 40 GB takes; seven have that name
        (({"1g.10gb": 4, "3g.40gb": 1},), "1x3g.40gb-4x1g.10gb"),
        (({"1g.10gb+me": 1, "3g.40gb": 1},), "1x3g.40gb-1x1g.10gb.me"),
        (({}, {"1g.10gb": 7}), "each-gpu-a7b98844"),
    ],
)
def test_names(wanted, name):
    assert configuration_name(wanted) == name


def test_a_file():
    assert configurations([({"1g.10gb": 4, "3g.40gb": 1},), ({}, {"1g.10gb": 7}, {}, {"1g.10gb": 7})]) == {
        "version": "v1",
        "mig-configs": {
            "1x3g.40gb-4x1g.10gb": [
                {"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 1, "1g.10gb": 4}}
            ],
            "all-disabled": [{"devices": "all", "mig-enabled": False}],
            "each-gpu-b2d13f7b": [
                {"devices": [0, 2], "mig-enabled": False},
                {"devices": [1, 3], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
            ],
        },
    }


def test_whole_gpus_are_always_among_them():
    assert list(configurations([])["mig-configs"]) == ["all-disabled"]


@pytest.mark.parametrize("layout", POSSIBLE, ids=str)
def test_every_layout_has_a_name_that_a_label_takes(layout):
    assert LABEL_VALUE.fullmatch(configuration_name([layout]))


@given(st.lists(ANY_NODE, max_size=4))
def test_mig_parted_takes_every_file_and_makes_of_it_what_is_wanted(wanted):
    file = configurations(wanted)

    assert judge_mig_parted(json.dumps(file)) == ((), tuple(file["mig-configs"]))
    for node in wanted:
        count = 8
        assert divided(file["mig-configs"][configuration_name(node)], count) == list(
            node * (count if len(node) == 1 else 1)
        )


@given(ANY_NODE, ANY_NODE)
def test_a_name_means_one_layout(one, other):
    assert (configuration_name(one) == configuration_name(other)) == (one == other or not any((*one, *other)))
