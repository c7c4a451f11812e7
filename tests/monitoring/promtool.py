"""Prometheus' own judge of rules, where `make engines MORE=1` has got it."""

import subprocess

import pytest
import yaml

from eks_accelerators.simulator.engines import optional

PROMTOOL = optional("promtool")
needs_promtool = [
    pytest.mark.engines,
    pytest.mark.skipif(PROMTOOL is None, reason="missing promtool. Run `make engines MORE=1`, or put it on PATH"),
]
"""Marks of tests that ask it. It is not among the engines that a simulation needs, so that CI may be without it."""


def promtool(*arguments):
    """What it says, and whether it agrees."""
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def judged(folder, rules, tests):
    """Why promtool does not agree that the rules of a file do what ``tests`` say; empty where it does."""
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    order = [group["name"] for group in yaml.safe_load(rules)["groups"]]
    asked = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "group_eval_order": order,
        "fuzzy_compare": True,
        "tests": tests,
    }
    (folder / "tests.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    code, said = promtool("test", "rules", str(folder / "tests.yaml"))
    return "" if code == 0 else said
