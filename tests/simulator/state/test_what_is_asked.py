"""The CLI asks the state service and nobody else: no update check, no telemetry, no console."""

import http.server
import threading

import pytest

from eks_accelerators.simulator.engine import Engine, Program
from eks_accelerators.simulator.state.service import StateService
from tests.simulator.state.test_against_the_engine import PROJECT, STACK, beginning, edited, unprotected
from tests.simulator.state.things import things

pytestmark = pytest.mark.slow


@pytest.fixture
def proxied(monkeypatch):
    """Whom the CLI asks beyond 127.0.0.1: a proxy hears it, to which all is sent that is not for this machine."""
    heard = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def answer(self):
            heard.append(self.path)
            self.send_error(502)

        do_CONNECT = do_GET = do_POST = do_HEAD = answer  # noqa: N815

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{server.server_port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "127.0.0.1,localhost")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield heard
        server.shutdown()


@pytest.fixture
def services(monkeypatch):
    """Every state service that is started."""
    started, begin = [], StateService.__enter__

    def note(service):
        started.append(service)
        return begin(service)

    monkeypatch.setattr(StateService, "__enter__", note)
    return started


def test_nobody_else_is_asked(engines, tmp_path, proxied, services):
    engine = Engine(engines["pulumi"], tmp_path)
    life = [("preview", beginning), ("up", beginning), ("preview", edited), ("up", edited), ("refresh", edited)]
    with things() as (_, addresses):
        for action, run in [*life, ("up", unprotected), ("destroy", unprotected)]:
            outcome = engine.run(action, Program(run, PROJECT, STACK, {}), addresses)
            assert outcome.ok, outcome.errors

    assert proxied == []
    assert [service.unknown for service in services] == [[]] * (len(life) + 2)
