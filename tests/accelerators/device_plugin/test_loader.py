"""We say of every configuration file what the plugin's own loader has said of it.

The answers are those of v0.19.3, the newest release that could be had as a Go module; `record.py` asks again. What
v0.20.0 changed has its cases in `test_judge.py`.
"""

import json
from pathlib import Path

import pytest

from eks_accelerators.accelerators.device_plugin import ConfigurationRefusedError, Flags, judge, load_text
from tests.accelerators.device_plugin.cases import cases

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))["answers"]
CASES = {name: (content, environment) for name, content, environment in cases()}


def ours(content, environment):
    try:
        loaded = load_text(content, Flags.of(environment))
    except ConfigurationRefusedError:
        return {"accepted": False}
    return {
        "accepted": True,
        "strategy": loaded.strategy,
        "migStrategy": loaded.mig_strategy,
        "deviceListStrategy": list(loaded.device_list_strategies),
        "deviceIDStrategy": loaded.device_id_strategy,
        "deviceDiscoveryStrategy": loaded.device_discovery_strategy,
        "mpsRoot": loaded.mps_root,
        "imexChannels": list(loaded.imex_channels),
        "resources": [
            [one.name, one.replicas, one.advertised_as] for one in (loaded.section.resources if loaded.section else ())
        ],
    }


def test_every_case_has_an_answer():
    assert set(ANSWERS) == set(CASES)
    assert len(ANSWERS) > 150
    assert 150 < sum(answer["accepted"] for answer in ANSWERS.values()) < len(ANSWERS) - 150


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_loader_s_answer(name):
    expected = {key: value for key, value in ANSWERS[name].items() if key not in ("message", "warnings")}

    assert ours(*CASES[name]) == expected


@pytest.mark.parametrize("name", [name for name, answer in ANSWERS.items() if answer.get("warnings")])
def test_what_the_loader_warns_of_is_reported_as_ignored(name):
    found = judge(CASES[name][0])

    words = {"resources": "resources.", "rename": ".rename", "devices": ".devices"}
    for warning in ANSWERS[name]["warnings"]:
        (key,) = [key for key in words if f"'{key}' field" in warning]
        without_effect = [path for path in found.ignored if words[key] in path]
        # A rename to what the resource is called anyway is no loss, nor one that a key in another spelling has left.
        text = CASES[name][0].decode()
        assert without_effect or (key == "rename" and ("rename: gpu" in text or "rename:" not in text)), warning
