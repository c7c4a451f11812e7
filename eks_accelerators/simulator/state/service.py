"""A state service as the CLI knows it, on 127.0.0.1: what it stores goes into a folder.

It answers what the commands ask that a simulation runs, and nothing else. It tells the engine to send a journal, an entry
or two for each step, where the CLI's own backend of files has the whole state written after each: that grows with the
square of the resources.

Source: Pulumi 3.250.0, `pkg/backend/httpstate` and `sdk/go/common/apitype`, read 2026-11-23.
"""

import re
import secrets
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from json import dumps, loads
from types import TracebackType
from typing import Any, Self

from eks_accelerators.simulator.local_server import LocalServer, Reply
from eks_accelerators.simulator.state.locks import ORGANIZATION
from eks_accelerators.simulator.state.replay import VERSION, UnknownEntryError, features, schema_version
from eks_accelerators.simulator.state.store import StackName, Store

_NOTHING_DEPLOYED = {"manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""}}
_GZIP = 16 + zlib.MAX_WBITS
_KEEPS_STATE = ("update", "refresh", "destroy")
_STACK = r"/api/stacks/(?P<organization>[^/]+)/(?P<project>[^/]+)/(?P<name>[^/]+)"
_UPDATE = rf"{_STACK}/(?P<kind>update|preview|refresh|destroy)/(?P<update>[0-9a-f]+)"


class StateService:
    """Serves ``store`` at `url`, to those who have the `token`, for the time of a `with` block.

    ``engine`` says the version of the CLI that asks, such as `v3.250.0`, and ``process`` its process ID.
    """

    def __init__(self, store: Store, engine: str, process: Callable[[], int]) -> None:
        self.token = secrets.token_hex(20)
        self.unknown: list[str] = []
        """What was asked for and is not known: methods and paths."""
        self._answers = _Answers(store, engine, process)
        self._server = LocalServer(self._replied, "state")

    @property
    def url(self) -> str:
        """Such as `http://127.0.0.1:40123`."""
        return f"http://{self._server.address}"

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    def _replied(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        status, content = self.reply(method, path.partition("?")[0], headers, body)
        return Reply(status, {"Content-Type": "application/json"}, dumps(content).encode())

    def reply(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        """Status and content of an answer."""
        for asked, pattern, answer in _CALLS:
            if method == asked and (found := re.fullmatch(pattern, path)):
                question = Question(found.groupdict(), body, compressed=headers.get("Content-Encoding") == "gzip")
                return self._checked(question, headers.get("Authorization", "")) or _answered(
                    answer, self._answers, question
                )
        self.unknown.append(f"{method} {path}")
        return _refusal(HTTPStatus.NOT_FOUND, f"the simulation's state service does not know {method} {path}")

    def _checked(self, question: "Question", authorization: str) -> tuple[int, Any] | None:
        if authorization in (f"token {self.token}", self._answers.update_token(question)):
            return None
        return _refusal(HTTPStatus.FORBIDDEN, "this state service is another simulation's")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the parts of the path, and the content."""

    parts: Mapping[str, str]
    body: bytes
    compressed: bool

    @property
    def content(self) -> Mapping[str, Any]:
        """What was sent. Of events, which nobody wants, it is not read."""
        found: Mapping[str, Any] = loads(zlib.decompress(self.body, _GZIP) if self.compressed else self.body)
        return found

    @property
    def stack(self) -> StackName:
        """The stack that the path names."""
        return StackName(self.parts["project"], self.parts["name"])


class _Answers:
    """What is answered, by the names of the CLI's own client."""

    def __init__(self, store: Store, engine: str, process: Callable[[], int]) -> None:
        self._store, self._engine, self._process = store, engine, process
        self._tokens: dict[str, str] = {}

    def update_token(self, question: Question) -> str | None:
        """How the engine shows that it is the one whose update has begun."""
        token = self._tokens.get(question.parts.get("update", ""))
        return f"update-token {token}" if token else None

    def user(self, _question: Question) -> Any:
        return {"githubLogin": ORGANIZATION, "name": ORGANIZATION, "organizations": []}

    def capabilities(self, _question: Question) -> Any:
        newest = {"capability": "deployment-schema-version", "version": 1, "configuration": {"version": 4}}
        return {"capabilities": [newest]}

    def organization(self, _question: Question) -> Any:
        return {"GitHubLogin": ORGANIZATION}

    def stack(self, question: Question) -> Any:
        if not self._store.file(question.stack).exists():
            raise FileNotFoundError
        return {"orgName": ORGANIZATION, "projectName": question.stack.project, "stackName": question.stack.name}

    def create_stack(self, question: Question) -> Any:
        self._store.create(StackName(question.parts["project"], question.content["stackName"]))
        return {}

    def export(self, question: Question) -> Any:
        deployment = self._store.deployment(question.stack) or _NOTHING_DEPLOYED
        needed = features(deployment)
        return {"version": schema_version(needed), "features": needed, "deployment": deployment}

    def import_stack(self, question: Question) -> Any:
        self._store.replace(question.stack, question.content["deployment"])
        return {"updateId": secrets.token_hex(16)}

    def imported(self, _question: Question) -> Any:
        return {"status": "succeeded", "events": []}

    def create_update(self, _question: Question) -> Any:
        return {"updateID": secrets.token_hex(16)}

    def start_update(self, question: Question) -> Any:
        token = self._tokens[question.parts["update"]] = secrets.token_hex(16)
        if question.parts["kind"] in _KEEPS_STATE:
            self._store.begin(question.stack, self._engine, self._process())
        return {"version": 1, "token": token, "journalVersion": min(VERSION, question.content.get("journalVersion", 0))}

    def add_entries(self, question: Question) -> Any:
        self._store.add(question.stack, question.content.get("entries", []))
        return {}

    def save(self, question: Question) -> Any:
        self._store.save(question.stack, question.content["deployment"])
        return {}

    def renew_lease(self, question: Question) -> Any:
        return {"token": self._tokens[question.parts["update"]]}

    def take_events(self, _question: Question) -> Any:
        return {}

    def complete(self, question: Question) -> Any:
        if question.parts["kind"] in _KEEPS_STATE:
            self._store.end(question.stack)
        return {}


_CALLS: list[tuple[str, str, Callable[[_Answers, Question], Any]]] = [
    ("GET", "/api/user", _Answers.user),
    ("GET", "/api/capabilities", _Answers.capabilities),
    ("GET", "/api/user/organizations/default", _Answers.organization),
    ("POST", "/api/stacks/(?P<organization>[^/]+)/(?P<project>[^/]+)", _Answers.create_stack),
    ("GET", _STACK, _Answers.stack),
    ("GET", f"{_STACK}/export", _Answers.export),
    ("POST", f"{_STACK}/import", _Answers.import_stack),
    ("GET", _UPDATE, _Answers.imported),
    ("POST", f"{_STACK}/(?P<kind>update|preview|refresh|destroy)", _Answers.create_update),
    ("POST", _UPDATE, _Answers.start_update),
    ("PATCH", f"{_UPDATE}/journalentries", _Answers.add_entries),
    ("PATCH", f"{_UPDATE}/checkpoint", _Answers.save),
    ("POST", f"{_UPDATE}/renew_lease", _Answers.renew_lease),
    ("POST", f"{_UPDATE}/events/batch", _Answers.take_events),
    ("POST", f"{_UPDATE}/complete", _Answers.complete),
]


def _answered(answer: Callable[[_Answers, Question], Any], answers: _Answers, question: Question) -> tuple[int, Any]:
    try:
        return HTTPStatus.OK, answer(answers, question)
    except FileNotFoundError:
        return _refusal(HTTPStatus.NOT_FOUND, "there is no such stack")
    except FileExistsError as error:
        return _refusal(HTTPStatus.CONFLICT, f"{error} already exists")
    except UnknownEntryError as error:
        told = f"this engine journals what the simulation does not know, {error}: set PULUMI_DISABLE_JOURNALING=true"
        return _refusal(HTTPStatus.BAD_REQUEST, told)
    except LookupError:
        return _refusal(HTTPStatus.GONE, "this update has ended")
    except (OSError, ValueError) as error:
        return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))


def _refusal(status: HTTPStatus, message: str) -> tuple[int, Any]:
    return status, {"code": status, "message": message}
