"""Asking AWS: calls that are made once, in parallel, and whose failures are answers too."""

from capacity.asking.answer import Answer, UnansweredError
from capacity.asking.aws import Aws
from capacity.asking.call import Call
from capacity.asking.failure import Failure, Reason

__all__ = ["Answer", "Aws", "Call", "Failure", "Reason", "UnansweredError"]
