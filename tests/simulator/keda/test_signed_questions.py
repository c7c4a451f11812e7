"""The real KEDA asks as Amazon Managed Service for Prometheus wants it: signed, with the credentials of EKS Pod Identity.

A server of this machine is both: Pod Identity's agent, and the workspace, which botocore's own signature judges.
"""

from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from eks_accelerators.components.scaled_object import API_VERSION, trigger_authentication_spec
from eks_accelerators.simulator.keda import programs
from eks_accelerators.simulator.keda.server import keda
from eks_accelerators.simulator.local_server import LocalServer
from tests.polls import until
from tests.replies import reply
from tests.simulator.control_planes import control_plane
from tests.simulator.further import further
from tests.simulator.keda.judge import Scaler
from tests.simulator.keda.objects import deployment
from tests.simulator.keda.test_our_scaled_objects import ours

pytestmark = [pytest.mark.engines, pytest.mark.slow]

REGION, WORKSPACE = "us-east-2", "/workspaces/ws-0123"
TOKEN = "token of the service account"
CREDENTIALS = {"AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "secret", "Token": "session"}
ANSWER = {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "value": [0, "30"]}]}}


JSON = {"Content-Type": "application/json"}


def expected_signature(path, of_request):
    """What botocore signs the same request with: the headers that are said to be signed, at the same moment."""
    given = dict(part.split("=", 1) for part in of_request["Authorization"].split(" ", 1)[1].split(", "))
    scope = given["Credential"].split("/")[2:4]
    headers = {name: of_request[name] for name in given["SignedHeaders"].split(";")}
    asked = AWSRequest("GET", f"http://{of_request['Host']}{path}", headers)
    asked.context["timestamp"] = of_request["X-Amz-Date"]
    signer = SigV4Auth(Credentials(CREDENTIALS["AccessKeyId"], CREDENTIALS["SecretAccessKey"]), "aps", REGION)
    signature = signer.signature(signer.string_to_sign(asked, signer.canonical_request(asked)), asked)
    return given["Signature"], signature, scope


class Amazon:
    """Both of them: ``tokens`` are those that credentials were asked with, ``asked`` the path and the signature of each question."""

    def __init__(self):
        self.tokens, self.asked = [], []

    def answer(self, _method, path, headers, _body):
        if path == "/v1/credentials":
            self.tokens.append(headers["Authorization"])
            return reply({**CREDENTIALS, "Expiration": "2100-01-01T00:00:00Z"}, **JSON)
        self.asked.append((urlsplit(path).path, expected_signature(path, headers)))
        return reply(ANSWER, **JSON)


def test_keda_signs_its_questions_with_the_credentials_of_its_service_account(engines, tmp_path, monkeypatch):
    found = further(*programs.ENGINES)
    token = tmp_path / "token"
    token.write_text(TOKEN)
    amazon = Amazon()
    with LocalServer(amazon.answer, "Amazon") as server, control_plane(engines, tmp_path / "cluster") as cluster:
        url = f"http://{server.address}"
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

            until(lambda: amazon.asked)

    assert set(amazon.tokens) == {TOKEN}
    assert amazon.asked
    for path, (signature, expected, scope) in amazon.asked:
        assert path == f"{WORKSPACE}/api/v1/query"
        assert scope == [REGION, "aps"]
        assert signature == expected
