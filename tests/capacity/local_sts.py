"""An STS on this machine: it hands out credentials for roles, says whose credentials they are, and remembers who asked."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            signed = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
            asked = {name: values[0] for name, values in parse_qs(body).items()}
            status, answer = sts.answer(signed[1] if signed else None, asked)
            self.send_response(status)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    sts.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield sts
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
