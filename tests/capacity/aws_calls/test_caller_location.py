"""What is found out of where this runs: from servers of the test's own that answer as an API server and EC2's metadata do."""

import base64
import http.server
import socket
import ssl
import threading
from contextlib import contextmanager
from ipaddress import ip_address

import pytest

from eks_accelerators.accelerators.addresses import is_inside
from eks_accelerators.capacity.aws_calls import caller_location
from eks_accelerators.capacity.aws_calls.caller_location import Here, from_metadata, reach
from eks_accelerators.simulator.kubernetes import credentials
from tests.polls import PATIENCE_SECONDS
from tests.ports import nobody_listens


@contextmanager
def serving(handler, context=None):
    """An address that ``handler`` answers at."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture(autouse=True)
def _direct(monkeypatch):
    """No proxy, and the patience for a busy machine: where nobody answers the test says how long it waits."""
    for seconds in ("_SECONDS", "_METADATA_SECONDS"):
        monkeypatch.setattr(caller_location, seconds, PATIENCE_SECONDS)
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A serving context, and the authority behind it in Base64."""
    made = credentials.ensure(tmp_path_factory.mktemp("tls"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made.serving_certificate, made.serving_key)
    return context, base64.b64encode(made.ca_file.read_bytes()).decode()


@pytest.mark.parametrize("status", [200, 401, 403, 500])
def test_an_api_that_answers_is_reached_whatever_it_says(tls, status):
    asked = []

    class Api(Handler):
        def do_GET(self):
            asked.append(self.path)
            self.answer(status)

    with serving(Api, tls[0]) as endpoint:
        assert reach(endpoint, tls[1]) is None
    assert asked == ["/healthz"]


def test_one_with_another_authority_is_not(tls, tmp_path):
    other = base64.b64encode(credentials.ensure(tmp_path).ca_file.read_bytes()).decode()

    with serving(Handler, tls[0]) as endpoint:
        assert reach(endpoint, other).startswith("something else answers")


def test_nobody_answers(tls, monkeypatch):
    monkeypatch.setattr(caller_location, "_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert reach(f"https://127.0.0.1:{silent.getsockname()[1]}", tls[1]) == "no answer in 1 seconds"
    with nobody_listens() as address:
        assert reach(f"https://{address}", tls[1]) == "Connection refused"


def test_an_authority_that_is_none_is_told(tls):
    assert reach("https://127.0.0.1:1", "bm9uZQ==")
    assert reach("https://127.0.0.1:1", "!")


def test_the_proxy_of_the_environment_is_used(tls, monkeypatch):
    asked = []

    class Proxy(Handler):
        def do_CONNECT(self):
            asked.append(self.path)
            self.answer(403)

    with serving(Proxy) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        assert "403" in reach("https://api.invalid:443", tls[1])
    assert asked == ["api.invalid:443"]


FACTS = {
    "/latest/meta-data/mac": "02:00:00:00:00:01",
    "/latest/meta-data/network/interfaces/macs/02:00:00:00:00:01/vpc-id": "vpc-0123456789abcdef0",
}


class Metadata(Handler):
    """Version 2: only with a token, which only a PUT gives."""

    facts = FACTS

    def do_PUT(self):
        wanted = self.path == "/latest/api/token" and self.headers["X-aws-ec2-metadata-token-ttl-seconds"]
        self.answer(200, "token") if wanted else self.answer(400)

    def do_GET(self):
        if self.headers["X-aws-ec2-metadata-token"] != "token":
            self.answer(401)
        elif self.path in self.facts:
            self.answer(200, self.facts[self.path])
        else:
            self.answer(404)


class PublicMetadata(Metadata):
    facts = FACTS | {"/latest/meta-data/public-ipv4": "198.18.7.9"}


@pytest.mark.parametrize(("handler", "address"), [(Metadata, None), (PublicMetadata, "198.18.7.9")])
def test_an_instance_knows_its_vpc_and_its_public_address(monkeypatch, handler, address):
    with serving(handler) as endpoint:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "false")
        assert from_metadata() == Here(address, "instance metadata", "vpc-0123456789abcdef0")

        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        assert from_metadata() == Here()


def test_elsewhere_there_is_no_metadata(monkeypatch):
    monkeypatch.setattr(caller_location, "_METADATA_SECONDS", 0.5)
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert from_metadata() == Here()


@pytest.mark.parametrize(
    ("address", "inside"),
    [("10.1.2.3", True), ("192.168.0.1", True), ("100.64.0.1", True), ("fe80::1", True), ("203.0.113.7", False)],
)
def test_addresses_of_a_network_s_inside(address, inside):
    assert is_inside(ip_address(address)) is inside
