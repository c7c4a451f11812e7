"""Dates without quotes: a time where one is meant, and an error where any other text is."""

from datetime import UTC, datetime

import pytest
from yaml import safe_dump

from eks_accelerators.settings.load import load_engine_config
from tests.settings.example import PURCHASED, RESERVED
from tests.settings.stack_files import check_text, document
from tests.settings.test_engine_config import engine

HANDED_OVER = "2026-12-01 11:30:00 +0000 UTC"
"""What the Pulumi CLI makes of `2026-12-01T11:30:00Z`, and writes back at the next `pulumi config set`."""


def checked(folder, patch, written):
    """A stack file in which ``written`` stands as it is, where the patch says DATE."""
    return check_text(folder, safe_dump(document(patch), sort_keys=False).replace("DATE", written))


@pytest.mark.parametrize(
    ("written", "hour"),
    [
        ('"2026-12-01T11:30:00Z"', (11, 30)),
        ("2026-12-01T11:30:00Z", (11, 30)),
        ("2026-12-01T11:30:00+02:00", (9, 30)),
        ("2026-12-01 11:30:00", (11, 30)),
        ("2026-12-01", (0, 0)),
        (HANDED_OVER, (11, 30)),
        ("2026-12-01 12:30:00 +0100 CET", (11, 30)),
    ],
)
def test_a_time_is_read_in_every_form(tmp_path, written, hour):
    found = checked(tmp_path, {**PURCHASED, "capacityBlocks.block.purchase.start": "DATE"}, written)

    start = found.settings.capacity_blocks["block"].purchase.start
    assert start == datetime(2026, 12, 1, *hour, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2026-12-01T20:00:00Z", "'2026-12-01T20:00:00Z'", "2026-12-01T22:00:00+02:00"])
def test_a_text_that_is_a_time_is_written_as_aws_takes_it(tmp_path, written):
    action = {"name": "night", "startTime": "DATE", "desired": 0}

    found = checked(tmp_path, {"nodeGroups.gpu.scheduledScaling": [action]}, written)

    (read,) = found.require().settings.node_groups["gpu"].scheduled_scaling
    assert read.start_time == "2026-12-01T20:00:00Z"


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        pytest.param({"owner": "DATE"}, "owner", id="owner"),
        pytest.param({"tags": {"since": "DATE"}}, "tags.since", id="tag"),
        pytest.param({"tags": {"DATE": "x"}}, 'tags["2026-12-01 00:00:00 +0000 UTC"]', id="name-of-a-tag"),
        pytest.param({"nodeGroups.gpu.labels": {"since": "DATE"}}, "nodeGroups.gpu.labels.since", id="label"),
        pytest.param(
            {"nodeGroups.gpu.scheduledScaling": [{"name": "DATE", "startTime": "2026-12-01T20:00:00Z", "desired": 1}]},
            "nodeGroups.gpu.scheduledScaling[0].name",
            id="in-a-list",
        ),
        pytest.param({"capacityBlocks": "DATE"}, "capacityBlocks", id="in-place-of-a-mapping"),
    ],
)
def test_other_text_is_refused(tmp_path, patch, path):
    found = [problem for problem in checked(tmp_path, patch, "2026-12-01").problems if problem.path == path]

    (problem,) = found
    assert (problem.code, problem.found, problem.fix) == (
        "unquoted-date",
        "2026-12-01T00:00:00+00:00",
        "put it in quotes",
    )
    assert problem.line is not None
    assert not checked(tmp_path, patch, '"2026-12-01"').problems or "labels" in path or path == "capacityBlocks"


def test_no_time_at_all(tmp_path):
    (problem, *_) = checked(
        tmp_path, {**RESERVED, "capacityBlocks.block.expect": {"start": "DATE"}}, "0000-01-01"
    ).problems

    assert (problem.code, problem.path) == ("wrong-type", "capacityBlocks.block.expect.start")


def test_the_program_sees_the_same():
    (problem,) = load_engine_config(engine(tags={"since": HANDED_OVER}), set(), "p").problems

    assert (problem.code, problem.path) == ("unquoted-date", "tags.since")
