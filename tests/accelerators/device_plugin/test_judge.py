"""The rules of the device plugin one by one: those that it enforces (V), and those that it does not (S)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.device_plugin import CODES, Flags, Node, judge, judge_values
from eks_accelerators.accelerators.instance_types import get

GPU = {"name": "nvidia.com/gpu", "replicas": 4}
STRICT = {"failRequestsGreaterThanOne": True}


def sliced(*resources, **section):
    return {"sharing": {"timeSlicing": {"resources": list(resources), **STRICT, **section}}}


def by_mps(*resources, **section):
    return {"sharing": {"mps": {"resources": list(resources), **section}}}


def mig(strategy):
    return {"flags": {"migStrategy": strategy}}


def plugin(**flags):
    return {"flags": {"plugin": flags}}


def node(instance_type, *layouts):
    return Node.of(get(instance_type), layouts or (None,))


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({}, id="empty"),
        pytest.param({"version": ""}, id="no-version"),
        pytest.param(sliced(GPU), id="time-slicing"),
        pytest.param(sliced({"name": "gpu", "replicas": 2}), id="prefix-is-added"),
        pytest.param(sliced({**GPU, "devices": "all"}), id="all-devices"),
        pytest.param(sliced({**GPU, "rename": "gpu.shared"}, renameByDefault=True), id="renamed-as-it-would-be"),
        pytest.param(sliced({**GPU, "replicas": 10**6}), id="S7-no-upper-bound"),
        pytest.param(by_mps(GPU), id="mps"),
        pytest.param(by_mps({**GPU, "replicas": 48}), id="V10-as-many-clients-as-there-are"),
        pytest.param(plugin(sharedDevicesAllocationPolicy="packed"), id="packed"),
        pytest.param(plugin(deviceListStrategy=["envvar", "cdi-cri"]), id="two-list-strategies"),
        pytest.param({"imex": {"channelIDs": [0]}}, id="imex"),
    ],
)
def test_accepted(config):
    judgement = judge_values(config)

    assert (judgement.verdict, judgement.problems, judgement.ignored) == ("accepted", (), ())


REJECTED = [
    pytest.param({"version": "v2"}, "version", "version", id="V1"),
    pytest.param({"sharing": {"timeSlicing": {}}}, "no-resources", "sharing.timeSlicing.resources", id="V2"),
    pytest.param({"sharing": {"timeSlicing": None}}, "no-resources", "sharing.timeSlicing.resources", id="V2-null"),
    pytest.param({"sharing": {"mps": {}}}, "no-resources", "sharing.mps.resources", id="V2-mps"),
    pytest.param(sliced(), "no-resources", "sharing.timeSlicing.resources", id="V2-empty-list"),
    pytest.param(sliced({"replicas": 4}), "no-resource-name", "sharing.timeSlicing.resources[0].name", id="V3-no-name"),
    *(
        pytest.param(sliced(entry), "replicas", "sharing.timeSlicing.resources[0].replicas", id=f"V4-{name}")
        for name, entry in {
            "missing": {"name": "gpu"},
            "one": {**GPU, "replicas": 1},
            "none": {**GPU, "replicas": 0},
            "negative": {**GPU, "replicas": -1},
            "text": {**GPU, "replicas": "4"},
            "true": {**GPU, "replicas": True},
            "part": {**GPU, "replicas": 2.5},
        }.items()
    ),
    *(
        pytest.param(
            sliced({**GPU, "name": name}), "resource-name", "sharing.timeSlicing.resources[0].name", id=f"V5-{name[:9]}"
        )
        for name in ("amd.com/gpu", "nvidia.com/GPU", "a..b", "g" * 53)
    ),
    pytest.param(
        sliced({**GPU, "rename": "not_a_name"}),
        "resource-name",
        "sharing.timeSlicing.resources[0].rename",
        id="V5-rename",
    ),
    pytest.param(sliced({**GPU, "devices": 0}), "devices", "sharing.timeSlicing.resources[0].devices", id="V6-zero"),
    pytest.param(
        sliced({**GPU, "devices": [0, "first"]}),
        "devices",
        "sharing.timeSlicing.resources[0].devices[1]",
        id="V6-first",
    ),
    pytest.param(by_mps(GPU) | mig("mixed"), "mps-with-mixed-mig", "sharing.mps", id="V7"),
    pytest.param(
        by_mps({**GPU, "replicas": 49}), "mps-clients", "sharing.mps.resources[0].replicas", id="V10-on-any-gpu"
    ),
    pytest.param(mig("dual"), "mig-strategy", "flags.migStrategy", id="V11"),
    pytest.param(plugin(deviceListStrategy="cdi"), "device-list-strategy", "flags.plugin.deviceListStrategy", id="V12"),
    pytest.param(plugin(deviceIDStrategy="name"), "device-id-strategy", "flags.plugin.deviceIDStrategy", id="V13"),
    pytest.param(
        plugin(sharedDevicesAllocationPolicy="spread"),
        "allocation-policy",
        "flags.plugin.sharedDevicesAllocationPolicy",
        id="V14",
    ),
    pytest.param(
        {"flags": {"deviceDiscoveryStrategy": "vfio"}},
        "device-discovery-strategy",
        "flags.deviceDiscoveryStrategy",
        id="V15",
    ),
    pytest.param({"imex": {"channelIDs": [1]}}, "imex-channels", "imex.channelIDs", id="V16"),
    pytest.param({"flags": []}, "wrong-type", "flags", id="a-list-for-a-mapping"),
    pytest.param(plugin(passDeviceSpecs="yes"), "wrong-type", "flags.plugin.passDeviceSpecs", id="a-text-for-true"),
    pytest.param(plugin(migStrategy="single"), "mig-strategy", "flags.migStrategy", id="a-level-too-deep"),
]


@pytest.mark.parametrize(("config", "code", "path"), REJECTED)
def test_rejected(config, code, path):
    judgement = judge_values(config)

    assert (judgement.verdict, judgement.effective) == ("rejected", None)
    assert [(problem.code, problem.path) for problem in judgement.errors] == [(code, path)]


def test_mps_needs_a_folder_on_the_host():
    """V8. The chart always tells the plugin one."""
    assert judge_values(by_mps(GPU)).verdict == "accepted"
    assert [problem.code for problem in judge_values(by_mps(GPU), flags=Flags(mps_root=None)).errors] == ["mps-root"]


@pytest.mark.parametrize(
    ("config", "code", "path"),
    [
        pytest.param(
            sliced(GPU) | {"sharing": {**sliced(GPU)["sharing"], **by_mps(GPU)["sharing"]}},
            "both-kinds",
            "sharing.timeSlicing",
            id="S1",
        ),
        pytest.param({"flag": {}}, "unknown-key", "flag", id="S2-top"),
        pytest.param({"flags": {"migStrategie": "none"}}, "unknown-key", "flags.migStrategie", id="S2-flag"),
        pytest.param(plugin(policy=1), "unknown-key", "flags.plugin.policy", id="S2-plugin-flag"),
        pytest.param({"sharing": {"time-slicing": {}}}, "unknown-key", "sharing.time-slicing", id="S2-kind"),
        pytest.param(
            sliced(GPU, renamebyDefault=True), "unknown-key", "sharing.timeSlicing.renamebyDefault", id="S2-section"
        ),
        pytest.param(
            sliced({**GPU, "replica": 8}), "unknown-key", "sharing.timeSlicing.resources[0].replica", id="S2-entry"
        ),
        pytest.param(
            {"resources": {"gpus": [{"pattern": "*", "name": "a100"}]}},
            "ignored-key",
            "resources.gpus",
            id="S3-resources",
        ),
        pytest.param(
            sliced({**GPU, "rename": "mine"}), "ignored-key", "sharing.timeSlicing.resources[0].rename", id="S3-rename"
        ),
        pytest.param(
            sliced({**GPU, "devices": 2}), "ignored-key", "sharing.timeSlicing.resources[0].devices", id="S3-devices"
        ),
        pytest.param(
            sliced({**GPU, "devices": []}),
            "ignored-key",
            "sharing.timeSlicing.resources[0].devices",
            id="S3-no-devices",
        ),
        pytest.param(
            sliced(GPU, {"name": "mig-1g.10gb", "replicas": 2}),
            "resource-not-there",
            "sharing.timeSlicing.resources[1]",
            id="S4",
        ),
        pytest.param(
            sliced(GPU, {"name": "gpu", "replicas": 8}), "resource-twice", "sharing.timeSlicing.resources[0]", id="S5"
        ),
        pytest.param(
            sliced(GPU, {"name": "gpu", "replicas": 2}),
            "resource-twice",
            "sharing.timeSlicing.resources[1]",
            id="S5-less",
        ),
        pytest.param(
            mig("single") | plugin(migStrategy="none") | {"flags": {"migStrategy": "single", "gfd": {"mpsRoot": "/"}}},
            "misplaced-key",
            "flags.gfd.mpsRoot",
            id="a-level-too-deep",
        ),
    ],
)
def test_accepted_without_effect(config, code, path):
    judgement = judge_values(config)

    assert (judgement.verdict, judgement.ignored) == ("accepted-but-ignores", (path,))
    assert [(problem.code, problem.path) for problem in judgement.problems] == [(code, path)]


def test_mps_shares_whole_gpus_only():
    """S6."""
    judgement = judge_values(by_mps(GPU, {"name": "mig-1g.10gb", "replicas": 2}))

    assert judgement.verdict == "accepted-but-ignores"
    assert [problem.code for problem in judgement.problems] == ["mps-resource", "resource-not-there"]


@pytest.mark.parametrize(
    ("config", "fails"),
    [
        (sliced(GPU, failRequestsGreaterThanOne=True), True),
        (sliced(GPU, failRequestsGreaterThanOne=False), False),
        (sliced(GPU, failRequestsGreaterThanOne=None), False),
        (by_mps(GPU), True),
        (by_mps(GPU, failRequestsGreaterThanOne=None), True),
        # Since v0.20.0.
        (by_mps(GPU, failRequestsGreaterThanOne=False), False),
    ],
)
def test_requests_for_more_than_one_share(config, fails):
    effective = judge_values(config, node("g6.12xlarge")).effective

    assert effective.fail_requests_greater_than_one == fails
    assert effective.largest_request("nvidia.com/gpu") == (1 if fails else 16)


def test_a_request_for_whole_gpus_is_limited_by_the_node():
    effective = judge_values({}, node("g6.12xlarge")).effective

    assert effective.largest_request("nvidia.com/gpu") == 4
    assert effective.largest_request("nvidia.com/gpu.shared") == 0
    assert judge_values({}).effective.largest_request("nvidia.com/gpu") is None


def test_time_slicing_that_lets_a_pod_have_several_shares_is_advised_against():
    (advice,) = judge_values(sliced(GPU, failRequestsGreaterThanOne=False)).problems

    assert (advice.code, advice.severity) == ("requests-greater-than-one", "warning")


def test_the_chart_s_value_wins_over_the_file():
    found = judge_values(mig("dual"), flags=Flags(mig_strategy="none"))

    assert (found.verdict, found.ignored) == ("accepted-but-ignores", ("flags.migStrategy",))
    assert judge_values(mig("none"), flags=Flags(mig_strategy="none")).verdict == "accepted"
    assert judge_values(by_mps(GPU), flags=Flags(mig_strategy="mixed")).verdict == "rejected"


@pytest.mark.parametrize(
    ("flags", "written", "path"),
    [
        pytest.param(Flags(), {"flags": {"mpsRoot": "/mps"}}, "flags.mpsRoot", id="the-chart-always-says-it"),
        pytest.param(
            Flags(device_id_strategy="uuid"), plugin(deviceIDStrategy="index"), "flags.plugin.deviceIDStrategy", id="id"
        ),
        pytest.param(
            Flags(device_list_strategy="envvar,cdi-cri"),
            plugin(deviceListStrategy=["envvar"]),
            "flags.plugin.deviceListStrategy",
            id="lists",
        ),
        pytest.param(
            Flags(device_discovery_strategy="nvml"),
            {"flags": {"deviceDiscoveryStrategy": "auto"}},
            "flags.deviceDiscoveryStrategy",
            id="discovery",
        ),
    ],
)
def test_what_the_environment_says_otherwise_is_ignored(flags, written, path):
    found = judge_values(written, flags=flags)

    assert [(problem.code, problem.path) for problem in found.problems] == [("overridden-flag", path)]
    assert found.ignored == (path,)


def test_an_empty_variable_wins_too():
    assert [one.code for one in judge_values({}, flags=Flags(mig_strategy="")).errors] == ["mig-strategy"]
    assert [one.code for one in judge_values(by_mps(GPU), flags=Flags(mps_root="")).errors] == ["mps-root"]


def test_a_text_has_lines():
    text = (
        "version: v1\nsharing:\n  timeSlicing:\n    resources:\n    - name: gpu\n      replicas: '4'\n      device: 1\n"
    )

    assert [(problem.code, problem.line) for problem in judge(text).problems] == [
        ("unknown-key", 7),
        ("replicas", 6),
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        pytest.param("a: [", "not-yaml", 1, id="unfinished"),
        pytest.param(b"\x89PNG\r\n\x1a\n\xff", "not-yaml", None, id="a-picture"),
        pytest.param("\ud800", "not-yaml", None, id="a-half-of-a-letter"),
        pytest.param("[" * 200 + "]" * 200, "not-yaml", 1, id="deep"),
        pytest.param("[" * 10**5, "not-yaml", 1, id="deeper"),
        pytest.param("a: &a [*a]", "not-yaml", 1, id="endless"),
        pytest.param("a" * 2**20 + ": 1", "too-large", None, id="large"),
    ],
)
def test_what_no_configuration_is(text, code, line):
    (problem,) = judge(text).problems

    assert (problem.code, problem.line) == (code, line)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        pytest.param("version: v2\nversion: v1\n", "version", 1, id="twice"),
        pytest.param("flags:\n  migStrategy: none\n  x: 1\nflags: {}\n", "flags", 1, id="twice-with-all-below-it"),
        pytest.param("version: v1\n---\nsharing: {}\n", "---", 2, id="a-second-document"),
        pytest.param("version: v1\n---\nsharing: [", "---", 2, id="a-second-document-that-cannot-be-read"),
        pytest.param("version: v1\n...\n}\n", "---", 3, id="something-behind-the-end"),
    ],
)
def test_what_is_written_and_never_looked_at(text, path, line):
    """The plugin's reader takes the last of two equal keys, and the first document."""
    judgement = judge(text)

    assert (judgement.verdict, judgement.ignored) == ("accepted-but-ignores", (path,))
    assert [(problem.path, problem.line) for problem in judgement.problems] == [(path, line)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("version: v1\n...\n", id="an-end"),
        pytest.param("version: v1\n--- # nothing\n", id="an-empty-document"),
        pytest.param("a: &a {version: v2}\n<<: *a\nversion: v1\n", id="what-a-merge-brought-is-there-to-be-replaced"),
    ],
)
def test_nothing_is_lost_there(text):
    assert {problem.code for problem in judge(text).problems} <= {"unknown-key"}


def test_many_unknown_keys_are_all_reported():
    judgement = judge("\n".join(f"versio{number}: 1" for number in range(2000)))

    assert len(judgement.ignored) == 2000


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("version", "flags", "plugin", "gfd", "sharing", "timeSlicing", "mps", "resources", "name"),
                    *("replicas", "devices", "rename", "migStrategy", "deviceListStrategy", "imex", "channelIDs", "x"),
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(ANYTHING)
def test_whatever_is_there_is_judged(value):
    judgement = judge_values({"sharing": value, "flags": value, "imex": value})

    assert (judgement.verdict == "rejected") == bool(judgement.errors)
    assert (judgement.effective is None) == bool(judgement.errors)
    assert all(problem.code in CODES and problem.message for problem in judgement.problems)
    assert set(judgement.ignored) <= {problem.path for problem in judgement.problems}


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_whatever_is_written_is_judged(text):
    assert judge(text).verdict in ("accepted", "rejected", "accepted-but-ignores")
