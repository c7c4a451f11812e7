"""Where the caller is, as far as this machine can tell. AWS has no call that says from which address one comes."""

import base64
import http
import http.client
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

_SECONDS = 5
"""To wait for the API of a cluster. One that does not let an address in does not answer at all."""
_METADATA_SECONDS = 1
"""Outside EC2 nobody answers. The AWS SDKs wait as long."""
_METADATA = "http://169.254.169.254"

Reach = Callable[[str, str], str | None]
"""Tries the endpoint of a cluster that a certificate authority, in Base64, vouches for; says why it is not reached."""


@dataclass(frozen=True, slots=True)
class Here:
    """The address that the internet sees, who says so, and on EC2 the VPC; None where it is not known."""

    address: str | None = None
    said_by: str = "--my-address"
    vpc_id: str | None = None


def reach(endpoint: str, authority: str) -> str | None:
    """Ask the API server for its health, as Pulumi does, through the proxies of the environment; any answer will do.

    None where it answers, otherwise why it does not, in a few words.
    """
    try:
        context = ssl.create_default_context(cadata=base64.b64decode(authority).decode())
        # Newer Pythons refuse authorities without an identifier of their key, such as those of EKS clusters.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
        with opener.open(f"{endpoint}/healthz", timeout=_SECONDS):
            return None
    except urllib.error.HTTPError:
        return None
    except urllib.error.URLError as error:
        return _words(error.reason)
    except (OSError, ValueError) as error:
        return _words(error)


def from_metadata() -> Here:
    """What the instance metadata service says, where this runs on EC2. Source: EC2 User Guide `instancedata-data-categories`.

    Not by botocore's `IMDSFetcher`: it reads what botocore itself needs, anything else is private to it, and it asks through
    the proxies of the environment.
    """
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return Here()
    service = urlsplit(os.environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT", _METADATA)).netloc
    # Never through a proxy: that would be the metadata of the proxy's machine.
    connection = http.client.HTTPConnection(service, timeout=_METADATA_SECONDS)
    try:
        token = _said(connection, "PUT", "api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "60"})
        headers = {"X-aws-ec2-metadata-token": token or ""}
        mac = _said(connection, "GET", "meta-data/mac", headers)
        vpc = _said(connection, "GET", f"meta-data/network/interfaces/macs/{mac}/vpc-id", headers)
        return Here(_said(connection, "GET", "meta-data/public-ipv4", headers), "instance metadata", vpc)
    except (OSError, http.client.HTTPException):
        return Here()
    finally:
        connection.close()


def _said(connection: http.client.HTTPConnection, method: str, path: str, headers: dict[str, str]) -> str | None:
    connection.request(method, f"/latest/{path}", headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode().strip()
    return text if answer.status == http.HTTPStatus.OK else None


def _words(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return f"no answer in {_SECONDS} seconds"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return "something else answers, which the cluster's certificate authority does not vouch for"
    return str(getattr(reason, "strerror", None) or reason or "no answer").partition("\n")[0]
