import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerators.device_plugin import config_key, configuration, problems
from accelerators.sharing import EXCLUSIVE, Sharing

GPU = {"name": "nvidia.com/gpu", "replicas": 4}


def sliced(*resources, **section):
    return {"sharing": {"timeSlicing": {"resources": list(resources), **section}}}


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({}, id="empty"),
        pytest.param({"version": ""}, id="no-version"),
        pytest.param(sliced(GPU), id="time-slicing"),
        pytest.param(sliced({"name": "gpu", "replicas": 2}), id="prefix-is-added"),
        pytest.param(sliced({**GPU, "devices": "all"}), id="all-devices"),
        pytest.param({"flags": {"plugin": {"sharedDevicesAllocationPolicy": "packed"}}}, id="packed"),
    ],
)
def test_good_configurations(config):
    assert problems(config) == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param({"version": "v2"}, "version: 'v2' is not v1", id="V1-version"),
        pytest.param({"sharing": {"timeSlicing": {}}}, "no resources specified", id="V2-empty-section"),
        pytest.param({"sharing": {"timeSlicing": None}}, "no resources specified", id="V2-null-section"),
        pytest.param({"sharing": {"mps": {}}}, "sharing.mps.resources: no resources specified", id="V2-empty-mps"),
        pytest.param(sliced(), "no resources specified", id="V2-empty-list"),
        pytest.param(sliced({"replicas": 4}), "no resource name specified", id="V3-no-name"),
        pytest.param(sliced({"name": "nvidia.com/gpu"}), "None is not a whole number", id="V4-no-replicas"),
        pytest.param(sliced({**GPU, "replicas": 1}), "1 is not a whole number of at least 2", id="V4-one-replica"),
        pytest.param(sliced({**GPU, "replicas": "4"}), "'4' is not a whole number", id="V4-text"),
        pytest.param(sliced({**GPU, "replicas": True}), "True is not a whole number", id="V4-true"),
        pytest.param(sliced({**GPU, "name": "amd.com/gpu"}), "no NVIDIA resource name", id="V5-other-vendor"),
        pytest.param(sliced({**GPU, "name": "nvidia.com/GPU"}), "no NVIDIA resource name", id="V5-upper-case"),
        pytest.param(sliced({**GPU, "name": "a..b"}), "no NVIDIA resource name", id="V5-empty-label"),
        pytest.param(sliced({**GPU, "name": "g" * 53}), "at most 63 characters", id="V5-too-long"),
        pytest.param(sliced({**GPU, "rename": "not_a_name"}), "rename: 'not_a_name' is no", id="V5-rename"),
        pytest.param(sliced({**GPU, "devices": 0}), "neither all, a number", id="V6-zero-devices"),
        pytest.param(sliced({**GPU, "devices": []}), "neither all, a number", id="V6-empty-list"),
        pytest.param(sliced({**GPU, "devices": ["first"]}), "neither all, a number", id="V6-no-device"),
        pytest.param(
            {"flags": {"plugin": {"sharedDevicesAllocationPolicy": "spread"}}},
            "neither distributed nor packed",
            id="V14-policy",
        ),
        pytest.param(
            {"sharing": {"timeSlicing": {"resources": [GPU]}, "mps": {"resources": [GPU]}}},
            "exclude each other",
            id="S1-both-kinds",
        ),
        pytest.param({"flag": {}}, "flag: unknown key", id="S2-top"),
        pytest.param({"flags": {"migStrategie": "none"}}, "flags.migStrategie: unknown key", id="S2-flag"),
        pytest.param({"flags": {"plugin": {"policy": 1}}}, "flags.plugin.policy: unknown key", id="S2-plugin-flag"),
        pytest.param({"sharing": {"timeslicing": {}}}, "sharing.timeslicing: unknown key", id="S2-kind"),
        pytest.param(sliced(GPU, renamebyDefault=True), "renamebyDefault: unknown key", id="S2-section"),
        pytest.param(sliced({**GPU, "replica": 4}), "resources[0].replica: unknown key", id="S2-entry"),
        pytest.param({"resources": {"gpus": []}}, "resources: ignored", id="S3-resources"),
        pytest.param(sliced({**GPU, "rename": "shared"}), "rename: ignored", id="S3-rename"),
        pytest.param(sliced({**GPU, "devices": 2}), "all GPUs of a node are shared alike", id="S3-devices"),
        pytest.param(sliced({**GPU, "devices": [0, "0:1"]}), "shared alike", id="S3-listed-devices"),
        pytest.param(sliced({**GPU, "name": "nvidia.com/mig-1g.10gb"}), "nothing would be shared", id="S4-mig"),
        pytest.param(sliced(GPU, {**GPU, "name": "gpu"}), "nvidia.com/gpu is given twice", id="S5-twice"),
    ],
)
def test_bad_configurations(config, expected):
    found = problems(config)

    assert any(expected in problem for problem in found), found


@pytest.mark.parametrize(
    ("sharing", "key"),
    [
        (EXCLUSIVE, "exclusive"),
        (Sharing("timeSlicing", 4), "time-slicing-4"),
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
)


@given(SHARINGS)
def test_whatever_we_write_the_plugin_reads_in_full(sharing):
    assert problems(configuration(sharing)) == []


@given(SHARINGS)
def test_keys_are_label_values_and_file_names(sharing):
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", config_key(sharing))


@given(SHARINGS, SHARINGS)
def test_groups_share_a_key_exactly_where_they_share_alike(one, other):
    assert (config_key(one) == config_key(other)) == (configuration(one) == configuration(other))
