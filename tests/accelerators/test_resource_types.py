"""Each type of resource is described once, found by every reader, with the source of each of its figures."""

import json
from importlib.resources import files

import pytest

from eks_accelerators.accelerators import data, durations, iam_actions, replacement, resource_types
from eks_accelerators.accelerators.iam_actions import Registered

FILES = {
    file.name: json.loads(file.read_text(encoding="utf-8"))
    for file in files(data).joinpath("resource_types").iterdir()
    if file.name.endswith(".json")
}
ROWS = {row["type"]: row for row in [*FILES.values(), *data.load("simulated-resource-types")["types"]]}
SHARED = data.load("resource-types")["sources"]
KEYS = {"type", "name", "replacement", "grave", "follows", "iam", "durations", "sources"}


def file_of(token):
    """`aws:ec2/vpc:Vpc` is in `aws.ec2.Vpc.json`, and `kubernetes:core/v1:Secret` in `kubernetes.core.v1.Secret.json`."""
    package, module, name = token.split(":")
    parts = module.split("/")[:1] if package == "aws" else module.split("/")
    return ".".join(part for part in (package, *parts, name) if part not in ("index", "*")) + ".json"


def named_sources(row):
    """The short name of each source that a description names."""
    figures = row.get("durations", {})
    for part in (figures, *figures.get("details", {}).values()):
        yield from (figure["source"] for action, figure in part.items() if action != "details")
    if "replacement" in row:
        yield row["replacement"]["source"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_named_for_its_type(name):
    assert file_of(FILES[name]["type"]) == name


def test_no_type_is_described_twice():
    assert len(ROWS) == len(FILES) + len(data.load("simulated-resource-types")["types"])


@pytest.mark.parametrize("token", ROWS)
def test_a_description_says_nothing_that_nobody_reads(token):
    row = ROWS[token]

    assert set(row) <= KEYS
    assert set(row.get("grave", {})) <= {"add", "replace", "remove"}
    assert set(row.get("follows", {})) <= set(resource_types.every())


@pytest.mark.parametrize("token", ROWS)
def test_every_figure_names_its_source(token):
    row = ROWS[token]

    assert set(named_sources(row)) <= {*SHARED, *row.get("sources", {})}
    assert set(row.get("sources", {})) <= set(named_sources(row))


def test_no_shared_source_is_left_over():
    assert {source for row in ROWS.values() for source in named_sources(row)} >= set(SHARED)


def test_one_description_is_all_that_its_readers_need(monkeypatch):
    shelf = {
        "type": "aws:lib/shelf:Shelf",
        "name": "shelf",
        "replacement": {"source": "us", "properties": ["height"]},
        "grave": {"replace": "the books fall"},
        "iam": [{"scope": "any", "actions": ["lib:CreateShelf"]}],
        "durations": {"create": {"seconds": 60, "source": "us"}},
        "sources": {"us": "a clock"},
    }
    token, every = shelf["type"], resource_types.every()
    monkeypatch.setattr(resource_types, "every", lambda: {**every, token: resource_types.parsed(shelf, {})})

    assert replacement.replaces(token, "height.cm")
    assert not replacement.replaces(token, "label")
    assert replacement.grave(token, "replace") == "the books fall"
    assert durations.seconds(token, "create") == durations.Duration(60, "a clock", estimate=False)
    assert durations.name(token, "mine") == "shelf"
    policy = iam_actions.deployment_policy([Registered(token)], name="dev", region="us-east-2")
    assert "lib:CreateShelf" in policy["Statement"][0]["Action"]
