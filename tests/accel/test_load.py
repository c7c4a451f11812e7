"""What can be asked with `accel simulate STACK load`, and how a load is shown."""

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.reports.load import LoadReport
from eks_accelerators.accel.simulate.load_chart import chart, moment
from eks_accelerators.accel.simulate.load_hours import asleep
from eks_accelerators.accel.simulate.load_picture import picture
from eks_accelerators.accel.simulate.load_question import LoadQuestionError, load_question
from eks_accelerators.accel.simulate.load_render import timeline
from eks_accelerators.accel.simulate.load_result import doubts_of
from eks_accelerators.accel.simulate.options import LoadOptions
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.load.timed_faults import parse_timed
from eks_accelerators.simulator.metrics.faults import FaultError
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.written_file import WrittenFileError
from tests.accel.plans import ROOT
from tests.accel.plans import text as terminal
from tests.simulator.lives import to
from tests.simulator.worlds import stack_file

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def question(stack="dev", **options):
    resolved = load_stack_file(ROOT / "stacks" / f"Pulumi.{stack}.yaml", NOW).stack
    return load_question(resolved, LoadOptions(**options))


def test_the_usual_question():
    asked = question()

    assert (asked.server.name, asked.profile.lasts, asked.profile.steps[0].requests) == ("llama", 1800, 40)
    assert asked.needs.engines == ("prometheus",)
    assert any("autoscaling" in line for line in asked.needs.without)


def test_what_takes_part_follows_from_the_stack():
    """Staging follows its load, and has a group that Cluster Autoscaler scales."""
    needs = question("staging").needs

    assert set(needs.engines) == {"prometheus", "keda-operator", "keda-metrics-server", "cluster-autoscaler"}
    assert needs.without == ()


def test_both_node_autoscalers_may_take_part(tmp_path):
    """Each looks after groups of its own."""
    pool = {"instanceType": "g6.2xlarge", "size": {"max": 1}, "autoscaler": "karpenter"}
    file = stack_file(tmp_path, "staging", to("nodeGroups.l4", pool))

    asked = load_question(load_stack_file(file, NOW).require(), LoadOptions())

    assert [each.engine for each in asked.needs.node_autoscalers] == ["cluster-autoscaler", "karpenter"]
    assert asked.needs.engines[-2:] == ("cluster-autoscaler", "karpenter")


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"server": "lama"}, LoadQuestionError, "--server: found 'lama'; allowed: llama; did you mean llama?"),
        ({"lasts": "soon"}, LoadQuestionError, "--for: found 'soon'; write a duration such as 30m"),
        *(
            ({"lasts": text}, LoadQuestionError, f"--for: found '{text}'; allowed: 1s to 24h; write 30m")
            for text in ("0m", "25h")
        ),
        *(
            (
                {"requests": count},
                LoadQuestionError,
                f"--requests: found {count}; allowed: 0 to 5,000 in flight; write 40",
            )
            for count in (-1, 5001)
        ),
        ({"requests": 1, "profile": Path("x")}, LoadQuestionError, "--profile: the file says how much"),
        ({"profile": Path("none.yaml")}, WrittenFileError, "--profile none.yaml: 1 problem"),
        ({"pace": 1000.0}, LoadQuestionError, "--pace: found 1000; allowed: 1 to 120"),
        ({"faults": ("xid",)}, FaultError, "--fault xid: found no value; allowed: a number from 1 to 999"),
        (
            {"faults": ("neuron=hardware:l4-shared",)},
            FaultError,
            "found 'l4-shared', nodes of g6.2xlarge; allowed: neuron on no node group of this stack; on l4-shared one of xid,",
        ),
        (
            {"faults": ("neuron@+5m",)},
            FaultError,
            "--fault neuron: found no node group that has it; allowed: neuron on no node group of this stack; write another",
        ),
        (
            {"stack": "staging", "faults": ("neuron-ecc:l4-shared@+5m",)},
            FaultError,
            "--fault neuron-ecc:l4-shared: found 'l4-shared', nodes of g6.2xlarge; allowed: neuron-ecc on inf2, trn1; on l4-",
        ),
        (
            {"stack": "staging", "faults": ("xid=79:inf2",)},
            FaultError,
            "found 'inf2', nodes of inf2.xlarge; allowed: xid on l4-shared; on inf2 one of slow-volume, neuron, neuron-ecc,",
        ),
        (
            {"faults": ("no-capacity:l4-shared/us-east-2c",)},
            FaultError,
            "found 'us-east-2c'; allowed: us-east-2a, us-east-2b; write no-capacity:l4-shared/us-east-2a, or no-capacity:l4-shared for",
        ),
        ({"faults": ("xid=79@2h",)}, LoadQuestionError, "--fault xid=79: found 7200 s; allowed: before the load ends"),
    ],
)
def test_what_cannot_be_asked(options, error, said):
    with pytest.raises(error) as raised:
        question(**options)

    assert said in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "neuron",
        "neuron-ecc:trn1@+5m",
        "xid=79:ip-10-0-0-1.ec2.internal",
        "no-capacity:inf2",
        "no-capacity:l4-shared/us-east-2c",
    ],
)
def test_a_fault_that_finds_its_node_group(text):
    assert question("staging", faults=(text,)).faults


