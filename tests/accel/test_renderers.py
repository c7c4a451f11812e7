"""Text and Markdown of stacks that lack what most have."""

import io

import pytest

from eks_accelerators.accel.plan.comparison import changes
from eks_accelerators.accel.render_changes import print_changes
from eks_accelerators.accel.render_text import console, short_type
from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.stacks import locate
from tests.accel.plans import planned, shipped, text, write_stack
from tests.accel.variations import VARIATIONS
from tests.conftest import NOW

EVERYTHING_UNKNOWN = {
    "region": "ap-southeast-7",
    "network.create.zones": ["ap-southeast-7a", "ap-southeast-7b"],
    "nodeGroups.gpu.capacityType": "spot",
    "nodeGroups.gpu.disk": {"type": "io2", "iops": 5000, "sizeGib": 300},
    "workloads.vllm.qwen.model": "nobody/knows-this-model",
}
WRONG_SHAPE = {"nodeGroups": 7, "owner": []}
CASES = {**VARIATIONS, "everything-unknown": EVERYTHING_UNKNOWN, "wrong-shape": WRONG_SHAPE}


@pytest.mark.parametrize("patch", CASES.values(), ids=CASES)
def test_a_report_of_any_stack_can_be_read(tmp_path, patch):
    report = check_stack(locate(str(write_stack(tmp_path, patch))), NOW).report
    written = {width: text(report, width) for width in (20, 60, 100, None)} | {"markdown": markdown(report)}

    for output in written.values():
        assert "None" not in output.replace("NoneType", "")
        for problem in report.problems:
            assert problem.code in output


@pytest.mark.parametrize(
    "name", ["no-node-groups", "existing-network", "claimed-gpus", "everything-unknown", "wrong-shape"]
)
def test_how_they_read(tmp_path, name, snapshot):
    report = planned(tmp_path, CASES[name]).report.model_copy(update={"resources": ()})

    assert text(report) == snapshot(name="text")
    assert markdown(report) == snapshot(name="markdown")


def test_a_fractional_instance_has_part_of_a_gpu_everywhere(tmp_path):
    report = planned(tmp_path, VARIATIONS["part-of-a-gpu"]).report

    assert ["0.125 x L4" in output for output in (text(report), markdown(report))] == [True, True]


def test_a_table_becomes_paragraphs_where_words_would_break():
    wide, narrow = text(shipped("prod").report, 140), text(shipped("prod").report, 60)

    assert "name       type " in wide
    assert "type               trn2.48xlarge" in narrow


def test_what_looks_like_markup_is_shown_as_it_is(tmp_path):
    report = check_stack(locate(str(write_stack(tmp_path, {"nodeGroups": {"[bold]:smile:": 1}}))), NOW).report

    assert "[bold]:smile:" in text(report)


def test_a_cell_of_markdown_ends_where_it_should(tmp_path):
    report = check_stack(locate(str(write_stack(tmp_path, {"workloads.vllm.qwen.namespace": "a | b"}))), NOW).report

    (row,) = [line for line in markdown(report).splitlines() if line.startswith("| error | `workloads")]
    assert row.replace("\\|", "").count("|") == 6


def test_a_long_list_of_changes_is_cut_in_markdown_only():
    made = changes(None, shipped("prod").report, "main")
    stream = io.StringIO()
    print_changes(made, console(stream))

    written = markdown(shipped("prod").report.model_copy(update={"changes": made}))
    assert "and " in written.partition("```diff")[2].partition("```")[0]
    assert stream.getvalue().count("\n  +  add") == len(made.resources)


@pytest.mark.parametrize(
    ("token", "short"),
    [
        ("aws:ec2/vpc:Vpc", "aws:ec2:Vpc"),
        ("kubernetes:core/v1:Secret", "kubernetes:core:Secret"),
        ("eks:index:Cluster", "eks:index:Cluster"),
        ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh:Release"),
        ("pulumi:providers:kubernetes", "pulumi:providers:kubernetes"),
    ],
)
def test_types_are_shown_without_their_file(token, short):
    assert short_type(token) == short
