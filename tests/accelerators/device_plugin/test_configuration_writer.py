import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.device_plugin import config_key, configuration, judge_values
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing

HALVES = Partitioning.of("mixed", [{"3g.40gb": 2}])


@pytest.mark.parametrize(
    ("sharing", "key"),
    [
        (EXCLUSIVE, "exclusive"),
        (Sharing("timeSlicing", 4), "time-slicing-4"),
        (Sharing("mps", 4), "mps-4"),
        (Sharing("mig", mig=HALVES), "mig-mixed"),
        (Sharing("mig", mig=Partitioning.of("single", [{"1g.10gb": 7}])), "mig-single"),
        (Sharing("mig", 2, renamed=True, mig=HALVES), "mig-mixed-0a91d2dc-time-slicing-2-renamed"),
        (Sharing("timeSlicing", 4, renamed=True), "time-slicing-4-renamed"),
        (Sharing("timeSlicing", 2, fail_requests_greater_than_one=False), "time-slicing-2-lenient"),
        (Sharing("timeSlicing", 2, allocation_policy="packed"), "time-slicing-2-packed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_keys_say_what_the_sharing_is(sharing, key):
    assert config_key(sharing) == key


SHARINGS = st.one_of(
    st.just(EXCLUSIVE),
    st.builds(
        Sharing,
        st.just("timeSlicing"),
        st.integers(2, 10**6),
        renamed=st.booleans(),
        fail_requests_greater_than_one=st.booleans(),
        allocation_policy=st.sampled_from([None, "distributed", "packed"]),
    ),
    st.builds(Sharing, st.just("mps"), st.integers(2, 48), renamed=st.booleans()),
    st.builds(
        Sharing,
        st.just("mig"),
        st.integers(1, 10**6),
        mig=st.builds(
            Partitioning.of,
            st.just("mixed"),
            st.lists(
                st.dictionaries(st.sampled_from(["1g.10gb", "1g.10gb+me", "3g.40gb"]), st.just(1), min_size=1),
                min_size=1,
            ),
        ),
    ),
)


@given(SHARINGS)
def test_whatever_we_write_the_plugin_reads_in_full(sharing):
    judgement = judge_values(configuration(sharing))

    assert judgement.verdict == "accepted", judgement.problems
    assert {one.replicas for one in judgement.effective.resources} == ({sharing.replicas} - {1})
    assert judgement.effective.mig_strategy == (sharing.mig.strategy if sharing.mig else "none")


@given(SHARINGS)
def test_keys_are_label_values_and_file_names(sharing):
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", config_key(sharing))


@given(SHARINGS, SHARINGS)
def test_groups_share_a_key_exactly_where_they_share_alike(one, other):
    assert (config_key(one) == config_key(other)) == (configuration(one) == configuration(other))
