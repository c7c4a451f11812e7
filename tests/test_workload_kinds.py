"""A kind of workload is found from one registry; what a new one lacks is named."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import get_args

import pytest

from eks_accelerators import components
from eks_accelerators.components import workload_kinds as deployed_kinds
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.settings.fit import pod_fit
from eks_accelerators.settings.generated_files import ROOT
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.server_kinds import NoMetrics, ServerKind, ServerMetrics
from eks_accelerators.settings.server_starts import unknown_start
from eks_accelerators.settings.workload_kinds import KINDS, WorkloadKind, server_kind
from eks_accelerators.simulator.load import kinds as load
from eks_accelerators.simulator.metrics.fault_kinds import OF_REAL_PROGRAMS
from eks_accelerators.simulator.metrics.load import UNDER_LOAD
from eks_accelerators.simulator.metrics.sources import SOURCES
from tests.components.examples import EXAMPLES
from tests.model_servers import ASKED

MODELS = [get_args(info.annotation)[1] for info in Workloads.model_fields.values()]


def lacks(model: type[Workload]) -> Iterator[str]:
    """What is still to be written for a kind of workload, by name."""
    if model not in MODELS:
        yield "a field of settings.model.workloads.Workloads"
    kind, deployed = KINDS.get(model), deployed_kinds.KINDS.get(model)
    if kind is None:
        yield "an entry in settings.workload_kinds.KINDS"
    if deployed is None:
        yield "an entry in components.workload_kinds.KINDS"
    if kind is None or deployed is None:
        return
    component = deployed.component
    if component.__name__ != kind.component:
        yield f"one component: {kind.component} in settings, {component.__name__} in components"
    if component not in components.ALL:
        yield f"{kind.component} in components/__init__.py, which `make generated` writes"
    if component not in EXAMPLES:
        yield f"valid arguments of {kind.component} in tests/components/examples.py"
    page = ROOT / "docs" / kind.page
    if not page.is_file() or kind.key not in page.read_text(encoding="utf-8"):
        yield f"docs/{kind.page}, with workloads.{kind.key}"
    if issubclass(model, Server):
        yield from server_lacks(model, kind)


def server_lacks(model: type[Server], kind: WorkloadKind) -> Iterator[str]:
    """What is still to be written for one that is a server."""
    if not getattr(model, "PROGRAM", ""):
        yield f"PROGRAM of {model.__name__}"
        return
    if kind.server is None:
        yield from (f"{field.name} of its ServerKind in settings.workload_kinds.KINDS" for field in fields(ServerKind))
    else:
        yield from metrics_lack(model.PROGRAM, kind.server.metrics)
    if (model in load.KINDS) == (model in load.REFUSED):
        yield "an entry in simulator.load.kinds: KINDS, or REFUSED with the reason"
    if model in load.KINDS and model.PROGRAM not in UNDER_LOAD:
        yield f"{model.PROGRAM} in simulator.metrics.load.UNDER_LOAD"
    if not load.REFUSED.get(model, "a reason"):
        yield "the reason in simulator.load.kinds.REFUSED"
    if model in MODELS and kind.key not in ASKED:
        yield f"what {kind.key} has to be told, in tests/model_servers.py"


def metrics_lack(program: str, metrics: ServerMetrics | NoMetrics) -> Iterator[str]:
    """What is still to be written so that its metrics are known, or so that it is known why there are none."""
    if isinstance(metrics, NoMetrics):
        if not metrics.reason:
            yield "the reason of its NoMetrics"
    elif program not in set(Exporter):
        yield f"{program} in monitoring.metrics.Exporter, or NoMetrics with the reason"
    elif Exporter(program) not in {*SOURCES, *OF_REAL_PROGRAMS}:
        yield f"{program} in simulator.metrics.sources"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_kind_lacks_nothing(model):
    assert list(lacks(model)) == []


def test_no_kind_is_left_over():
    assert set(KINDS) == set(deployed_kinds.KINDS) == set(MODELS)


def test_what_a_new_kind_lacks_is_named():
    class MadeUp(Workload):
        """A kind that only this test has."""

        namespace: str = "made-up"

    assert list(lacks(MadeUp)) == [
        "a field of settings.model.workloads.Workloads",
        "an entry in settings.workload_kinds.KINDS",
        "an entry in components.workload_kinds.KINDS",
    ]


class MadeUpServer(Server):
    """A kind of server that only these tests have."""

    PROGRAM = "made-up"
    namespace: str = "made-up"


def made_up(server):
    return WorkloadKind(MadeUpServer, pod_fit, "MadeUp", "serves_on", "ServerWiring", "servers.md", server)


OF_LOAD = "an entry in simulator.load.kinds: KINDS, or REFUSED with the reason"
SAID = ServerKind(unknown_start, lambda server: None, NoMetrics("it shows none"))


@pytest.mark.parametrize(
    ("server", "lacking"),
    [
        pytest.param(
            None,
            [
                "start of its ServerKind in settings.workload_kinds.KINDS",
                "question of its ServerKind in settings.workload_kinds.KINDS",
                "metrics of its ServerKind in settings.workload_kinds.KINDS",
                OF_LOAD,
            ],
            id="nothing",
        ),
        pytest.param(SAID, [OF_LOAD], id="all but load"),
        pytest.param(replace(SAID, metrics=NoMetrics("")), ["the reason of its NoMetrics", OF_LOAD], id="no reason"),
        pytest.param(
            replace(SAID, metrics=ServerMetrics(8000)),
            ["made-up in monitoring.metrics.Exporter, or NoMetrics with the reason", OF_LOAD],
            id="unknown exporter",
        ),
    ],
)
def test_what_a_new_server_lacks_is_named(server, lacking):
    assert list(server_lacks(MadeUpServer, made_up(server))) == lacking


def test_one_under_load_is_not_taken_to_work_all_the_time(monkeypatch):
    monkeypatch.setattr(load, "KINDS", {MadeUpServer: lambda placed, seconds: None})

    assert list(server_lacks(MadeUpServer, made_up(SAID))) == ["made-up in simulator.metrics.load.UNDER_LOAD"]


def test_a_server_of_which_nothing_is_said_is_an_error_and_not_silence(monkeypatch):
    monkeypatch.setitem(KINDS, MadeUpServer, made_up(None))

    with pytest.raises(LookupError, match=r"MadeUpServer: .*workload_kinds\.KINDS has no ServerKind"):
        server_kind(MadeUpServer(node_group="gpu"))


def test_kinds_that_run_one_program_show_the_same():
    shown = {(model.PROGRAM, repr(kind.server.metrics)) for model, kind in KINDS.items() if issubclass(model, Server)}

    assert len(shown) == len({program for program, _ in shown})
