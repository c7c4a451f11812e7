"""What the documentation says is so: links, commands, settings, output, codes, keys."""

import copy
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from eks_accelerators import components
from eks_accelerators.accel.cli import app
from eks_accelerators.accel.fit.question import CODES as FIT_CODES
from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.plan.comparison import changes
from eks_accelerators.accel.plan.resource_problems import RULES as REGISTERED
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.reports.base import Report
from eks_accelerators.accel.stacks import StackLocation, locate
from eks_accelerators.accelerators import device_plugin, mig
from eks_accelerators.capacity.preflight import checks  # noqa: F401  (they register)
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.settings import Settings, parse
from eks_accelerators.settings.load import PROJECT, load_stack_file
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.refusals import CODES as REFUSED_CODES
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.settings.rules import RULES
from eks_accelerators.settings.rules_page import SHAPE_CODES
from eks_accelerators.verification.codes import CODES as VERIFICATION_CODES
from tests.accel.plans import text as in_terminal
from tests.conftest import NOW
from tests.docs.pages import CUT, PAGES, ROOT, RUNBOOKS, anchors, blocks, is_shown_of, links, name, spans, text
from tests.simulator.aws.accounts import REGION, opened

CODES = {*RULES, *SHAPE_CODES, *REGISTERED, *CHECKS, *mig.CODES, *device_plugin.CODES, *device_plugin.CHART_CODES}
CODES |= VERIFICATION_CODES.keys()
README, JSON_PAGE, COMPONENTS_PAGE = ROOT / "README.md", ROOT / "docs" / "json.md", ROOT / "docs" / "components.md"
DEV = ROOT / "stacks" / "Pulumi.dev.yaml"
MINIMAL = {
    "aws:region": "us-east-2",
    f"{PROJECT}:owner": "ml-platform",
    f"{PROJECT}:network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
}
MEANT = {("docs/capacity-blocks.md", "capacity-block-confirmation")}
"""Errors that a page shows on purpose."""


def by_page(found: Any) -> list[Any]:
    return [pytest.param(page, item, id=f"{name(page)}-{index}") for page in PAGES for index, item in found(page)]


def fragments(page: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for index, block in enumerate(blocks(page, "yaml")):
        found = yaml.safe_load(block)
        if isinstance(found, dict) and "config" in found:
            yield index, found["config"]


def shell_commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    lines = [line for block in blocks(page, "sh") for line in block.replace("\\\n", " ").splitlines()]
    found = [line.partition("|")[0] for line in lines if line.startswith("accel ")]
    yield from ((index, shlex.split(line, comments=True)[1:]) for index, line in enumerate(found))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_resolve(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_is_reached_from_the_readme():
    index = ROOT / "docs" / "decisions" / "README.md"
    reached = {(page.parent / target.partition("#")[0]).resolve() for page in (README, index) for target in links(page)}

    assert set(PAGES) - reached == {README, *RUNBOOKS}  # the runbooks are reached from their alerts: tests/monitoring


@pytest.mark.parametrize(("page", "arguments"), by_page(shell_commands))
def test_shown_commands_parse(page, arguments):
    command, context = get_command(app), None
    command_name, rest = "accel", arguments
    while True:
        context = command.make_context(command_name, list(rest), parent=context)
        if not isinstance(command, TyperGroup):
            return
        command_name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])


def test_an_extension_is_asked_for_with_its_length():
    """Without one the command asks nobody, and whoever follows a runbook stands there."""
    lines = [line.strip() for page in PAGES for line in text(page).splitlines() if "  accel blocks extend " in line]

    assert lines
    assert [line for line in lines if "--days" not in line and "--until" not in line] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_in_prose_exist(page):
    for span in spans(page):
        if span.startswith("accel "):
            command, options = get_command(app), set()
            for word in span.split()[1:]:
                options |= {option for parameter in command.params for option in parameter.opts}
                if not word.startswith("--") and isinstance(command, TyperGroup):
                    command = command.commands[word]
            options |= {option for parameter in command.params for option in parameter.opts}
            assert {word for word in span.split() if word.startswith("--")} <= options, span


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_targets_of_make_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    lines = [*spans(page), *(line for block in blocks(page, "sh") for line in block.splitlines())]

    for line in lines:
        for target in re.findall(r"\bmake ([a-z-]+)", line):
            assert target in targets, line


