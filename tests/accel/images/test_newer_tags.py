"""A newer tag has the same shape and larger numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accel.images.newer_tags import newest


@pytest.mark.parametrize(
    ("than", "tags", "expected"),
    [
        pytest.param("v0.28.0", ["v0.9.2", "v0.28.0", "v0.28.1", "v0.33.0", "latest"], "v0.33.0", id="by-number"),
        pytest.param("0.20.0", ["v0.19.0", "v0.20.0"], None, id="the-same-with-a-v"),
        pytest.param("0.20.0", ["v0.20.1"], "v0.20.1", id="newer-with-a-v"),
        pytest.param("v0.28.0", ["v0.33.0rc1", "v0.33.0-cu129", "nightly"], None, id="other-shapes"),
        pytest.param(
            "4.6.0-1-ubuntu24.04",
            ["4.7.1-1-ubi9", "4.6.1-1-ubuntu24.04", "4.7.0-1-ubuntu22"],
            "4.6.1-1-ubuntu24.04",
            id="same-system",
        ),
        pytest.param("vectoradd-cuda12.5.0", ["nbody-cuda13.0.0", "vectoradd-cuda11.7.1"], None, id="another-program"),
        pytest.param("1.11.0", [], None, id="no-tags"),
    ],
)
def test_the_newest_of_the_same_shape(than, tags, expected):
    assert newest(tags, than) == expected


@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3).map(lambda parts: "v{}.{}.{}".format(*parts)), min_size=1))
def test_nothing_is_newer_than_the_newest(tags):
    found = newest(tags, "v0.0.0")

    assert found is None or newest(tags, found) is None
