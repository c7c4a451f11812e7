"""The state service: who may ask, and what is answered to what is not known."""

import gzip
import json
import urllib.error
import urllib.request

import pytest

from eks_accelerators.simulator.state.replay import EntryKind
from eks_accelerators.simulator.state.service import StateService
from eks_accelerators.simulator.state.store import StackName, Store
from tests.simulator.state.test_replay import entry, resource, shown

OF_STACK = "/api/stacks/organization/shop/dev"
PROCESS = 4711


class Client:
    """Asks as the CLI does; a refusal is its status and message."""

    def __init__(self, service):
        self.service, self.authorization = service, f"token {service.token}"

    def ask(self, method, path, content=None, *, compressed=False):
        body = json.dumps(content or {}).encode()
        headers = {"Authorization": self.authorization}
        if compressed:
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        asked = urllib.request.Request(self.service.url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(asked) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())["message"]

    def begin(self, kind="update"):
        """Begin an update; returns its path."""
        _, update = self.ask("POST", f"{OF_STACK}/{kind}")
        path = f"{OF_STACK}/{kind}/{update['updateID']}"
        _, started = self.ask("POST", path, {"journalVersion": 1})
        assert started["journalVersion"] == 1
        self.authorization = f"update-token {started['token']}"
        return path


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def client(store):
    with StateService(store, "v3.250.0", lambda: PROCESS) as service:
        yield Client(service)


@pytest.fixture
def stack(client):
    client.ask("POST", "/api/stacks/organization/shop", {"stackName": "dev"})


@pytest.mark.parametrize("authorization", ["", "token other", "update-token other"])
def test_whoever_has_no_token_is_refused(client, stack, authorization):
    client.authorization = authorization

    status, message = client.ask("GET", f"{OF_STACK}/export")
    assert (status, message) == (403, "this state service is another simulation's")


def test_a_stack_is_made_once(client):
    assert client.ask("GET", OF_STACK)[0] == 404
    assert client.ask("POST", "/api/stacks/organization/shop", {"stackName": "dev"}) == (200, {})
    assert client.ask("GET", OF_STACK)[1]["stackName"] == "dev"
    assert client.ask("POST", "/api/stacks/organization/shop", {"stackName": "dev"})[0] == 409


@pytest.mark.parametrize("compressed", [True, False])
def test_entries_become_a_deployment(client, stack, store, compressed):
    path = client.begin()
    entries = {"entries": [{"sequenceID": 1, **entry(EntryKind.SUCCESS, 1, state=resource("a"))}]}

    assert client.ask("PATCH", f"{path}/journalentries", entries, compressed=compressed) == (200, {})
    assert client.ask("POST", f"{path}/renew_lease")[0] == 200
    assert client.ask("POST", f"{path}/complete") == (200, {})
    assert shown(store.deployment(StackName("shop", "dev"))) == ["a-1"]
    assert client.ask("PATCH", f"{path}/journalentries", entries) == (410, "this update has ended")


def test_a_deployment_is_imported_while_nothing_changes_it(client, stack, store):
    given = {"version": 3, "deployment": {"resources": [resource("a")]}}

    status, update = client.ask("POST", f"{OF_STACK}/import", given)
    assert status == 200
    assert client.ask("GET", f"{OF_STACK}/update/{update['updateId']}")[1]["status"] == "succeeded"
    assert client.ask("GET", f"{OF_STACK}/export")[1]["deployment"] == given["deployment"]

    client.begin()
    client.authorization = f"token {client.service.token}"
    assert client.ask("POST", f"{OF_STACK}/import", {"deployment": {}})[0] == 409
    assert shown(store.deployment(StackName("shop", "dev"))) == ["a-1"]


def test_a_preview_changes_nothing(client, stack, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    path = client.begin("preview")

    assert client.ask("POST", f"{path}/events/batch", compressed=True) == (200, {})
    assert client.ask("POST", f"{path}/complete") == (200, {})
    assert sorted(tmp_path.rglob("*")) == before


def test_an_engine_that_journals_something_new_is_told_how_it_goes_without(client, stack):
    path = client.begin()

    status, message = client.ask("PATCH", f"{path}/journalentries", {"entries": [{"sequenceID": 1, **entry(99)}]})
    assert status == 400
    assert message == (
        "this engine journals what the simulation does not know, an entry of version 1 and kind 99: "
        "set PULUMI_DISABLE_JOURNALING=true"
    )


def test_what_nobody_has_thought_of_is_noted(client):
    assert client.ask("GET", "/api/orgs/acme/secrets")[0] == 404
    assert client.service.unknown == ["GET /api/orgs/acme/secrets"]


def test_a_state_that_is_damaged_is_named(client, stack, store):
    file = store.file(StackName("shop", "dev"))
    file.write_text("{")

    status, message = client.ask("GET", f"{OF_STACK}/export")
    assert status == 500
    assert message.startswith(f"{file} is damaged")
