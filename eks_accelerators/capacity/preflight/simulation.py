"""Asking IAM whether a principal's policies allow what a policy document allows, statement by statement."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase

_MOST_ACTIONS = 100
"""Actions in one SimulatePrincipalPolicy. IAM has no documented limit of the list; short ones are answered sooner."""


class OnResource(PascalCase):
    """What IAM decides of an action on one of the resources that it was asked about."""

    eval_resource_decision: str
    missing_context_values: list[str] = []


class Evaluation(PascalCase):
    """What IAM decides of an action."""

    eval_action_name: str
    eval_decision: str
    missing_context_values: list[str] = []
    resource_specific_results: list[OnResource] = []

    @property
    def allowed(self) -> bool:
        """Whether it is allowed on any of the resources: a statement has ARNs of several kinds, and an action acts on one."""
        decisions = [each.eval_resource_decision for each in self.resource_specific_results]
        return "allowed" in (decisions or [self.eval_decision])

    @property
    def missing(self) -> set[str]:
        """Condition keys of the principal's policies that the question gave no value for."""
        return set(self.missing_context_values).union(
            *(each.missing_context_values for each in self.resource_specific_results)
        )


def simulations(document: Mapping[str, Any], region: str, principal: str) -> Iterator[Call[list[Evaluation]]]:
    """The calls that ask for every action of a policy document, on its resources and with its conditions.

    A condition on one of several values is asked with each. ARNs keep their `*`, which stands for the names that the
    deployment will make up. Source: IAM SimulatePrincipalPolicy.
    """
    for statement in document["Statement"]:
        actions, resources = _listed(statement["Action"]), _listed(statement["Resource"])
        for context in _contexts(statement.get("Condition", {}).get("StringEquals", {})):
            for start in range(0, len(actions), _MOST_ACTIONS):
                yield _simulation(region, principal, actions[start : start + _MOST_ACTIONS], resources, context)


def _contexts(equal: Mapping[str, str | Sequence[str]]) -> Iterator[dict[str, str]]:
    for values in itertools.product(*map(_listed, equal.values())):
        yield dict(zip(equal, values, strict=True))


def _simulation(
    region: str, principal: str, actions: Sequence[str], resources: Sequence[str], context: Mapping[str, str]
) -> Call[list[Evaluation]]:
    parameters: dict[str, Any] = {"PolicySourceArn": principal, "ActionNames": list(actions)}
    if resources != ["*"]:
        parameters["ResourceArns"] = list(resources)
    if context:
        parameters["ContextEntries"] = [
            {"ContextKeyName": key, "ContextKeyType": "string", "ContextKeyValues": [value]}
            for key, value in context.items()
        ]
    return Call("iam", "simulate_principal_policy", region, "EvaluationResults", list[Evaluation], parameters)


def _listed(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
