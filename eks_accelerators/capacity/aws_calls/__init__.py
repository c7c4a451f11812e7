"""Asking AWS: calls that are made once, in parallel, and whose failures are answers too."""

from eks_accelerators.capacity.aws_calls.answer import Answer, UnansweredError
from eks_accelerators.capacity.aws_calls.aws import Aws
from eks_accelerators.capacity.aws_calls.call import Call
from eks_accelerators.capacity.aws_calls.failure import Failure, Reason

__all__ = ["Answer", "Aws", "Call", "Failure", "Reason", "UnansweredError"]
