"""Whatever is wrong with what it is given, the command line says so in words, and ends with status 2."""

import os
import shutil
import sys
import time

import pytest

from eks_accelerators.accel.__main__ import main
from eks_accelerators.simulator import engines
from tests.accel.plans import ROOT, accel, write_stack

LATE = "import pulumi\npulumi.export('late', pulumi.Output.from_input(1).apply(lambda one: one / 0))\n"
IN_A_RESOURCE = (
    "import pulumi, pulumi_aws as aws\n"
    "aws.ec2.Vpc('vpc', cidr_block=pulumi.Output.from_input(1).apply(lambda one: str(one / 0)))\n"
)


@pytest.fixture
def project(tmp_path):
    """A folder with a Pulumi project and a stack file without problems, and no program yet."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    (tmp_path / "stacks").mkdir()
    write_stack(tmp_path / "stacks", {})
    return tmp_path


def run_main(monkeypatch, capsys, folder, *arguments):
    """`accel` with ``arguments`` in ``folder``: exit status, stdout, stderr. What escapes it fails the test."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["accel", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


@pytest.mark.parametrize(
    ("program", "where", "message"),
    [
        pytest.param("raise ValueError('no such thing')", "__main__.py:1", "no such thing", id="raises"),
        pytest.param("\n\n{}['a']\n", "__main__.py:3", "'a'", id="raises-in-line-3"),
        pytest.param(LATE, "__main__.py:2", "division by zero", id="raises-inside-apply"),
        pytest.param(IN_A_RESOURCE, "__main__.py", "division by zero", id="raises-in-the-input-of-a-resource"),
        pytest.param("def (", "__main__.py", "invalid syntax", id="no-python"),
        pytest.param("import nothing_of_that_name", "__main__.py:1", "No module named", id="imports-what-is-not-there"),
        pytest.param("import sys; sys.exit('I give up')", "__main__.py:1", "I give up", id="exits"),
        pytest.param("import sys; sys.exit()", "__main__.py:1", "SystemExit", id="exits-as-if-well"),
        pytest.param("import pulumi; raise pulumi.RunError('refused')", "__main__.py:1", "refused", id="run-error"),
    ],
)
def test_a_program_that_fails(project, monkeypatch, capsys, program, where, message):
    (project / "__main__.py").write_text(program, encoding="utf-8")

    status, out, err = run_main(monkeypatch, capsys, project, "plan", "test", "--json")
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {where}")
    assert "the program failed: " in err
    assert message in err
    assert "Traceback" not in err


def test_a_failed_program_leaves_nothing_behind(project, monkeypatch, capsys):
    (project / "__main__.py").write_text(LATE, encoding="utf-8")
    assert run_main(monkeypatch, capsys, project, "plan", "test")[0] == 2

    (project / "__main__.py").write_text("import pulumi\npulumi.export('answer', 42)\n", encoding="utf-8")
    status, out, _ = run_main(monkeypatch, capsys, project, "plan", "test", "--json")
    assert status == 0
    assert '"answer": 42' in out


def test_what_a_program_prints_is_no_part_of_the_plan(project, monkeypatch, capsys):
    (project / "__main__.py").write_text("print('hello')", encoding="utf-8")

    status, out, err = run_main(monkeypatch, capsys, project, "plan", "test", "--json")
    assert (status, err) == (0, "hello\n")
    assert out.startswith("{")


@pytest.mark.parametrize("kind", ["missing", "folder"])
@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_no_program(project, monkeypatch, capsys, kind, command):
    monkeypatch.setattr(engines, "find", lambda *_: {})
    if kind == "folder":
        (project / "__main__.py").mkdir()

    status, out, err = run_main(monkeypatch, capsys, project, command, "test")
    assert (status, out) == (2, "")
    assert err.startswith("error: __main__.py: there is no Pulumi program here")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "there is no such stack file", id="missing"),
        pytest.param("folder", "the stack file cannot be read", id="folder"),
        pytest.param(b"", "has no `config` section", id="empty"),
        pytest.param(b"config: [", "not valid YAML", id="broken-yaml"),
        pytest.param(b"config: {a: &a [*a]}", "not valid YAML", id="endless"),
        pytest.param(b"\xff\xfe\x00", "cannot be read", id="no-text"),
        pytest.param(b"config: {}", "region", id="no-settings"),
        pytest.param(b"config: {7: [], null: {}}", "'7' is no configuration key", id="keys-that-are-no-words"),
        pytest.param(b"config: {eks-accelerators:nodeGroups: 7}", "nodeGroups", id="a-number-for-a-mapping"),
        pytest.param(b"config: {eks-accelerators:nodeGroups: {'[/red]': {}}}", "[/red]", id="markup"),
    ],
)
@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_bad_stack_file(project, monkeypatch, capsys, command, content, message):
    path = project / "stacks" / "Pulumi.bad.yaml"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)

    status, out, err = run_main(monkeypatch, capsys, project, command, "bad")
    assert (status, err) == (2, "")
    assert message in out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_stack_file(project, monkeypatch, capsys):
    (project / "stacks" / "Pulumi.test.yaml").chmod(0)

    status, out, _ = run_main(monkeypatch, capsys, project, "check", "test")
    assert status == 2
    assert "cannot be read" in out


