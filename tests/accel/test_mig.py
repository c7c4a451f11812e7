"""`accel mig check`: exit statuses, the JSON and what a person reads."""

import json

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["mig", "check", *arguments])


def test_a_layout_that_can_be_had():
    result = run("p5.48xlarge", "3g.40gb=1,1g.20gb=2", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "valid": True,
        "instanceType": "p5.48xlarge",
        "gpu": "H100",
        "gpusPerNode": 8,
        "problems": [],
        "placement": [
            {"profile": "3g.40gb", "start": 0, "size": 4},
            {"profile": "1g.20gb", "start": 4, "size": 2},
            {"profile": "1g.20gb", "start": 6, "size": 2},
        ],
        "advertised": {"mixed": {"nvidia.com/mig-1g.20gb": 16, "nvidia.com/mig-3g.40gb": 8}, "single": None},
        "nearest": [],
    }


def test_a_layout_that_cannot_be_had():
    result = run("p5.4xlarge", "7g.80gb=2", "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "valid": False,
        "instanceType": "p5.4xlarge",
        "gpu": "H100",
        "gpusPerNode": 1,
        "problems": [
            {
                "code": "mig-count",
                "severity": "error",
                "path": "7g.80gb",
                "line": None,
                "message": "2 x 7g.80gb: H100 80GB takes at most 1",
            }
        ],
        "placement": [],
        "advertised": None,
        "nearest": ["7g.80gb=1", "4g.40gb=1,3g.40gb=1", "3g.40gb=2", "4g.40gb=1,2g.20gb=1", "4g.40gb=1,1g.20gb=1"],
    }


def test_one_profile_may_stand_for_whole_gpus():
    advertised = json.loads(run("p4d.24xlarge", "2g.10gb=3", "--json").stdout)["advertised"]

    assert advertised == {"mixed": {"nvidia.com/mig-2g.10gb": 24}, "single": {"nvidia.com/gpu": 24}}


def test_the_report_of_a_good_one():
    assert run("p5.4xlarge", "4g.40gb,1g.10gb+me").stdout.splitlines() == [
        "valid: the H100 of p5.4xlarge can be divided so, for example",
        "  4g.40gb      memory slices 0 to 3",
        "  1g.10gb+me   memory slice 4",
        "a node advertises",
        "  migStrategy mixed   nvidia.com/mig-1g.10gb.me: 1, nvidia.com/mig-4g.40gb: 1",
        "  migStrategy single  refused: more than one profile",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("p5.48xlarg", "1g.10gb"), "Did you mean p5.48xlarge? [instance-type-unknown]"),
        (("trn2.48xlarge", "1g.10gb"), "trn2.48xlarge (Trainium2) has no MIG"),
        (("p5.48xlarge", ""), "'' is not PROFILE=COUNT, such as 1g.10gb=4 [mig-syntax]"),
        (("p5.48xlarge", "1g.10gb=" + "9" * 5000), "is not PROFILE=COUNT"),
        (("p5.48xlarge", "\x00\u202e"), "has no profile"),
    ],
)
def test_whatever_is_asked_is_answered(arguments, line):
    result = run(*arguments)

    assert (result.exit_code, result.stderr) == (2, "")
    assert line in result.stdout


def test_the_device_plugin_of_bottlerocket_advertises_whole_gpus_only():
    asked = ("p5.4xlarge", "3g.40gb=2", "--nodes", "bottlerocket")

    assert json.loads(run(*asked, "--json").stdout)["advertised"] == {"mixed": None, "single": {"nvidia.com/gpu": 2}}
    assert run(*asked).stdout.splitlines()[-2:] == [
        "  migStrategy mixed   refused: the device plugin of the image knows single only",
        "  migStrategy single  nvidia.com/gpu: 2",
    ]


@pytest.mark.parametrize(
    ("layout", "nodes", "codes"),
    [
        pytest.param("1g.10gb=7", "bottlerocket", [], id="one-profile"),
        pytest.param("1g.10gb=4", "bottlerocket", ["mig-bottlerocket"], id="not-as-often-as-it-fits"),
        pytest.param("1g.10gb+me", "bottlerocket", ["mig-bottlerocket-profile"], id="refused-by-its-settings"),
        pytest.param("4g.40gb", "bottlerocket", ["mig-bottlerocket-profile"], id="taken-for-the-whole-gpu"),
        pytest.param("1g.10gb=7", "auto-mode", ["auto-mode-sharing"], id="49-no-mig-on-auto-mode"),
        pytest.param("1g.10gb=8", "auto-mode", ["mig-count"], id="what-no-gpu-can-have"),
    ],
)
def test_where_the_nodes_run(layout, nodes, codes):
    result = run("p5.48xlarge", layout, "--nodes", nodes, "--json")

    assert [problem["code"] for problem in json.loads(result.stdout)["problems"]] == codes
    assert result.exit_code == (2 if codes else 0)


def test_what_bottlerocket_can_have_instead():
    result = run("p6-b300.48xlarge", "1g.34gb+me", "--nodes", "bottlerocket", "--json")

    each = ["1g.34gb=7", "1g.67gb=4", "2g.67gb=3", "3g.135gb=2", "4g.135gb=1", "7g.269gb=1"]
    assert json.loads(result.stdout)["nearest"] == each
