"""An STS on this machine: it hands out credentials for roles, says whose credentials they are, and remembers who asked."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from eks_accelerators.simulator.local_server import LocalServer, Reply

BASE_ACCOUNT = "111111111111"
"""The account of all credentials that are not a role's."""
_LATER = "2099-01-01T00:00:00Z"


@dataclass
class LocalSts:
    """``asked`` has each request: the access key that signed it, or None, and its parameters."""

    url: str = ""
    refusal: tuple[int, str] | None = None
    """Status and code with which everything is refused."""
    asked: list[tuple[str | None, dict[str, str]]] = field(default_factory=list)

    def answer(self, key: str | None, asked: dict[str, str]) -> tuple[int, str]:
        self.asked.append((key, asked))
        action = asked.get("Action", "")
        if self.refusal:
            status, code = self.refusal
            return status, f"<ErrorResponse><Error><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>"
        if action.startswith("AssumeRole"):
            arn = asked["RoleArn"]
            inner = (
                f"<Credentials><AccessKeyId>key-of-{arn.split(':')[4]}-{arn.rpartition('/')[2]}</AccessKeyId>"
                f"<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>{_LATER}</Expiration>"
                f"</Credentials><AssumedRoleUser><Arn>{arn}</Arn><AssumedRoleId>A:b</AssumedRoleId></AssumedRoleUser>"
            )
        else:
            found = re.match(r"key-of-(\d+)-", key or "")
            account = found[1] if found else BASE_ACCOUNT
            inner = f"<Account>{account}</Account><UserId>U</UserId><Arn>arn:aws:iam::{account}:user/{key}</Arn>"
        return 200, f"<{action}Response><{action}Result>{inner}</{action}Result></{action}Response>"


@contextmanager
def local_sts() -> Iterator[LocalSts]:
    """The service while it runs."""
    sts = LocalSts()

    def answer(_method: str, _path: str, headers: Any, body: bytes) -> Reply:
        signed = re.search(r"Credential=([^/]+)/", headers.get("Authorization", ""))
        asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        status, text = sts.answer(signed[1] if signed else None, asked)
        return Reply(status, {"Content-Type": "text/xml"}, text.encode())

    with LocalServer(answer, "STS") as server:
        sts.url = f"http://{server.address}"
        yield sts