@pytest.mark.parametrize(("page", "fragment"), by_page(fragments))
def test_fragments_of_stack_files_are_valid(page, fragment, tmp_path):
    file = tmp_path / "Pulumi.fragment.yaml"
    file.write_text(yaml.safe_dump({"config": {**MINIMAL, **fragment}}), encoding="utf-8")

    found = errors(load_stack_file(file, now=NOW).problems)

    assert [p for p in found if (name(page), p.code) not in MEANT] == []


@pytest.mark.parametrize(("page", "fragment"), by_page(fragments))
def test_what_is_copied_from_a_page_gets_its_nodes_in_the_simulated_account(page, fragment, tmp_path):
    """Zones by name are those of one's own account, which no rule knows; there preflight and EC2 say what they have."""
    groups = fragment.get(f"{PROJECT}:nodeGroups", {})
    with opened(tmp_path) as account:
        elsewhere = [
            (group["instanceType"], zone)
            for group in groups.values()
            for zone in group.get("zones", ()) if zone.startswith(REGION)
            if zone not in account.backend.offered_zones(group["instanceType"])
        ]  # fmt: skip

    assert elsewhere == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_codes_exist(page):
    for block in blocks(page, "text"):
        assert set(re.findall(r"\[([a-z0-9]+(?:-[a-z0-9]+)+)\]$", block, re.MULTILINE)) <= CODES
    assert {target.partition("#")[2] for target in links(page) if "rules.md#" in target} <= CODES


def printed(report: Report) -> str:
    return in_terminal(report, 140)  # as in a pipe, whatever the width of the test run's own


def changed(folder: Path, old: str, new: str) -> StackLocation:
    """The development stack with one text replaced."""
    before = text(DEV)
    assert old in before
    file = folder / DEV.name
    file.write_text(before.replace(old, new), encoding="utf-8")
    return StackLocation("dev", file, ROOT)


@pytest.fixture(scope="module")
def dev():
    return plan(locate(str(DEV)), NOW).report


@pytest.fixture(scope="module")
def compared(dev, tmp_path_factory):
    location = changed(tmp_path_factory.mktemp("changed"), "g6.2xlarge", "g6.4xlarge")
    after = plan(location, NOW).report
    return after.model_copy(update={"changes": changes(dev, after, "HEAD")})


def quoted(page: Path, mark: str) -> str:
    """The one block of output on ``page`` that holds ``mark``."""
    (found,) = [block for block in blocks(page, "text") if mark in block]
    return found


def test_the_readme_shows_the_plan_of_today(dev):
    shown = quoted(README, "├── aws:ec2:LaunchTemplate  l4-shared")

    assert CUT in shown
    assert is_shown_of(shown, printed(dev))


def test_the_readme_shows_a_comparison_of_today(compared):
    assert is_shown_of(quoted(README, "Changes against"), printed(compared))


def test_costs_are_those_of_today(dev):
    assert is_shown_of(quoted(ROOT / "docs" / "costs.md", "EKS control plane"), printed(dev))


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "sharing.md"], ids=name)
def test_ten_replicas_are_answered_so(page, tmp_path):
    found = check_stack(changed(tmp_path, "replicas: 4", "replicas: 10"), NOW).report

    assert is_shown_of(quoted(page, "10 x 3.80"), printed(found))


def answered(fragment: Mapping[str, Any], folder: Path) -> str:
    """What `accel check` prints of a stack file with the fragment, without numbers of lines."""
    file = folder / "Pulumi.fragment.yaml"
    file.write_text(yaml.safe_dump({"config": {**MINIMAL, **fragment}}), encoding="utf-8")
    return without_lines(printed(check_stack(StackLocation("fragment", file, ROOT), NOW).report))


def without_lines(text: str) -> str:
    return re.sub(r" \(line \d+\)", "", text)


