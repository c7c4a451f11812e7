"""Why a call has no answer, in one line. A failure is never an answer: what was asked stays unknown."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import botocore.exceptions
import botocore.parsers
from pydantic import ValidationError

from eks_accelerators.capacity.aws_calls.call import Call


class Reason(StrEnum):
    """Why AWS has not answered, as far as its error tells."""

    NO_CREDENTIALS = "no-credentials"
    EXPIRED = "expired-credentials"
    DENIED = "permission-missing"
    THROTTLED = "throttled"
    TIME_OUT = "time-out"
    NO_NETWORK = "no-network"
    SERVER = "server-error"
    MALFORMED = "malformed-answer"
    NOT_SIMULATED = "not-simulated"
    REFUSED = "refused"


_CREDENTIALS = {
    "ExpiredToken": Reason.EXPIRED,
    "ExpiredTokenException": Reason.EXPIRED,
    "RequestExpired": Reason.EXPIRED,
    "AuthFailure": Reason.NO_CREDENTIALS,
    "InvalidClientTokenId": Reason.NO_CREDENTIALS,
    "UnrecognizedClientException": Reason.NO_CREDENTIALS,
    "InvalidSignatureException": Reason.NO_CREDENTIALS,
    "SignatureDoesNotMatch": Reason.NO_CREDENTIALS,
}
NOT_SIMULATED = "NotSimulated"
"""Code by which a simulated account says that it does not know an operation."""
_DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedException", "OptInRequired"}
_THROTTLED = {
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "TooManyRequestsException",
}
"""As botocore's own `retry/throttle` policies name them (1.44.5)."""
_HTTP_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed. ``code`` is AWS's, where there is one; ``line`` says it all."""

    reason: Reason
    line: str
    code: str | None = None


def failure_of(call: Call[Any], error: Exception) -> Failure | None:
    """What an exception of a call means; None where it is no failure of a call but a mistake of ours."""
    if isinstance(error, botocore.exceptions.ClientError):
        return _of_aws(call, error)
    for kinds, reason, text in _OF_BOTOCORE:
        if isinstance(error, kinds):
            return Failure(reason, f"{call.name}: {text}")
    if isinstance(error, botocore.exceptions.BotoCoreError):
        return Failure(Reason.REFUSED, f"{call.name}: {_first_line(error)}")
    return None


def _of_aws(call: Call[Any], error: botocore.exceptions.ClientError) -> Failure:
    found = error.response.get("Error", {})
    code, message = str(found.get("Code", "")), str(found.get("Message", "")).strip()
    if str(error.operation_name).startswith("AssumeRole"):  # before the call itself
        return Failure(Reason.NO_CREDENTIALS, f"sts:{error.operation_name}: {code}: {_first_line(message)}", code)
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") or 0)
    if code in _CREDENTIALS:
        reason = _CREDENTIALS[code]
        fix = "sign in again" if reason is Reason.EXPIRED else "check the AWS credentials"
        return Failure(reason, f"{call.name}: {code}: {fix}", code)
    if code == NOT_SIMULATED:
        return Failure(Reason.NOT_SIMULATED, f"{call.name} is not simulated", code)
    if code in _DENIED:
        return Failure(Reason.DENIED, f"{call.name}: the caller may not ask this ({code})", code)
    if code in _THROTTLED:
        return Failure(Reason.THROTTLED, f"{call.name}: AWS throttles ({code}); try again in a minute", code)
    if status >= _HTTP_SERVER_ERROR:
        return Failure(Reason.SERVER, f"{call.name}: AWS failed ({status} {code}); try again", code)
    if code.isdigit():  # an error page of something between here and AWS
        return Failure(Reason.MALFORMED, f"{call.name}: HTTP {code}, and no answer of AWS", code)
    return Failure(Reason.REFUSED, f"{call.name}: {code}: {_first_line(message)}", code)


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]


_OF_BOTOCORE: tuple[tuple[tuple[type[Exception], ...], Reason, str], ...] = (
    (
        (
            botocore.exceptions.TokenRetrievalError,
            botocore.exceptions.SSOTokenLoadError,
            botocore.exceptions.UnauthorizedSSOTokenError,
        ),
        Reason.EXPIRED,
        "the AWS session has expired: sign in again (`aws sso login`)",
    ),
    (
        (
            botocore.exceptions.NoCredentialsError,
            botocore.exceptions.PartialCredentialsError,
            botocore.exceptions.CredentialRetrievalError,
            botocore.exceptions.ProfileNotFound,
        ),
        Reason.NO_CREDENTIALS,
        "no AWS credentials: sign in, or set AWS_PROFILE",
    ),
    (
        (botocore.exceptions.ConnectTimeoutError, botocore.exceptions.ReadTimeoutError),
        Reason.TIME_OUT,
        "no answer in time",
    ),
    (
        (botocore.exceptions.HTTPClientError, botocore.exceptions.ConnectionError),
        Reason.NO_NETWORK,
        "AWS cannot be reached: no network, a proxy, or DNS",
    ),
    ((botocore.parsers.ResponseParserError,), Reason.MALFORMED, "the answer is not one of AWS"),
    ((ValidationError, KeyError), Reason.MALFORMED, "the answer lacks what it should have"),
)
