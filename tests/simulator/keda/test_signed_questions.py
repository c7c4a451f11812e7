"""The real KEDA asks as Amazon Managed Service for Prometheus wants it: signed, with the credentials of EKS Pod Identity.

A server of this machine is both: Pod Identity's agent, and the workspace, which botocore's own signature judges.
"""

import http.server
import json
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from eks_accelerators.components.scaled_object import API_VERSION, trigger_authentication_spec
from eks_accelerators.simulator.keda import programs
from eks_accelerators.simulator.keda.server import keda
from eks_accelerators.simulator.kubernetes.control_plane import control_plane
from tests.simulator.further import further
from tests.simulator.keda.judge import Scaler
from tests.simulator.keda.objects import deployment
from tests.simulator.keda.test_our_scaled_objects import ours
from tests.simulator.polls import until

pytestmark = [pytest.mark.engines, pytest.mark.slow]

REGION, WORKSPACE = "us-east-2", "/workspaces/ws-0123"
TOKEN = "token of the service account"
CREDENTIALS = {"AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "secret", "Token": "session"}
ANSWER = {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "value": [0, "30"]}]}}


def expected_signature(request):
    """What botocore signs the same request with: the headers that are said to be signed, at the same moment."""
    given = dict(part.split("=", 1) for part in request.headers["Authorization"].split(" ", 1)[1].split(", "))
    scope = given["Credential"].split("/")[2:4]
    headers = {name: request.headers[name] for name in given["SignedHeaders"].split(";")}
    asked = AWSRequest("GET", f"http://{request.headers['Host']}{request.path}", headers)
    asked.context["timestamp"] = request.headers["X-Amz-Date"]
    signer = SigV4Auth(Credentials(CREDENTIALS["AccessKeyId"], CREDENTIALS["SecretAccessKey"]), "aps", REGION)
    signature = signer.signature(signer.string_to_sign(asked, signer.canonical_request(asked)), asked)
    return given["Signature"], signature, scope


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if self.path == "/v1/credentials":
            server.tokens.append(self.headers["Authorization"])
            self._say({**CREDENTIALS, "Expiration": "2100-01-01T00:00:00Z"})
            return
        server.asked.append((urlsplit(self.path).path, expected_signature(self)))
        self._say(ANSWER)

    def _say(self, answer):
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def amazon():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.tokens, server.asked = [], []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_keda_signs_its_questions_with_the_credentials_of_its_service_account(engines, tmp_path, monkeypatch):
    found = further(*programs.ENGINES)
    token = tmp_path / "token"
    token.write_text(TOKEN)
    with amazon() as server, control_plane(engines, tmp_path / "cluster") as cluster:
        url = f"http://127.0.0.1:{server.server_port}"
        # As EKS puts them into a pod with an association, but for the address of its agent.
        given = (
            f"AWS_CONTAINER_CREDENTIALS_FULL_URI={url}/v1/credentials",
            f"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE={token}",
        )
        monkeypatch.setattr(programs, "_ENVIRONMENT", (*programs._ENVIRONMENT, *given))
        with keda(found, cluster):
            metadata = {"name": "qwen", "namespace": "default"}
            authentication = {"apiVersion": API_VERSION, "kind": "TriggerAuthentication", "metadata": metadata}
            cluster.api.apply({**authentication, "spec": trigger_authentication_spec()})

            Scaler(cluster.api)(ours("default", REGION, url + WORKSPACE), deployment("default", "qwen"))

            until(lambda: server.asked, 30)

    assert set(server.tokens) == {TOKEN}
    assert server.asked
    for path, (signature, expected, scope) in server.asked:
        assert path == f"{WORKSPACE}/api/v1/query"
        assert scope == [REGION, "aps"]
        assert signature == expected
