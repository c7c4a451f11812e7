"""`accel monitoring dashboards`: files for a Grafana that is there."""

import json

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from tests.accel.plans import ROOT, shipped, write_stack


@pytest.fixture
def ask(tmp_path):
    """Ask for the dashboards of a stack; they go into the folder `out`."""

    def run(*options, patch=None):
        write_stack(tmp_path, patch or {})
        file = tmp_path / "Pulumi.test.yaml"
        words = ["monitoring", "dashboards", str(file), "--output", str(tmp_path / "out"), *options]
        return CliRunner().invoke(app, words), tmp_path / "out"

    return run


def test_each_dashboard_is_a_file_that_grafana_imports(ask):
    done, folder = ask("--json")

    assert done.exit_code == ExitStatus.DONE, done.output
    said = json.loads(done.stdout)
    assert [made["name"] for made in said["dashboards"]] == [
        f"accelerators-{name}" for name in ("fleet", "gpu", "servers", "training", "cost")
    ]
    assert said["leftOut"] == []
    for made in said["dashboards"]:
        assert json.loads((folder / f"{made['name']}.json").read_text())["uid"] == made["name"]


@pytest.mark.parametrize("stack", ["staging", "prod"])
def test_what_is_written_is_what_the_program_deploys(stack, tmp_path):
    """Text that is known only when AWS has said when a Capacity Block ends is compared by the name of its file."""
    file = ROOT / "stacks" / f"Pulumi.{stack}.yaml"
    done = CliRunner().invoke(app, ["monitoring", "dashboards", str(file), "--output", str(tmp_path), "--json"])
    written = {path.name: path.read_text().rstrip("\n") for path in tmp_path.iterdir()}
    left_out = [tuple(missing.values()) for missing in json.loads(done.stdout)["leftOut"]]
    deployed = _deployed_dashboards(stack)

    assert written.keys() == deployed.keys()
    assert {name: written[name] for name, text in deployed.items() if text.startswith("{")} == {
        name: text for name, text in deployed.items() if text.startswith("{")
    }
    assert len(left_out) == len(set(left_out))


def _deployed_dashboards(stack):
    """The text of each dashboard that the program of a shipped stack deploys, by the name of its file."""
    return {
        name: text
        for resource in shipped(stack).report.as_data()["resources"]
        if "grafana_dashboard" in resource["inputs"].get("metadata", {}).get("labels", {})
        for name, text in resource["inputs"]["data"].items()
    }


def test_what_is_not_scraped_is_not_shown_and_named(ask):
    done, folder = ask("--without", "keda", "--without", "dcgm-exporter")

    assert done.exit_code == ExitStatus.DONE
    assert "not shown: servers: What the autoscaler sees: nobody scrapes keda" in done.stdout
    assert not (folder / "accelerators-gpu.json").exists()


def test_pages_are_linked_where_they_are(ask):
    _, folder = ask("--runbooks", "https://example.com/pages")

    assert "(https://example.com/pages/replace-a-gpu-node.md)" in (folder / "accelerators-fleet.json").read_text()


def test_an_unknown_exporter_is_refused_with_those_that_there_are(ask):
    done, folder = ask("--without", "node-exporter")

    assert done.exit_code == ExitStatus.REFUSED
    assert "found node-exporter; allowed: dcgm-exporter, vllm, triton, nim, " in done.stderr
    assert not folder.exists()


def test_a_stack_that_is_wrong_is_refused_and_nothing_written(ask):
    done, folder = ask(patch={"nodeGroups.gpu.instanceType": "g6.2xlarg"})

    assert done.exit_code == ExitStatus.REFUSED
    assert "nodeGroups.gpu.instanceType" in done.stderr
    assert not folder.exists()


def test_a_folder_that_is_a_file_is_refused(ask, tmp_path):
    (tmp_path / "out").write_text("")

    done, _ = ask()

    assert done.exit_code == ExitStatus.REFUSED
    assert "cannot be written" in done.stderr


def test_a_stack_without_accelerators_has_none(ask):
    done, folder = ask(patch={"nodeGroups": {}, "workloads": {}})

    assert done.exit_code == ExitStatus.DONE
    assert "No dashboard concerns the stack test" in done.stdout
    assert not folder.exists()
