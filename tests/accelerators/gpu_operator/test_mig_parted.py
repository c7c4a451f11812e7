"""Files of mig-parted, good and bad."""

import pytest

from eks_accelerators.accelerators import instance_types, mig
from eks_accelerators.accelerators.gpu_operator import judge_mig_parted

H100 = instance_types.get("p5.48xlarge")


def file(entry):
    return f"version: v1\nmig-configs: {{one: [{{{entry}}}]}}\n"


def enabled(layout):
    return file(f"devices: all, mig-enabled: true, mig-devices: {{{layout}}}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(file("devices: all, mig-enabled: false"), id="disabled"),
        pytest.param(file("devices: all, mig-enabled: false, mig-devices: {}"), id="disabled-and-empty"),
        pytest.param(enabled(""), id="enabled-without-instances"),
        pytest.param(enabled("3g.40gb: 1, 1g.10gb: 4"), id="a-layout"),
        pytest.param(enabled("1g.10gb+me: 1, 1g.10gb: 6"), id="media-engines"),
        pytest.param(file("devices: [0, 1], mig-enabled: true, mig-devices: {1g.10gb: 7}"), id="some-gpus"),
        pytest.param(
            file("devices: all, device-filter: '0x233010DE', mig-enabled: true, mig-devices: {1g.99gb: 7}"),
            id="for-certain-gpus-only",
        ),
        pytest.param(file("devices: all, device-filter: ['0x1'], mig-enabled: false"), id="several-filters"),
    ],
)
def test_files_that_work(text):
    assert judge_mig_parted(text, H100) == ((), ("one",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", ("", "wrong-type"), id="empty"),
        pytest.param("[]", ("", "wrong-type"), id="a-list"),
        pytest.param("{", ("", "not-yaml"), id="no-yaml"),
        pytest.param(
            file("devices: all, mig-enabled: false").replace("v1", "v2"), ("version", "version"), id="version"
        ),
        pytest.param("mig-configs: {a: [{devices: all, mig-enabled: false}]}", ("version", "version"), id="no-version"),
        pytest.param("version: v1", ("mig-configs", "mig-configurations"), id="no-configurations"),
        pytest.param("version: v1\nmig-configs: {}", ("mig-configs", "mig-configurations"), id="none-of-them"),
        pytest.param("version: v1\nmig-configs: {a: []}", ("mig-configs.a", "mig-configurations"), id="no-entries"),
        pytest.param(
            "version: v1\nmig-configs: {a: {devices: all}}", ("mig-configs.a", "mig-configurations"), id="no-list"
        ),
        pytest.param("version: v1\nmig-configs: {a: [all]}", ("mig-configs.a[0]", "wrong-type"), id="no-entry"),
        pytest.param(
            "version: v1\nmigConfigs: {}\nmig-configs: {a: [{devices: all, mig-enabled: false}]}",
            ("migConfigs", "unknown-key"),
            id="an-unknown-section",
        ),
        pytest.param(file("mig-enabled: false"), ("mig-configs.one[0].devices", "mig-configurations"), id="no-devices"),
        pytest.param(
            file("devices: all"), ("mig-configs.one[0].mig-enabled", "mig-configurations"), id="enabled-or-not"
        ),
        pytest.param(
            file("devices: all, mig-enabled: false, mig-device: {}"),
            ("mig-configs.one[0].mig-device", "unknown-key"),
            id="an-unknown-key",
        ),
        pytest.param(
            file("devices: some, mig-enabled: false"), ("mig-configs.one[0].devices", "devices"), id="devices-by-word"
        ),
        pytest.param(
            file("devices: ['0'], mig-enabled: false"), ("mig-configs.one[0].devices", "devices"), id="indexes-as-texts"
        ),
        pytest.param(
            file("devices: all, mig-enabled: 'true'"),
            ("mig-configs.one[0].mig-enabled", "wrong-type"),
            id="a-text-for-a-switch",
        ),
        pytest.param(
            file("devices: all, device-filter: 5, mig-enabled: false"),
            ("mig-configs.one[0].device-filter", "wrong-type"),
            id="a-number-for-a-filter",
        ),
        pytest.param(
            file("devices: all, mig-enabled: true"),
            ("mig-configs.one[0].mig-devices", "mig-configurations"),
            id="enabled-and-no-devices",
        ),
        pytest.param(
            file("devices: all, mig-enabled: false, mig-devices: {1g.10gb: 7}"),
            ("mig-configs.one[0].mig-devices", "mig-configurations"),
            id="disabled-with-devices",
        ),
        pytest.param(enabled("1g.10gb: -1"), ("mig-configs.one[0].mig-devices.1g.10gb", "mig-count"), id="negative"),
        pytest.param(enabled("1g.10gb: '7'"), ("mig-configs.one[0].mig-devices.1g.10gb", "mig-count"), id="a-text"),
        pytest.param(enabled("1g.10gb: 0"), ("mig-configs.one[0].mig-devices", "mig-count"), id="all-zero"),
        pytest.param(enabled("1g10gb: 7"), ("mig-configs.one[0].mig-devices.1g10gb", "mig-profile"), id="no-profile"),
        pytest.param(
            enabled("1g.10gb+me-gfx: 1"),
            ("mig-configs.one[0].mig-devices.1g.10gb+me-gfx", "mig-profile"),
            id="plus-minus",
        ),
        pytest.param(enabled("1g.5gb: 7"), ("mig-configs.one[0].mig-devices", "mig-profile"), id="46-of-another-gpu"),
        pytest.param(enabled("1g.10gb: 8"), ("mig-configs.one[0].mig-devices", "mig-count"), id="46-too-many"),
        pytest.param(
            enabled("3g.40gb: 2, 1g.10gb: 1"), ("mig-configs.one[0].mig-devices", "mig-placement"), id="no-place-for-it"
        ),
        pytest.param(
            enabled("1c.3g.40gb: 2"),
            ("mig-configs.one[0].mig-devices.1c.3g.40gb", "mig-compute-instances"),
            id="compute-instances",
        ),
    ],
)
def test_files_that_do_not_work(text, problem):
    problems, _ = judge_mig_parted(text, H100)

    assert [(one.path, one.code) for one in problems] == [problem]


def test_45_gpus_without_mig():
    (problem,), _ = judge_mig_parted(enabled("1g.10gb: 7"), instance_types.get("g6.12xlarge"))

    assert problem.code == "mig-unsupported"


def test_single_takes_one_profile():
    two = enabled("3g.40gb: 1, 1g.10gb: 4")

    assert [one.code for one in judge_mig_parted(two, H100, "single")[0]] == ["mig-not-uniform"]
    assert judge_mig_parted(enabled("1g.10gb: 7"), H100, "single")[0] == ()


@pytest.mark.parametrize("gpu", mig.gpus(), ids=lambda gpu: gpu.name)
def test_every_layout_of_a_gpu_is_taken(gpu):
    kind = next(kind for kind in instance_types.every() if mig.gpu_of(kind) == gpu)

    for layout in mig.layouts(gpu):
        assert judge_mig_parted(enabled(", ".join(f"{name}: {layout[name]}" for name in layout)), kind)[0] == ()
