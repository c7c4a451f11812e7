"""Prometheus' own judge of rules, where `make engines MORE=1` has got it."""

import subprocess

import pytest
import yaml

from eks_accelerators.monitoring.rule_files import as_rule_file, as_text
from eks_accelerators.simulator.engines import optional

PROMTOOL = optional("promtool")
needs_promtool = [
    pytest.mark.engines,
    pytest.mark.skipif(PROMTOOL is None, reason="missing promtool. Run `make engines MORE=1`, or put it on PATH"),
]
"""Marks of tests that ask it. It is not among the engines that a simulation needs, so that CI may be without it."""


def promtool(*arguments):
    """What it says, and whether it agrees."""
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def rule_file(folder, groups):
    """The path of a file with the rules of ``groups``."""
    path = folder / "rules.yaml"
    path.write_text(as_text(as_rule_file(groups)), encoding="utf-8")
    return str(path)


def judged(folder, groups, tests):
    """Why promtool does not agree that the rules of ``groups`` do what ``tests`` say; empty where it does."""
    rules = rule_file(folder, groups)
    order = [group["name"] for group in as_rule_file(groups)["groups"]]
    asked = {
        "rule_files": [rules],
        "evaluation_interval": "1m",
        "group_eval_order": order,
        "fuzzy_compare": True,
        "tests": tests,
    }
    (folder / "tests.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    code, said = promtool("test", "rules", str(folder / "tests.yaml"))
    return "" if code == 0 else said