def test_an_unconfirmed_purchase_is_answered_so(tmp_path):
    page = ROOT / "docs" / "capacity-blocks.md"
    (fragment,) = [config for _, config in fragments(page) if "purchase" in str(config)]

    assert is_shown_of(without_lines(quoted(page, "not confirmed")), answered(fragment, tmp_path))


SHARING = [
    *("h100-whole", "l4-part", "l4-shared: timeSlicing", "l4-shared: mps", "h100-divided: mig"),
    "[sharing-memory-not-enforced]",
]


@pytest.mark.parametrize("mark", SHARING)
def test_sharing_is_answered_so(mark, tmp_path):
    """By the last stack file that the page shows before."""
    page = ROOT / "docs" / "sharing.md"
    shown = quoted(page, mark)
    before = [block for block in blocks(page, "yaml") if text(page).index(block) < text(page).index(shown)]

    assert is_shown_of(without_lines(shown), answered(yaml.safe_load(before[-1])["config"], tmp_path))


def always_one(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
    """With a server of `qwen` at all hours."""
    changed = copy.deepcopy(dict(fragment))
    changed["eks-accelerators:workloads"]["vllm"]["qwen"]["autoscaling"]["min"] = 1
    return changed


def test_servers_that_follow_their_load_are_answered_so(tmp_path):
    page = ROOT / "docs" / "autoscaling.md"
    (_, fragment), (_, by_hours) = fragments(page)

    assert is_shown_of(quoted(page, "by their load"), answered(fragment, tmp_path))
    assert "scheduled-scaling-waits" not in answered(by_hours, tmp_path)
    assert "scheduled-scaling-waits" in answered(always_one(by_hours), tmp_path)


def test_nodes_of_every_kind_are_shown_as_their_groups_promise():
    """What the simulator shows of such a cluster is in tests/simulator/test_sharing.py."""
    page = ROOT / "docs" / "sharing.md"
    rows = re.split(r"\n(?=ip-)", quoted(page, "accelerators: free of all"))[1:]
    shown = {
        row.split()[3]: {name: int(count) for name, count in re.findall(r"(nvidia\S+)\s+\d+\s+of\s+(\d+)", row)}
        for row in rows
    }
    (fragment,) = [config for _, config in fragments(page) if "by-mps" in str(config)]
    groups = resolve_stack(parsed(fragment)).groups

    assert {name: resources for name, resources in shown.items() if resources} == {
        name: dict(group.resources) for name, group in groups.items()
    }


def parsed(fragment: Mapping[str, Any]) -> Settings:
    """The settings of a minimal stack file with the fragment."""
    values = {key.partition(":")[2]: value for key, value in {**MINIMAL, **fragment}.items() if key != "aws:region"}
    settings = parse(values, MINIMAL["aws:region"], now=NOW).settings
    assert settings is not None
    return settings


def test_claims_are_counted_so(tmp_path):
    page = ROOT / "docs" / "dynamic-resource-allocation.md"
    (fragment,) = [config for _, config in fragments(page) if "qwen" in str(config)]

    assert is_shown_of(quoted(page, "by claim"), answered(fragment, tmp_path))


def test_a_cut_is_a_cut_and_nothing_more():
    assert is_shown_of(f"a\n{CUT}\nc\n", "a  \n\nb\nc")
    assert not is_shown_of(f"c\n{CUT}\na\n", "a\nb\nc")
    assert not is_shown_of("a\nc\n", "a\nb\nc")


def own_section(heading: str) -> str:
    """The section of the page about JSON whose heading is so."""
    found = re.split(r"^## ", text(JSON_PAGE), flags=re.MULTILINE)
    return next(one for one in found if one.startswith(heading))


def test_the_codes_of_what_is_refused_are_documented():
    section = text(JSON_PAGE).partition("#### `refused[]`")[2].partition("\n###")[0]

    assert tuple(re.findall(r"^\| ([a-z]+(?:-[a-z]+)+) \|", section, re.MULTILINE)) == REFUSED_CODES


MIG_CHECKS = [("p5.48xlarge", "3g.40gb=2,1g.10gb=1"), ("p5.48xlarge", "3g.40gb=1,1g.20gb=2")]


def test_the_codes_of_mig_layouts_are_documented():
    section = own_section("`accel mig check`")

    assert set(re.findall(r"`(mig-[a-z]+)`", section)) == {*mig.CODES, "mig-bottlerocket"}


@pytest.mark.parametrize("arguments", MIG_CHECKS)
def test_mig_layouts_are_answered_so(arguments):
    page = ROOT / "docs" / "sharing.md"
    shown = CliRunner().invoke(app, ["mig", "check", *arguments]).stdout

    assert ["mig", "check", *arguments] in [words for _, words in shell_commands(page)]
    assert shown in list(blocks(page, "text"))


FITS = [
    ("--model", "meta-llama/Llama-3.2-1B", "--context", "65536", "--concurrency", "8", "--instances", "p5"),
    ("--model", "meta-llama/Llama-3.3-70B-Instruct", "--instances", "g6,g6e,p5", "--best"),
]


@pytest.mark.parametrize("arguments", FITS)
def test_what_fits_is_answered_so(arguments):
    page = ROOT / "docs" / "sharing.md"
    shown = CliRunner(env={"COLUMNS": ""}).invoke(app, ["fit", *arguments]).stdout
    language = "yaml" if "--best" in arguments else "text"

    assert ["fit", *arguments] in [words for _, words in shell_commands(page)]
    assert any(is_shown_of(block, shown) and is_shown_of(shown, block) for block in blocks(page, language))


def test_the_codes_of_what_fits_are_documented():
    assert set(re.findall(r"`(fit-[a-z-]+)`", own_section("`accel fit`"))) == set(FIT_CODES)


def test_a_configuration_is_answered_so(tmp_path):
    page = ROOT / "docs" / "sharing.md"
    (shown,) = [block for block in blocks(page, "yaml") if "renamebyDefault" in block]
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(shown, encoding="utf-8")
    bad.write_text(shown.replace("replicas: 4", 'replicas: "4"'), encoding="utf-8")
    for_a_type, on_auto_mode = ["--instance-type", "g6.12xlarge"], ["--nodes", "auto-mode"]
    for options, files in ((for_a_type, (good, bad)), (on_auto_mode, (good,))):
        assert ["sharing", "check", "plugin.yaml", *options] in [words for _, words in shell_commands(page)]
        for file in files:
            assert sharing_answer(file, options) in list(blocks(page, "text"))


def test_values_of_a_chart_are_answered_so(tmp_path):
    page = ROOT / "docs" / "sharing.md"
    (shown,) = [block for block in blocks(page, "yaml") if block.startswith("driver:")]
    (tmp_path / "values.yaml").write_text(shown, encoding="utf-8")
    options = ["--chart", "gpu-operator", "--instance-type", "p5.48xlarge"]

    assert ["sharing", "check", "values.yaml", *options] in [words for _, words in shell_commands(page)]
    assert sharing_answer(tmp_path / "values.yaml", options) in list(blocks(page, "text"))


def sharing_answer(file: Path, options: list[str]) -> str:
    return CliRunner().invoke(app, ["sharing", "check", str(file), *options]).stdout


def test_the_codes_of_configurations_are_documented():
    section = own_section("`accel sharing check`").partition("Codes of")[2]

    assert {*device_plugin.CODES, *device_plugin.CHART_CODES} <= set(re.findall(r"`([a-z0-9-]+)`", section))


@pytest.mark.parametrize("component", components.ALL, ids=lambda component: component.__name__)
def test_arguments_and_outputs_of_components_are_documented(component):
    section = re.split(r"^## ", text(COMPONENTS_PAGE), flags=re.MULTILINE)
    (own,) = [part for part in section if part.startswith(f"{component.__name__}\n")]
    rows = re.findall(r"^\| `([^`]+)` \|", own, re.MULTILINE)
    arguments = getattr(components, f"{component.__name__}Args").__annotations__
    outputs = [key for key, kind in component.__annotations__.items() if "Output" in str(kind)]

    assert rows == [*arguments, *outputs]
    assert re.search(r"\n\n\w.+\n\n\*\*Providers\*\*: .+\. \*\*Alone\*\*: .+\.\n\n", own), "what it makes, and for whom"
