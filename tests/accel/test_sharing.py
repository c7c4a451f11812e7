"""`accel sharing check`: exit statuses, the JSON, and that every file is answered."""

import json

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app

SLICED = """\
version: v1
sharing:
  timeSlicing:
    failRequestsGreaterThanOne: true
    resources:
      - {name: nvidia.com/gpu, replicas: 4}
"""
MIXED = "flags: {migStrategy: mixed}\n"


def run(folder, content, *arguments):
    file = folder / "plugin.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return CliRunner().invoke(app, ["sharing", "check", str(file), *arguments])


def data(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def test_a_good_file(tmp_path):
    result = run(tmp_path, SLICED, "--instance-type", "g6.12xlarge", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "verdict": "accepted",
        "chart": None,
        "nodes": "al2023",
        "instanceType": "g6.12xlarge",
        "problems": [],
        "ignored": [],
        "effective": {
            "strategy": "time-slicing",
            "migStrategy": "none",
            "renameByDefault": False,
            "failRequestsGreaterThanOne": True,
            "sharedDevicesAllocationPolicy": "distributed",
            "resources": [{"name": "nvidia.com/gpu", "replicas": 4, "advertisedAs": "nvidia.com/gpu"}],
            "advertised": {"nvidia.com/gpu": 16},
            "largestRequest": {"nvidia.com/gpu": 1},
            "memoryMibPerShare": 5722,
        },
        "configurations": {},
    }


def test_without_a_node_nothing_is_counted(tmp_path):
    effective = data(tmp_path, SLICED)["effective"]

    assert (effective["advertised"], effective["largestRequest"], effective["memoryMibPerShare"]) == (None, {}, None)


def test_a_bad_file(tmp_path):
    result = run(tmp_path, SLICED.replace("4", "'4'"), "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "verdict": "rejected",
        "chart": None,
        "nodes": "al2023",
        "instanceType": None,
        "problems": [
            {
                "code": "replicas",
                "severity": "error",
                "path": "sharing.timeSlicing.resources[0].replicas",
                "line": 6,
                "message": "'4' is not a whole number of at least 2",
            }
        ],
        "ignored": [],
        "effective": None,
        "configurations": {},
    }


def test_what_is_ignored_is_no_failure(tmp_path):
    result = run(tmp_path, SLICED + "gpus: 3\n", "--json")

    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["verdict"], found["ignored"]) == ("accepted-but-ignores", ["gpus"])


@pytest.mark.parametrize(
    ("layouts", "advertised"),
    [
        pytest.param(["1g.10gb=7"], {"nvidia.com/mig-1g.10gb": 56}, id="one-for-all"),
        pytest.param(
            ["off"] * 6 + ["3g.40gb=2", "enabled"],
            {"nvidia.com/gpu": 6, "nvidia.com/mig-3g.40gb": 2},
            id="one-for-each",
        ),
        pytest.param(["off"], {"nvidia.com/gpu": 8}, id="off"),
        pytest.param([], {"nvidia.com/gpu": 8}, id="none"),
    ],
)
def test_gpus_that_are_divided(tmp_path, layouts, advertised):
    options = [word for layout in layouts for word in ("--mig", layout)]

    assert data(tmp_path, MIXED, "--instance-type", "p5.48xlarge", *options)["effective"]["advertised"] == advertised


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param(["--mig", "1g.10gb=7"], "mig-without-type", id="no-type"),
        pytest.param(["--instance-type", "p5"], "instance-type-unknown", id="unknown-type"),
        pytest.param(["--instance-type", "trn2.48xlarge"], "no-gpu", id="no-gpu"),
        pytest.param(["--instance-type", "m7i.large"], "instance-type-unknown", id="no-accelerator"),
        pytest.param(["--instance-type", "g6.xlarge", "--mig", "1g.10gb=7"], "mig-unsupported", id="no-mig"),
        pytest.param(["--instance-type", "g6.xlarge", "--mig", "enabled"], "mig-unsupported", id="no-mig-mode"),
        pytest.param(["--instance-type", "g7e.2xlarge", "--mig", "enabled"], "mig-unknown", id="profiles-not-known"),
        pytest.param(["--instance-type", "p5.4xlarge", "--mig", "1g.10gb=8"], "mig-count", id="too-many"),
        pytest.param(["--instance-type", "p5.4xlarge", "--mig", ""], "mig-syntax", id="no-layout"),
        pytest.param(
            ["--instance-type", "p5.48xlarge", "--mig", "off", "--mig", "off"], "mig-layouts", id="two-for-eight"
        ),
    ],
)
def test_questions_that_make_no_sense(tmp_path, options, code):
    result = run(tmp_path, SLICED, *options, "--json")

    assert result.exit_code == 2
    assert [problem["code"] for problem in json.loads(result.stdout)["problems"]] == [code]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "accepted", id="empty"),
        pytest.param(b"\xff\xfe\x00", "rejected", id="no-text"),
        pytest.param(bytes(range(256)) * 10, "rejected", id="noise"),
        pytest.param(b"[" * 100_000, "nested deeper than 100 levels", id="deep"),
        pytest.param(b"x: 1\n" * 300_000, "a ConfigMap holds at most 1048576", id="huge"),
        pytest.param(b"a: &a [*a]", "contains itself", id="endless"),
        pytest.param(b"'[/red]': '[bold]'", "[/red]", id="markup"),
    ],
)
def test_any_file_is_answered(tmp_path, content, words):
    result = run(tmp_path, content)

    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert words in result.stdout