@pytest.mark.parametrize(
    "stack", ["", ".", "..", "a/b", "../../etc/passwd", "a" * 5000, "[bold]", "Pulumi.dev", "/", "-", "dev prod", "ü"]
)
def test_odd_names_of_stacks(project, monkeypatch, capsys, stack):
    status, out, err = run_main(monkeypatch, capsys, project, "check", "--", stack)

    assert (status, err) == (2, "")
    assert "Problems: 1 error, " in out


def test_a_real_process_ends_the_same_way(project):
    (project / "__main__.py").write_text(LATE, encoding="utf-8")

    ran = accel("plan", "test", cwd=project)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: __main__.py:2: the program failed: division by zero")
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("ref", ["--all", "-1", "--help", "--output=x"])
def test_a_revision_is_never_an_option_of_git(project, monkeypatch, capsys, ref):
    (project / "__main__.py").write_text("", encoding="utf-8")

    status, out, err = run_main(monkeypatch, capsys, project, "plan", "test", f"--against={ref}")

    assert (status, out) == (2, "")
    assert f"{ref} is no revision here" in err
    assert not (project / "x").exists()


LAUGHS = "a0: &a0 lol\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 11))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("check", "FILE"), id="check"),
        pytest.param(("plan", "FILE"), id="plan"),
        pytest.param(("blocks", "list", "--stack", "FILE"), id="blocks"),
        pytest.param(("sharing", "check", "FILE"), id="plugin-configuration"),
        pytest.param(("sharing", "check", "FILE", "--chart", "gpu-operator"), id="values-of-a-chart"),
        pytest.param(("simulate", "test", "preview", "--account", "FILE"), id="account"),
    ],
)
def test_a_billion_laughs_are_refused_at_once(project, monkeypatch, capsys, command):
    file = project / "stacks" / "Pulumi.laughs.yaml"
    file.write_text(LAUGHS + "config: {aws:region: *a10}\n", encoding="utf-8")
    began = time.process_time()

    status, out, err = run_main(
        monkeypatch, capsys, project, *(str(file) if word == "FILE" else word for word in command)
    )

    assert status == 2
    assert "aliases" in out + err
    assert time.process_time() - began < 20  # most of it imports


QWEN = ("fit", "--model", "Qwen/Qwen2.5-7B-Instruct")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param(
            ("check", "README.md"), ("this is no stack file", "name a stack, such as dev"), id="no-stack-file"
        ),
        pytest.param(
            ("check", "me/project/test"),
            ("found:   me/project/test\n", "the name of a stack, or the path of its file"),
            id="with-slashes",
        ),
        pytest.param(
            ("check", "stacks/Pulumi.test"), ("found:   stacks/Pulumi.test\n", "did you mean test?"), id="no-suffix"
        ),
        pytest.param(("check", "tset"), ("there is no such stack file", "did you mean test?"), id="misspelt"),
        pytest.param(("plan", "nope"), ("there is no such stack file", "one of the stacks test"), id="plan"),
        pytest.param(("simulate", "nope"), ("there is no such stack file", "one of the stacks test"), id="simulate"),
        pytest.param((*QWEN, "--concurrency", "0"), ("'0' is no whole number of 1 or more",), id="fit-none"),
        pytest.param((*QWEN, "--context", "4k"), ("'4k' is no whole number of 1 or more",), id="fit-with-a-unit"),
        pytest.param((*QWEN, "--region", "us-eats-2"), ("did you mean us-east-2?",), id="fit-region"),
        pytest.param((*QWEN, "--stack", "tset"), ("did you mean test?",), id="fit-stack"),
        pytest.param((*QWEN, "--instances", "bogus"), ("such as g6.xlarge",), id="fit-type"),
        pytest.param(
            ("fit", "--model", "meta-llama/Llama-3.2-1B", "--instances", "trn1"),
            ("none of these instance types can serve this model in us-east-2",),
            id="fit-no-type",
        ),
        pytest.param(
            (*QWEN, "--instances", "g4dn.xlarge", "--context", "32768"), ("try larger ones",), id="fit-nothing"
        ),
    ],
)
def test_what_people_type(project, monkeypatch, capsys, command, words):
    (project / "README.md").write_text("# A page\n", encoding="utf-8")

    status, out, err = run_main(monkeypatch, capsys, project, *command)

    assert status == 2
    assert [each for each in words if each not in out + err] == []
    assert "Input should" not in out + err
