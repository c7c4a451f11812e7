"""An ID is written into a stack file: everything else stays, to the character."""

import io
import itertools
import stat
import subprocess

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from eks_accelerators.settings import stack_file
from eks_accelerators.settings.stack_file_edit import CannotEditError, with_reservation, with_value, write_reservation
from tests.accel.plans import ROOT

CR = "cr-0538def0ef4a9a83c"
KEY = "eks-accelerators:capacityBlocks"

CASES = {
    "a-value-is-replaced-and-its-comment-stays": (
        f"config:\n  {KEY}:\n    training:\n      reservationId: cr-0123456789abcdef0 # the first\n      expect: {{}}\n",
        f"config:\n  {KEY}:\n    training:\n      reservationId: {CR} # the first\n      expect: {{}}\n",
    ),
    "a-key-is-added-behind-the-others": (
        f"config:\n  {KEY}:\n    training: # to be bought\n      expect: {{instanceCount: 4}} # four\n\n  # next\n  aws:region: x\n",
        f"config:\n  {KEY}:\n    training: # to be bought\n      expect: {{instanceCount: 4}} # four\n      reservationId: {CR}\n\n  # next\n  aws:region: x\n",
    ),
    "in-braces": (
        f"config: {{'{KEY}': {{training: {{expect: {{}}}}}}}} # tight\n",
        f"config: {{'{KEY}': {{training: {{expect: {{}}, reservationId: {CR}}}}}}} # tight\n",
    ),
    "in-empty-braces": (
        f"config:\n  {KEY}:\n    training: {{}} # to be bought\n",
        f"config:\n  {KEY}:\n    training: {{reservationId: {CR}}} # to be bought\n",
    ),
    "where-nothing-is": (
        f"config:\n  {KEY}:\n    training: # to be bought\n  aws:region: x\n",
        f"config:\n  {KEY}:\n    training: {{reservationId: {CR}}} # to be bought\n  aws:region: x\n",
    ),
    "where-null-is": (
        f"config:\n  {KEY}:\n    training: null\n",
        f"config:\n  {KEY}:\n    training: {{reservationId: {CR}}}\n",
    ),
    "the-block-is-new": (
        f"config:\n  {KEY}:\n    other:\n      reservationId: cr-0123456789abcdef0\n  aws:region: x\n",
        f"config:\n  {KEY}:\n    other:\n      reservationId: cr-0123456789abcdef0\n    training:\n      reservationId: {CR}\n  aws:region: x\n",
    ),
    "all-blocks-are-new": (
        "config:\n    aws:region: x # far\n",
        f"config:\n    aws:region: x # far\n    {KEY}:\n      training:\n        reservationId: {CR}\n",
    ),
    "no-newline-at-the-end": (
        "config:\n  aws:region: x",
        f"config:\n  aws:region: x\n  {KEY}:\n    training:\n      reservationId: {CR}\n",
    ),
    "lines-as-on-windows": (
        f"config:\r\n  {KEY}:\r\n    training:\r\n      expect: {{}} # é\r\n",
        f"config:\r\n  {KEY}:\r\n    training:\r\n      expect: {{}} # é\r\n      reservationId: {CR}\r\n",
    ),
    "a-purchase-is-replaced": (
        f"config:\n  {KEY}:\n    training:\n      purchase:\n        offeringId: cb-1 # that one\n        instanceCount: 4\n      # by mail\n      notificationEmail: a@b.c\n",
        f"config:\n  {KEY}:\n    training:\n      reservationId: {CR}\n      # by mail\n      notificationEmail: a@b.c\n",
    ),
    "in-quotes": (
        f'config:\n  {KEY}:\n    training:\n      reservationId: "cr-0123456789abcdef0"\n',
        f"config:\n  {KEY}:\n    training:\n      reservationId: {CR}\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_written(before, after):
    assert with_reservation(before, "training", CR) == after


LAYOUTS = {
    "two-and-four-blanks": "config:\n  a:\n      b: 1\n",
    "lists-in-both-ways": "config:\n  a:\n    - 1\n  b:\n  - 2\n",
    "values-below-one-another": "config:\n  a:    1\n  long: 2\n",
    "blanks-in-braces": "config:\n  a: { b: 1, c: 2 }\n",
    "no-blanks-in-brackets": "config:\n  a: [1,2]\n",
    "braces-over-two-lines": "config:\n  a: {b: 1,\n      c: 2}\n",
    "text-over-two-lines": "config:\n  a: one\n    two\n",
    "blanks-at-the-end-of-a-line": "config:\n  a: 1  \n  b: 2\n",
    "nothing-in-words": "config:\n  a: ~\n  b: null\n",
    "a-plus": "config:\n  a: +1\n",
    "letters-as-numbers": 'config:\n  a: "caf\\u00e9"\n',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_that_ruamel_yaml_would_change_stays(text):
    """Where ruamel.yaml has learnt to keep one, it leaves this list; with the last one goes the splicing."""
    assert text not in {by_ruamel(text, *indents) for indents in itertools.product((2, 4), (2, 4, 6), (0, 2, 4))}

    assert with_reservation(text, "training", CR).startswith(text)


def by_ruamel(text, mapping, sequence, offset):
    """The text as ruamel.yaml writes what it has read, with indentation as it is told."""
    reader, written = YAML(), io.StringIO()
    reader.preserve_quotes, reader.width = True, 10**6
    reader.indent(mapping, sequence, offset)
    reader.dump(reader.load(text), written)
    return written.getvalue()


SHARED = """config:
  eks-accelerators:capacityBlocks:
    training: &block
      expect: {}
    other: *block
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(SHARED, "written in a way that this edit would break", id="an-anchor-is-shared"),
        pytest.param(f"config:\n  {KEY}: [1]\n", "holds something else", id="a-list"),
        pytest.param(
            f"config:\n  {KEY}:\n    training:\n      reservationId: [1]\n", "is no single value", id="no-word"
        ),
        pytest.param("config: [", "not valid YAML", id="no-yaml"),
        pytest.param("- 1\n", "the file holds no mapping", id="no-mapping"),
        pytest.param("config:\n  a: 1\n  a: 2\n", "the key 'a' is given twice", id="a-key-twice"),
    ],
)
def test_not_written(text, why):
    with pytest.raises(CannotEditError, match=why):
        with_reservation(text, "training", CR)


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_shipped_files_take_an_id_and_lose_no_line(stack):
    text = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")

    edited = with_reservation(text, "training-2", CR)

    added = [line for line in edited.splitlines() if line not in text.splitlines()]
    assert [line for line in edited.splitlines() if line not in added] == text.splitlines()
    assert stack_file.load(edited)["config"][KEY]["training-2"] == {"reservationId": CR}


words = st.text("abcdefgh", min_size=1, max_size=5)
trees = st.recursive(words, lambda inner: st.dictionaries(words, inner, min_size=1, max_size=3), max_leaves=8)


@given(
    st.dictionaries(words, trees, min_size=1, max_size=3),
    st.lists(words, min_size=1, max_size=4),
    st.sampled_from([True, False, None]),
    st.integers(2, 4),
)
def test_what_was_meant_is_what_is_read_or_nothing_is_written(tree, path, flow, indent):
    text = yaml.safe_dump(tree, default_flow_style=flow, indent=indent)
    try:
        edited = with_value(text, path, CR)
    except CannotEditError:
        return

    found = stack_file.load(edited)
    for part in path:
        found = found[part]
    assert found == CR


def test_the_file_is_replaced_with_its_mode_and_through_a_link(tmp_path):
    file, link = tmp_path / "Pulumi.real.yaml", tmp_path / "Pulumi.prod.yaml"
    file.write_text("config:\n  aws:region: x\n")
    file.chmod(0o640)
    link.symlink_to(file)

    write_reservation(link, "training", CR)

    assert link.is_symlink()
    assert CR in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["Pulumi.prod.yaml", "Pulumi.real.yaml"]


@pytest.mark.parametrize("wrong", ["read-only", "missing", "not-text"])
def test_a_file_that_cannot_be_written_is_as_it_was(tmp_path, wrong):
    file = tmp_path / "Pulumi.prod.yaml"
    content = b"\xff" if wrong == "not-text" else b"config:\n  aws:region: x\n"
    if wrong != "missing":
        file.write_bytes(content)
    if wrong == "read-only":
        file.chmod(0o444)

    with pytest.raises(CannotEditError):
        write_reservation(file, "training", CR)

    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([] if wrong == "missing" else [content])


def test_what_a_killed_edit_left_is_removed_and_ignored_by_git(tmp_path):
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_text("config:\n  aws:region: x\n")
    killed = subprocess.Popen(["true"])
    killed.wait()
    left, at_work, other = (
        tmp_path / f".Pulumi.{name}.new"
        for name in (f"prod.yaml.{killed.pid}", "prod.yaml.1", f"dev.yaml.{killed.pid}")
    )
    for each in (left, at_work, other):
        each.touch()

    write_reservation(file, "training", CR)

    assert [each.exists() for each in (left, at_work, other)] == [False, True, True]
    ignored = subprocess.run(["git", "check-ignore", "--no-index", f"stacks/{left.name}"], cwd=ROOT, check=False)
    assert ignored.returncode == 0
