"""Stack files are read as Pulumi reads them."""

from decimal import Decimal

import pytest

from eks_accelerators.settings import SettingsError, load_stack_file, stack_file
from tests.settings.stack_files import SHIPPED, check_text


def read(folder, text):
    path = folder / "Pulumi.test.yaml"
    path.write_text(text, encoding="utf-8")
    return stack_file.read(path)


def test_anchors_may_be_used_twice(tmp_path):
    config = read(tmp_path, "config:\n  a: &size {max: 2}\n  b: *size\n").config

    assert config["eks-accelerators:a"] == config["eks-accelerators:b"] == {"max": 2}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        pytest.param("", "no `config` section", None, id="empty"),
        pytest.param("- config", "no `config` section", None, id="list"),
        pytest.param("config", "no `config` section", None, id="text"),
        pytest.param("config: []", "no `config` section", None, id="list-for-a-mapping"),
        pytest.param("config: {}\nconfig: {}\n", "'config' is given twice", 2, id="section-twice"),
        pytest.param("config:\n  a: {b: 1,\n    b: 2}\n", "'b' is given twice", 3, id="key-twice"),
        pytest.param("config:\n  a: &a [*a]\n", "recursive", 2, id="alias-of-itself"),
        pytest.param("config: &a {b: *a}\n", "recursive", 1, id="alias-of-its-parent"),
        pytest.param("config:\n  a: *b\n", "undefined alias", 2, id="alias-of-nothing"),
        pytest.param("config:\n  a: [1\n", "not valid YAML", 3, id="bracket-left-open"),
        pytest.param("config:\n\ta: 1\n", "not valid YAML", 2, id="tab"),
        pytest.param("config:\n  [a]: 1\n", "a key must be a word", 2, id="list-as-key"),
        pytest.param("config: {}\n---\nconfig: {}\n", "more than one document", 3, id="two-documents"),
        pytest.param("config:\n  a: !!bool x\n", "'x' is no bool", 2, id="tag-on-a-wrong-value"),
        pytest.param("config:\n  a: !!timestamp x\n", "'x' is no timestamp", 2, id="no-timestamp"),
        pytest.param("config:\n  a: .nan\n", "cannot be kept as JSON", 2, id="no-number"),
        pytest.param("config:\n  7: x\n", "'7' is no configuration key", 2, id="number-as-key"),
        pytest.param("config:\n  a:b:c: x\n", "'a:b:c' is no configuration key", 2, id="key-of-three-parts"),
        pytest.param(
            "config:\n  owner: x\n  eks-accelerators:owner: y\n",
            "'eks-accelerators:owner' is given twice",
            3,
            id="two-forms",
        ),
        pytest.param("config:\n  a: \0\n", "not valid YAML", 2, id="control-character"),
        pytest.param("config: " + "[" * 100_000, "nested too deeply", 1, id="very-deep"),
        pytest.param(
            "config:\n  a: &a [1, 2, 3]\n  b: [" + "*a, " * 5000 + "]",
            "aliases stand for too much",
            3,
            id="many-aliases",
        ),
    ],
)
def test_what_is_no_stack_file(tmp_path, text, message, line):
    (problem,) = check_text(tmp_path, text).problems

    assert (problem.code, problem.path, problem.line) == ("stack-file", "Pulumi.test.yaml", line)
    assert message in problem.message


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "Pulumi.test.yaml"
    path.write_bytes(b"config: {\xff}")

    (problem,) = load_stack_file(path).problems
    assert "cannot be read" in problem.message
    assert problem.found == "the byte 0xFF in line 1"


def test_text_in_utf_16_is_named(tmp_path):
    path = tmp_path / "Pulumi.test.yaml"
    path.write_text("config: {}", encoding="utf-16")

    (problem,) = load_stack_file(path).problems
    assert (problem.found, problem.fix) == ("UTF-16", "save it as UTF-8")


@pytest.mark.parametrize(
    ("text", "found", "fix"),
    [
        ("config:\n  a:b: x\0y\n", "the control character U+0000 in line 2", "remove it"),
        ("config:\n  a:b: [.inf]\n", "line 2", "write a number with digits, or put the text in quotes"),
        (f"config:\n  a:b: {'[' * 200}", '"[" in line 2, column 106', "take levels away"),
    ],
)
def test_what_cannot_be_kept_is_named_with_what_to_do(tmp_path, text, found, fix):
    (problem,) = check_text(tmp_path, text).problems

    assert (problem.found, problem.fix) == (found, fix)


def test_a_missing_file_is_answered_with_those_that_are_there(tmp_path):
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}", encoding="utf-8")

    (problem,) = load_stack_file(tmp_path / "Pulumi.prod.yaml").problems
    assert problem.message == "there is no such stack file"
    assert (problem.allowed, problem.fix) == (
        "the name of a stack, or the path of its file",
        "name one of the stacks dev, or create the file",
    )


def test_a_folder_is_no_file(tmp_path):
    (problem,) = load_stack_file(tmp_path).problems

    assert (problem.code, problem.fix) == ("stack-file", "name a file in this folder, or a stack")


def test_values_nested_as_deep_as_yaml_may_be(tmp_path):
    text = "config:\n  eks-accelerators:tags: " + "[" * 90 + "]" * 90

    assert check_text(tmp_path, text).settings is None


def test_lines_are_those_of_the_value_or_its_nearest_parent(tmp_path):
    text = "config:\n  a:b:\n    - x: 1\n    -\n      y: 2\n"
    source = read(tmp_path, text)

    assert source.line_of("a:b", ()) == 2
    assert source.line_of("a:b", (0, "x")) == 3
    assert source.line_of("a:b", (1, "y")) == 5
    assert source.line_of("a:b", (7, "z")) == 2
    assert source.line_of("c:d", ()) == 1


def test_lines_of_what_is_merged_are_where_it_stands(tmp_path):
    source = read(tmp_path, "config:\n  a:b: &base\n    x: 1\n  a:c:\n    <<: *base\n    y: 2\n")

    assert source.config["a:c"] == {"x": 1, "y": 2}
    assert source.line_of("a:c", ("x",)) == 3
    assert source.line_of("a:c", ("y",)) == 6


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_stacks_are_valid(path, now):
    settings = load_stack_file(path, now).require().settings

    assert settings.budget is None or settings.budget.monthly_usd > Decimal(0)


def test_require_raises_with_every_problem(tmp_path):
    checked = check_text(tmp_path, "config: {}")

    with pytest.raises(SettingsError) as caught:
        checked.require()
    assert caught.value.problems == checked.problems
    assert str(caught.value).count("missing-key") == 3
