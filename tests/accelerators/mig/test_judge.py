import pytest

from eks_accelerators.accelerators.instance_types import every, get
from eks_accelerators.accelerators.mig import LayoutSyntaxError, gpu_of, judge_text, parse, written


def found(instance_type, text):
    judgement = judge_text(get(instance_type), text)
    return [(problem.code, problem.message) for problem in judgement.problems]


@pytest.mark.parametrize(
    ("instance_type", "text"),
    [
        ("p4d.24xlarge", "3g.20gb=1,2g.10gb=1,1g.5gb=2"),
        ("p4de.24xlarge", "7g.80gb"),
        ("p5.4xlarge", "1g.10gb=7"),
        ("p5.48xlarge", "3g.40gb=1,1g.10gb=4"),
        ("p5e.48xlarge", "4g.71gb,3g.71gb"),
        ("p5en.48xlarge", "1g.35gb=4"),
        ("p6-b200.48xlarge", "2g.45gb=3,1g.23gb+me"),
        ("p6-b300.48xlarge", "3g.135gb=2"),
    ],
)
def test_layouts_of_each_instance_type(instance_type, text):
    judgement = judge_text(get(instance_type), text)

    assert (judgement.valid, judgement.nearest) == (True, ())
    assert sorted(one.profile for one in judgement.placement) == sorted(
        name for name, count in parse(text).items() for _ in range(count)
    )


@pytest.mark.parametrize(
    ("instance_type", "text", "problem"),
    [
        pytest.param(
            "p5.48xlarge",
            "3g.40gb=2,1g.10gb=1",
            (
                "mig-placement",
                "3g.40gb=2,1g.10gb=1 needs 7 compute slices and 9 memory slices; H100 80GB has 7 and 8",
            ),
            id="sums-to-seven",
        ),
        pytest.param(
            "p5.48xlarge",
            "1g.20gb=3,1g.10gb+me,1g.10gb=2",
            (
                "mig-placement",
                "1g.20gb=3,1g.10gb=2,1g.10gb+me=1 needs 6 compute slices and 9 memory slices; H100 80GB has 7 and 8",
            ),
            id="memory",
        ),
        pytest.param(
            "p4d.24xlarge",
            "4g.20gb,2g.10gb,1g.5gb=2",
            (
                "mig-placement",
                "4g.20gb=1,2g.10gb=1,1g.5gb=2 needs 8 compute slices and 8 memory slices; A100 40GB has 7 and 8",
            ),
            id="compute",
        ),
        pytest.param("p5.48xlarge", "4g.40gb=2", ("mig-count", "2 x 4g.40gb: H100 80GB takes at most 1"), id="count"),
        pytest.param(
            "p5.48xlarge",
            "1g.10gb+me=2",
            ("mig-count", "2 x 1g.10gb+me: H100 80GB takes at most 1"),
            id="media-engines",
        ),
        pytest.param(
            "p4d.24xlarge",
            "3g.40gb",
            (
                "mig-profile",
                "A100 40GB has no profile 3g.40gb; did you mean 3g.20gb? It has: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, "
                "3g.20gb, 4g.20gb, 7g.40gb",
            ),
            id="of-another-gpu",
        ),
        pytest.param(
            "g6.xlarge",
            "1g.10gb",
            (
                "mig-unsupported",
                "g6.xlarge (L4) has no MIG; these have: p4d.24xlarge, p4de.24xlarge, p5.4xlarge, p5.48xlarge, "
                "p5e.48xlarge, p5en.48xlarge, p6-b200.48xlarge, p6-b300.48xlarge",
            ),
            id="no-mig",
        ),
        pytest.param(
            "g7e.48xlarge",
            "1g.24gb=4",
            (
                "mig-unknown",
                "the MIG profiles of g7e.48xlarge (RTX PRO Server 6000) are not known, so nothing is judged",
            ),
            id="not-known",
        ),
    ],
)
def test_layouts_that_are_refused(instance_type, text, problem):
    assert found(instance_type, text) == [problem]


@pytest.mark.parametrize(
    "text", ["", ",", "=", "=2", "1g.10gb=", "1g.10gb=x", "1g.10gb=-1", "1g.10gb=1.5", "1g.10gb=²"]
)
def test_what_is_no_layout(text):
    with pytest.raises(LayoutSyntaxError, match="PROFILE=COUNT"):
        parse(text)


@pytest.mark.parametrize("text", ["1g.10gb=0", "1g.10gb=0,2g.20gb=0"])
def test_a_layout_has_an_instance(text):
    assert found("p5.48xlarge", text) == [("mig-syntax", "a layout has at least one instance")]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1g.10gb", "1g.10gb=1"),
        (" 1g.10gb = 2 , 3g.40gb ", "3g.40gb=1,1g.10gb=2"),
        ("1g.10gb,1g.10gb", "1g.10gb=2"),
        ("1g.10gb=2,3g.40gb=0", "1g.10gb=2"),
        ("1g.10gb,1g.20gb,2g.20gb,1g.10gb+me", "2g.20gb=1,1g.20gb=1,1g.10gb=1,1g.10gb+me=1"),
    ],
)
def test_ways_to_write_the_same(text, same):
    assert written(parse(text)) == same


@pytest.mark.parametrize(
    ("instance_type", "text", "proposals"),
    [
        pytest.param(
            "p5.48xlarge",
            "3g.40gb=2,1g.10gb=1",
            [
                "3g.40gb=2",
                "3g.40gb=1,2g.20gb=1,1g.10gb=1",
                "3g.40gb=1,1g.20gb=1,1g.10gb=1",
                "3g.40gb=1,1g.10gb=1,1g.10gb+me=1",
                "3g.40gb=1,1g.10gb=2",
            ],
            id="one-away",
        ),
        pytest.param("p4d.24xlarge", "7g.80gb", ["7g.40gb=1"], id="the-same-of-this-gpu"),
        pytest.param("p4d.24xlarge", "1g.10gb+me", ["1g.5gb+me=1"], id="media-engines"),
        pytest.param("p4d.24xlarge", "gpu", [], id="nothing-like-it"),
    ],
)
def test_the_nearest_that_can_be_had(instance_type, text, proposals):
    judgement = judge_text(get(instance_type), text)

    assert [written(layout) for layout in judgement.nearest][: len(proposals) or None] == proposals


@pytest.mark.parametrize(
    ("profile", "resource"),
    [("1g.10gb", "nvidia.com/mig-1g.10gb"), ("1g.10gb+me", "nvidia.com/mig-1g.10gb.me")],
)
def test_names_of_resources(profile, resource):
    assert gpu_of(get("p5.48xlarge")).profiles[profile].resource == resource


def test_what_has_no_mig_has_no_profiles():
    assert all(gpu_of(kind) is None for kind in every() if not kind.mig_capable)
