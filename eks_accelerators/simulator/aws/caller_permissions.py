"""What the caller may do: everything, in the simulated account."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="IAM API SimulatePrincipalPolicy (botocore 1.44.5)."))


@operation("iam", "simulate_principal_policy")
def simulate_principal_policy(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Answer that the caller may do everything: the account has no policies."""
    results = [
        {"EvalActionName": action, "EvalResourceName": "*", "EvalDecision": "allowed"}
        for action in parameters["ActionNames"]
    ]
    return {"EvaluationResults": results, "IsTruncated": False}
