"""DescribeAddonVersions of the simulated account; botocore's model judges the shape, and its paginator the pages."""

import botocore.loaders
import pytest

from eks_accelerators.accelerators import addon_versions, kubernetes_versions
from eks_accelerators.settings.model.cluster import EVERY_CLUSTER
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from tests.capacity.fakes import judge
from tests.simulator.aws.accounts import opened

NAMES = [name.value for name in EVERY_CLUSTER]


@pytest.fixture
def account(tmp_path):
    with opened(tmp_path) as found:
        yield found


def asked(account, **parameters):
    answer = account.call("eks", "describe_addon_versions", **parameters)
    judge(answer, "eks", "describe_addon_versions")
    return answer


def defaults(answer):
    """The default versions by add-on, of which each Kubernetes version has one."""
    return {
        (addon["addonName"], fits["clusterVersion"]): version["addonVersion"]
        for addon in answer["addons"]
        for version in addon["addonVersions"]
        for fits in version["compatibilities"]
        if fits["defaultVersion"]
    }


def test_without_a_filter_every_addon_comes_with_every_version(account):
    answer = asked(account)

    assert [each["addonName"] for each in answer["addons"]] == NAMES
    assert [len(each["addonVersions"]) for each in answer["addons"]] == [
        len(addon_versions.every()[name]) for name in NAMES
    ]


@pytest.mark.parametrize("version", ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"])
def test_of_a_kubernetes_version_only_what_fits_comes_and_one_default(account, version):
    answer = asked(account, kubernetesVersion=version)

    assert defaults(answer) == {(name, version): addon_versions.default(name, version) for name in NAMES}
    assert None not in defaults(answer).values()
    for addon in answer["addons"]:
        for each in addon["addonVersions"]:
            assert [fits["clusterVersion"] for fits in each["compatibilities"]] == [version]


def test_one_addon_of_one_kubernetes_version(account):
    (addon,) = asked(account, addonName="kube-proxy", kubernetesVersion="1.34")["addons"]

    assert addon["addonName"] == "kube-proxy"
    # The minor version of kube-proxy is that of Kubernetes.
    assert {each["addonVersion"].rpartition(".")[0].rpartition("-")[0] for each in addon["addonVersions"]} == {
        "v1.34.6"
    }


def test_kube_proxy_is_of_the_version_of_kubernetes():
    for build in addon_versions.every()["kube-proxy"]:
        assert build.kubernetes_versions == (build.name.removeprefix("v").rpartition(".")[0].partition("-")[0][:4],)


def test_defaults_are_among_what_fits_and_one_for_each():
    for builds in addon_versions.every().values():
        assert all(set(build.default_of) <= set(build.kubernetes_versions) for build in builds)
        of = [version for build in builds for version in build.default_of]
        assert len(of) == len(set(of))
        assert set(of) < set(kubernetes_versions.every())


def test_a_kubernetes_version_that_never_was_has_none(account):
    assert asked(account, kubernetesVersion="1.99")["addons"] == []


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({"kubernetesVersion": "1.37"}, id="version-without-facts"),
        pytest.param({"addonName": "adot"}, id="another-add-on"),
        pytest.param({"types": ["networking"]}, id="another-filter"),
    ],
)
def test_what_nobody_knows_is_no_answer(account, parameters):
    with pytest.raises(NotSimulatedError, match="describe_addon_versions is not simulated"):
        asked(account, **parameters)


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_pages_as_botocore_reads_them_are_the_whole(account, size):
    words = botocore.loaders.create_loader().load_service_model("eks", "paginators-1")["pagination"][
        "DescribeAddonVersions"
    ]
    found, token = [], None
    while True:
        page = asked(account, **{words["limit_key"]: size, **({words["input_token"]: token} if token else {})})
        assert len(page[words["result_key"]]) <= size
        found += page[words["result_key"]]
        token = page.get(words["output_token"])
        if token is None:
            break

    assert found == asked(account)["addons"]


@pytest.mark.parametrize("parameters", [{"maxResults": 101}, {"nextToken": "what"}, {"nextToken": "99"}])
def test_a_page_that_is_none_is_refused(account, parameters):
    with pytest.raises(AwsError) as caught:
        asked(account, **parameters)

    assert caught.value.code == "InvalidParameterException"


def test_a_version_that_is_known_is_described_and_another_is_not_simulated(account):
    known = {"addonName": "coredns", "addonVersion": addon_versions.default("coredns", "1.35")}
    answer = account.call("eks", "describe_addon_configuration", **known)

    assert answer == known
    judge(answer, "eks", "describe_addon_configuration")
    with pytest.raises(NotSimulatedError, match=r"coredns v0\.0\.1"):
        account.call("eks", "describe_addon_configuration", addonName="coredns", addonVersion="v0.0.1")