def test_a_fault_without_a_node_group_ends_before_anything_starts(tmp_path):
    result = CliRunner().invoke(
        app, ["simulate", "dev", "load", "--fault", "neuron:l4-shared", "--state", str(tmp_path / "state")]
    )

    assert (result.exit_code, (tmp_path / "state").exists()) == (2, False)
    assert "--fault neuron:l4-shared: found 'l4-shared'" in result.stderr.replace("\n", " ")


def test_a_file_that_holds_no_load_ends_before_anything_starts(tmp_path):
    file = tmp_path / "day.yaml"
    file.write_text("for: 30m\nsteps: [{requests: many}]")

    result = CliRunner().invoke(
        app, ["simulate", "dev", "load", "--profile", str(file), "--state", str(tmp_path / "state")]
    )

    assert (result.exit_code, (tmp_path / "state").exists()) == (2, False)
    assert f"--profile {file}: 1 problem\nerror: steps[0].requests (line 2): expected a whole number" in result.stderr


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (".", "found a folder; allowed: a file in a folder that is there; write {}/load.svg"),
        ("none/day.svg", "there is no folder {}/none; allowed: a file in a folder that is there; make it first"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_told_before_anything_starts(tmp_path, picture, said):
    file = tmp_path / picture

    result = CliRunner().invoke(
        app, ["simulate", "dev", "load", "--picture", str(file), "--state", str(tmp_path / "state")]
    )

    assert (result.exit_code, (tmp_path / "state").exists()) == (2, False)
    assert f"--picture {file}: {said.format(tmp_path)}" in result.stderr.replace("\n", " ")


def test_longer_than_the_server_takes(tmp_path):
    file = tmp_path / "long.yaml"
    file.write_text(
        "for: 10m\nsteps: [{requests: 1}, {at: 1m, requests: 1, promptTokens: 4000}, {at: 2m, requests: 1, outputTokens: 3000}]"
    )

    with pytest.raises(LoadQuestionError) as raised:
        question(profile=file)

    assert str(raised.value).splitlines() == [
        f"steps[{step}]: {asked} on average are up to {most} tokens; workloads.vllm.llama.maxModelLen allows 4096: write a "
        "--profile with fewer"
        for step, asked, most in (
            (1, "4000 promptTokens and 256 outputTokens", 6384),
            (2, "512 promptTokens and 3000 outputTokens", 5268),
        )
    ]


def test_a_server_that_spans_nodes_is_not_modelled():
    resolved = load_stack_file(ROOT / "examples" / "large-model" / "Pulumi.large.yaml", NOW).stack

    with pytest.raises(LoadQuestionError, match="found llama-405b, which spans 2 nodes"):
        load_question(resolved, LoadOptions())


@pytest.mark.parametrize(
    ("stack", "now", "why"),
    [
        pytest.param(
            "dev", "2026-11-24T12:00", "no server of llama is deployed; run `accel simulate dev up`", id="always-some"
        ),
        pytest.param("staging", "2026-11-24T12:00", None, id="within-its-hours"),
        pytest.param("staging", "2026-11-24T06:00", None, id="its-hours-begin-meanwhile"),
        pytest.param(
            "staging",
            "2026-11-27T20:00",  # a Friday
            "llama.autoscaling.min is 0, and its schedule keeps no server at 2026-11-27T20:00Z, nor before 2026-11-30T06:15Z; use --at",
            id="at-the-weekend",
        ),
    ],
)
def test_servers_that_are_not_there_at_its_time(stack, now, why):
    moment_of_load = datetime.fromisoformat(now).replace(tzinfo=UTC)

    assert asleep(stack, "llama", question(stack).scaling, moment_of_load, 1800) == why


def test_options_of_a_load_go_with_it_alone():
    result = CliRunner().invoke(app, ["simulate", "dev", "up", "--requests", "4"])

    assert result.exit_code == 2
    assert "go with the action load" in result.stderr


def sample(at, ready, waiting=0, alerts=(), **more):
    return {
        "at": at,
        "in_flight": 40,
        "running": 40 - waiting,
        "waiting": waiting,
        "replicas": ready,
        "ready": ready,
        "starting": 0,
        "unscheduled": 0,
        "nodes": {"l4-shared": 1, "system": 2},
        "alerts": alerts,
        "usd_per_hour": 1.3,
        **more,
    }


REPORT = LoadReport.model_validate(
    {
        "stack": "dev",
        "region": "us-east-2",
        "server": "llama",
        "state": ".simulations/dev",
        "clock": NOW,
        "seconds": 600,
        "pace": 30.0,
        "held": True,
        "objective": "the first token within 2.5 s for 99 of 100 requests",
        "steps": [{"at": 0, "ends": 600, "load": "40 requests in flight", "restored": 250}],
        "parts": [{"name": "HPA sync", "seconds": 15, "source": "interval"}],
        "samples": [sample(0, 1, 24), sample(120, 1, 24, ("VllmFirstTokenSlow",)), sample(250, 4), sample(590, 4)],
        "events": [
            {"at": 0, "kind": "load", "what": "40 requests in flight"},
            {"at": 120, "kind": "alert", "what": "VllmFirstTokenSlow fires"},
            {"at": 250, "kind": "pods", "what": "servers that answer 1 → 4"},
        ],
        "totals": {
            "asked": 100,
            "answered": 90,
            "broken_off": 0,
            "slow": 25,
            "output_tokens_per_second": 700,
            "usd": 0.2,
            "unknown": (),
        },
        "without": ("pods that follow the load",),
        "doubts": ("a slow machine",),
        "models": ("speed",),
        "chart": "",
    }
)


@pytest.mark.parametrize(
    ("firing", "told"),
    [
        ((), "40 requests in flight"),
        (("CapacityBlockEnding",), "firing from the start: CapacityBlockEnding; 40 requests in flight"),
        (
            ("CapacityBlockEnding", "GpuHealthFailed"),
            "firing from the start: CapacityBlockEnding, GpuHealthFailed; 40 requests in flight",
        ),
    ],
)
def test_the_first_line_tells_what_fires_already(firing, told):
    """No event is written of what did not change."""
    first, *others = REPORT.samples

    rows = timeline(REPORT.model_copy(update={"samples": (first.model_copy(update={"alerts": firing}), *others)}))

    assert (rows[0]["what"], rows[1]["what"]) == (told, "VllmFirstTokenSlow fires")


def test_a_load_in_words():
    shown = terminal(REPORT)

    assert "0:00  40 requests in flight: the objective holds after 4:10" in shown
    assert "a new server takes 0:15: HPA sync 0:15" in shown
    assert "VllmFirstTokenSlow fires" in shown
    assert "100 requests, 90 answered, 25.0% with a first token that came late" in shown
    assert "Without: pods that follow the load" in shown
    assert "Doubtful: a slow machine" in shown
    assert "the objective holds after 4:10" in markdown(REPORT)


XID, NO_CAPACITY = (parse_timed(text, ("l4-shared",)) for text in ("xid=79:l4-shared", "no-capacity:l4-shared"))


@pytest.mark.parametrize(
    ("missed", "faults", "doubted"),
    [
        pytest.param(0.08, (), True, id="too-slow"),
        pytest.param(0.08, (NO_CAPACITY,), True, id="and-a-fault-of-ec2"),
        pytest.param(0.08, (XID,), False, id="a-fault-may-be-why"),
        pytest.param(0.01, (), False, id="now-and-then"),
        pytest.param(None, (), False, id="nobody-knows"),
    ],
)
def test_a_machine_that_is_too_slow_is_told(missed, faults, doubted):
    told = list(doubts_of(missed, Pace(30), faults))

    assert [("missed 8% of its looks" in each, each.endswith("write --pace 15")) for each in told] == (
        [(True, True)] if doubted else []
    )


def test_a_load_in_lines():
    lines = chart(REPORT.samples, 600, columns=10).splitlines()

    assert lines[1] == "waiting    █████       24"
    assert lines[3] == "answering  ▂▂▂▂██████  4"
    assert lines[5] == "alerts       ███       1"


@pytest.mark.parametrize(("seconds", "said"), [(0, "0:00"), (59.6, "1:00"), (754, "12:34"), (3601, "1:00:01")])
def test_moments(seconds, said):
    assert moment(seconds) == said


def test_the_picture_is_a_whole_page_without_anything_from_elsewhere():
    page = picture(REPORT)
    root = ET.fromstring(page)
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]

    assert {"requests", "servers", "nodes", "USD per hour", "VllmFirstTokenSlow", "40 requests in flight"} <= set(texts)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}rect[@class='alert']")) == 1
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page


def test_an_alert_is_one_bar_for_each_time_it_fires():
    alerts = [("Slow",), ("Slow",), (), ("Slow",)]
    samples = tuple(
        REPORT.samples[0].model_copy(update={"at": 150 * number, "alerts": firing})
        for number, firing in enumerate(alerts)
    )

    root = ET.fromstring(picture(REPORT.model_copy(update={"samples": samples})))

    bars = root.findall(".//{http://www.w3.org/2000/svg}rect[@class='alert']")
    assert [(bar.get("x"), bar.get("width")) for bar in bars] == [("96", "400"), ("696", "200")]


def test_what_others_wrote_does_nothing_in_a_picture():
    page = picture(REPORT.model_copy(update={"server": "</text><script>", "stack": "a\x1b[31m"}))

    assert "<script>" not in page
    assert "\x1b" not in page