@pytest.mark.parametrize("name", ["nowhere.yaml", ".", "a" * 5000])
def test_what_cannot_be_read(tmp_path, name):
    result = CliRunner().invoke(app, ["sharing", "check", f"{tmp_path}/{name}", "--json"])

    assert result.exit_code == 2
    assert [problem["code"] for problem in json.loads(result.stdout)["problems"]] == ["unreadable-file"]


@pytest.mark.parametrize("chart", ["nvidia-device-plugin", "gpu-operator"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"[a, b]", "a list is no mapping of values", id="a-list"),
        pytest.param(b"values", "is no mapping of values", id="a-text"),
        pytest.param(b"a: {", "no YAML that Helm reads", id="no-yaml"),
        pytest.param(bytes(range(256)) * 10, "rejected", id="noise"),
        pytest.param(b"a: &a [*a]", "contains itself", id="endless"),
        pytest.param(b"x: 1\n" * 300_000, "holds at most 1048576", id="huge"),
        pytest.param(b"config: 5\ndevicePlugin: [x]\nmigManager: yes", "is no mapping", id="other-shapes"),
        pytest.param(
            b"config: {map: {a: 1, b: null}}\ndevicePlugin: {config: {data: [1]}}", "wrong-type", id="no-texts"
        ),
    ],
)
def test_any_values_are_answered(tmp_path, chart, content, words):
    result = run(tmp_path, content, "--chart", chart)

    assert (result.exit_code, result.stderr) == (2, "")
    assert words in result.stdout


VALUES = """\
gfd: {enabled: true}
config:
  default: exclusive
  map:
    exclusive: |-
      version: v1
    by-mps: |-
      version: v1
      sharing:
        mps:
          resources: [{name: nvidia.com/gpu, replicas: 4}]
"""


def test_values_of_the_plugin_s_chart(tmp_path):
    found = data(tmp_path, VALUES, "--chart", "nvidia-device-plugin", "--instance-type", "g6e.xlarge")

    assert (found["verdict"], found["chart"], found["problems"]) == ("accepted", "nvidia-device-plugin", [])
    assert found["effective"] == found["configurations"]["exclusive"]
    advertised = {key: one["advertised"] for key, one in found["configurations"].items()}
    assert advertised == {"exclusive": {"nvidia.com/gpu": 1}, "by-mps": {"nvidia.com/gpu": 4}}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param(["--namespace", "default"], "chart-namespace", id="a-namespace-that-the-chart-refuses"),
        pytest.param(["--nodes", "bottlerocket"], "image-runs-plugin", id="51-bottlerocket"),
        pytest.param(["--nodes", "auto-mode"], "image-runs-plugin", id="auto-mode"),
        pytest.param(["--instance-type", "p5.48xlarge", "--mig", "1g.10gb=7"], "mps-on-mig", id="divided-gpus"),
    ],
)
def test_values_that_are_not_for_these_nodes(tmp_path, options, code):
    result = run(tmp_path, VALUES, "--chart", "nvidia-device-plugin", *options, "--json")

    assert result.exit_code == 2
    assert code in [problem["code"] for problem in json.loads(result.stdout)["problems"]]


def test_the_report_of_values(tmp_path):
    values = VALUES.replace("replicas: 4", 'replicas: "4"')

    assert run(
        tmp_path, values, "--chart", "nvidia-device-plugin", "--instance-type", "g6.xlarge"
    ).stdout.splitlines() == [
        "rejected",
        "  error: config.map.by-mps: sharing.mps.resources[0].replicas (line 11): "
        "'4' is not a whole number of at least 2 [replicas]",
        "nodes with the label nvidia.com/device-plugin.config=exclusive",
        "  sharing: none, MIG strategy none",
        "  a node of g6.xlarge advertises",
        "    nvidia.com/gpu: 1",
        "nodes with the label nvidia.com/device-plugin.config=by-mps",
        "  advertise nothing: the configuration is refused",
    ]


def test_a_file_that_bottlerocket_never_reads(tmp_path):
    result = run(tmp_path, SLICED, "--nodes", "bottlerocket")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "accepted, but ignores the whole file",
        "  warning: ignored: Bottlerocket runs a device plugin of its own, with settings.kubelet-device-plugins.nvidia "
        "[image-runs-plugin]",
    ]


@pytest.mark.parametrize(
    "options", [["--namespace", "n"], ["--chart", "vllm"], ["--nodes", "windows"]], ids=["no-chart", "chart", "nodes"]
)
def test_options_that_make_no_sense(tmp_path, options):
    result = run(tmp_path, SLICED, *options)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error" in result.stderr


def test_the_report(tmp_path):
    shared = SLICED.replace("timeSlicing", "mps") + "gpus: 3\n"

    assert run(tmp_path, shared, "--instance-type", "g6e.xlarge").stdout.splitlines() == [
        "accepted, but ignores 1 property",
        "  warning: gpus (line 7): ignored: the plugin has no such key [unknown-key]",
        "sharing: mps, MIG strategy none",
        "  each nvidia.com/gpu counts 4 times",
        "  MPS holds each to its 11,444 MiB of memory",
        "a node of g6e.xlarge advertises",
        "  nvidia.com/gpu: 4, a pod may ask for 1",
    ]
