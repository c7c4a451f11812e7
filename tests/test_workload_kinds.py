"""A kind of workload is found from one registry; what a new one lacks is named."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import get_args

import pytest

from eks_accelerators import components
from eks_accelerators.components.workload_component import WorkloadComponent
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
    kind = KINDS.get(model)
    if kind is None:
        yield "an entry in settings.workload_kinds.KINDS"
        return
    yield from component_lacks(kind.component)
    page = ROOT / "docs" / kind.page
    if not page.is_file() or kind.key not in page.read_text(encoding="utf-8"):
        yield f"docs/{kind.page}, with workloads.{kind.key}"
    if issubclass(model, Server):
        yield from server_lacks(model, kind)


def component_lacks(name: str) -> Iterator[str]:
    """What is still to be written for the component that a kind names."""
    component = getattr(components, name, None)
    if component not in components.ALL:
        yield f"the component {name} in components/, which `make generated` adds to its __init__.py"
    elif not issubclass(component, WorkloadComponent) or not overrides(component, "inputs_of"):
        yield f"inputs_of of {name}: what it takes, of a workload of a stack"
    if component not in EXAMPLES:
        yield f"valid arguments of {name} in tests/components/examples.py"


def overrides(component: type[WorkloadComponent], method: str) -> bool:
    return getattr(component, method).__func__ is not getattr(WorkloadComponent, method).__func__


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
    assert set(KINDS) == set(MODELS)
    assert len({kind.component for kind in KINDS.values()}) == len(KINDS)
    assert {kind.component for kind in KINDS.values()} == {
        component.__name__ for component in components.ALL if issubclass(component, WorkloadComponent)
    }


def test_what_a_new_kind_lacks_is_named():
    class MadeUp(Workload):
        """A kind that only this test has."""

        namespace: str = "made-up"

    assert list(lacks(MadeUp)) == [
        "a field of settings.model.workloads.Workloads",
        "an entry in settings.workload_kinds.KINDS",
    ]


def test_what_the_component_of_a_new_kind_lacks_is_named():
    assert list(component_lacks("NotWritten")) == [
        "the component NotWritten in components/, which `make generated` adds to its __init__.py",
        "valid arguments of NotWritten in tests/components/examples.py",
    ]
    assert list(component_lacks("Keda")) == ["inputs_of of Keda: what it takes, of a workload of a stack"]


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
