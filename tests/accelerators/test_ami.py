import pytest

from eks_accelerators.accelerators import ami, instance_types


@pytest.mark.parametrize(
    ("instance_type", "version", "expected"),
    [
        pytest.param("g6.2xlarge", "1.35", ("AL2023_x86_64_NVIDIA", "BOTTLEROCKET_x86_64_NVIDIA"), id="gpu"),
        pytest.param("trn1.32xlarge", "1.35", ("AL2023_x86_64_NEURON", "BOTTLEROCKET_x86_64"), id="neuron"),
        pytest.param("g7.2xlarge", "1.35", ("CUSTOM",), id="driver-too-new-for-any-image"),
        pytest.param("p6e-gb200.36xlarge", "1.33", ("AL2023_ARM_64_NVIDIA",), id="arm-gpu"),
        pytest.param("p6e-gb200.36xlarge", "1.32", ("CUSTOM",), id="kubernetes-too-old"),
    ],
)
def test_images_that_fit(instance_type, version, expected):
    kind = instance_types.get(instance_type)

    assert ami.fitting_types(kind, version) == expected
    assert ami.default_type(kind, version) == expected[0]


@pytest.mark.parametrize("kind", instance_types.every(), ids=lambda kind: kind.name)
def test_images_have_the_architecture_and_the_driver_of_their_type(kind):
    published = [name for name in kind.ami_types if name != "CUSTOM"]

    assert set(kind.ami_types) <= set(ami.known_types())
    assert {ami.architecture(name) for name in published} <= {kind.architecture}
    assert all(ami.carries_nvidia_driver(name) == kind.has_nvidia_gpu for name in published)


@pytest.mark.parametrize(
    ("ami_type", "bottlerocket", "driver", "plugin"),
    [
        pytest.param("AL2023_x86_64_NVIDIA", False, True, False, id="al2023"),
        pytest.param("BOTTLEROCKET_x86_64_NVIDIA", True, True, True, id="bottlerocket-runs-its-own-plugin"),
        pytest.param("BOTTLEROCKET_x86_64", True, False, False, id="plain-bottlerocket"),
        pytest.param("AL2023_x86_64_NEURON", False, False, False, id="neuron"),
        pytest.param("CUSTOM", False, False, False, id="custom"),
    ],
)
def test_what_an_image_carries(ami_type, bottlerocket, driver, plugin):
    assert ami.is_bottlerocket(ami_type) is bottlerocket
    assert ami.carries_nvidia_driver(ami_type) is driver
    assert ami.runs_nvidia_device_plugin(ami_type) is plugin


def test_amazon_linux_2_is_told_from_amazon_linux_2023():
    assert ami.is_amazon_linux_2("AL2_x86_64_GPU")
    assert not ami.is_amazon_linux_2("AL2023_x86_64_NVIDIA")
    assert not any(ami.is_amazon_linux_2(name) for name in ami.known_types())


@pytest.mark.parametrize(
    ("release", "version", "bad"),
    [
        pytest.param("1.35.1-20260930", "1.35", True, id="broken"),
        pytest.param("1.31.9-20261003", "1.31", True, id="second-broken"),
        pytest.param("v20261003", "1.31", True, id="written-as-a-tag"),
        pytest.param("1.36.0-20260930", "1.36", False, id="other-kubernetes"),
        pytest.param("1.35.1-20261012", "1.35", False, id="fixed"),
    ],
)
def test_releases_known_to_be_broken(release, version, bad):
    reason = ami.bad_release(release, version)

    assert (reason is not None) is bad
    assert reason is None or "fixed in v20261012" in reason
