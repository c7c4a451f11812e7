"""Where the programs of a simulation are looked for."""

import os

import pytest

from eks_accelerators.simulator import engines
from eks_accelerators.simulator.engines import ENGINES, FURTHER, MissingEnginesError, find, optional


def program(folder, name, mode=0o755):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(mode)
    return file


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """No engine is to be found, and the working directory is a folder within a project."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(engines, "_REPOSITORY", tmp_path / "repository")
    inside = tmp_path / "project" / "stacks"
    inside.mkdir(parents=True)
    (tmp_path / "project" / "Pulumi.yaml").write_text("name: project\n")
    monkeypatch.chdir(inside)


@pytest.mark.parametrize(
    ("there", "found"),
    [
        (["project/.tools"], "project/.tools"),
        (["repository/.tools"], "repository/.tools"),
        (["path"], "path"),
        (["path", "repository/.tools", "project/.tools"], "project/.tools"),
        (["path", "repository/.tools"], "repository/.tools"),
        (["project/stacks/.tools", "path"], "path"),
        ([], None),
    ],
)
def test_the_pinned_ones_of_the_project_come_first(tmp_path, there, found):
    for folder in there:
        program(tmp_path / folder, "kwok")

    assert optional("kwok") == (tmp_path / found / "kwok" if found else None)


def test_the_nearest_project_counts(tmp_path):
    program(tmp_path / "project" / ".tools", "kwok")
    inner = tmp_path / "project" / "inner"
    inner.mkdir()
    (inner / "Pulumi.yaml").write_text("name: inner\n")

    assert optional("kwok", inner) is None
    assert optional("kwok", tmp_path / "project") == tmp_path / "project" / ".tools" / "kwok"


def test_a_file_that_cannot_be_run_is_none(tmp_path):
    program(tmp_path / "project" / ".tools", "kwok", mode=0o644)
    (tmp_path / "repository" / ".tools" / "kwok").mkdir(parents=True)

    assert optional("kwok") is None


def test_what_is_found_on_a_relative_path_is_absolute(tmp_path, monkeypatch):
    program(tmp_path / "project" / "stacks" / "here", "kwok")
    monkeypatch.setenv("PATH", os.pathsep.join(["here", "elsewhere"]))

    assert optional("kwok") == tmp_path / "project" / "stacks" / "here" / "kwok"


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (["kwok"], "missing kwok"),
        (["etcd", "kwok"], "missing etcd and kwok"),
        (["pulumi", "etcd", "kwok"], "missing pulumi, etcd and kwok"),
    ],
)
def test_all_that_are_missing_are_named_in_one_line(tmp_path, missing, said):
    for name in set(ENGINES) - set(missing):
        program(tmp_path / "path", name)

    with pytest.raises(MissingEnginesError) as error:
        find()

    assert str(error.value) == f"{said}. Run `make engines`, or put them on PATH"


def test_only_what_is_asked_for_is_needed(tmp_path):
    there = program(tmp_path / "path", "etcd")

    assert find(["etcd"]) == {"etcd": there}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["kwok", "prometheus"], "missing kwok and prometheus. Run `make engines MORE=1`, or put them on PATH"),
        (["kwok"], "missing kwok. Run `make engines`, or put them on PATH"),
    ],
)
def test_what_takes_long_to_build_is_asked_for_by_name(asked, said):
    with pytest.raises(MissingEnginesError) as error:
        find(asked)

    assert str(error.value) == said


def test_no_engine_is_both_needed_and_further():
    assert not set(ENGINES) & set(FURTHER)
