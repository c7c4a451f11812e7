import pytest

from eks_accelerators.accelerators import kubernetes_versions


def test_the_default_is_a_known_version_with_known_dates():
    version = kubernetes_versions.every()[kubernetes_versions.default()]

    assert version.end_of_standard_support is not None


def test_versions_are_in_order_and_extended_support_outlasts_standard():
    names = list(kubernetes_versions.every())

    assert names == sorted(names, key=lambda name: int(name.split(".")[1]))
    for version in kubernetes_versions.every().values():
        if version.end_of_standard_support and version.end_of_extended_support:
            assert version.end_of_standard_support < version.end_of_extended_support


@pytest.mark.parametrize(
    ("version", "minimum", "expected"),
    [("1.35", "1.35", True), ("1.36", "1.35", True), ("1.9", "1.35", False), ("1.100", "1.35", True)],
)
def test_versions_compare_as_numbers(version, minimum, expected):
    assert kubernetes_versions.at_least(version, minimum) is expected
