"""What the caller may do: launch instances, and every action that the deployment takes."""

from collections.abc import Iterator, Sequence

from accelerators import ami_images
from capacity.asking import Call
from capacity.asking.call import PascalCase
from capacity.preflight.checks.caller import caller
from capacity.preflight.checks.images import ami_types, parameters
from capacity.preflight.inquiry import Inquiry
from capacity.preflight.registry import check
from capacity.preflight.result import Finding, not_known, ok, problem, unknown, warning
from settings.model.node_groups import CapacityType

_SERVICE_ROLES = {
    "AWSServiceRoleForAmazonEKS": "eks.amazonaws.com",
    "AWSServiceRoleForAmazonEKSNodegroup": "eks-nodegroup.amazonaws.com",
    "AWSServiceRoleForAutoScaling": "autoscaling.amazonaws.com",
}
_SPOT_ROLES = {"AWSServiceRoleForEC2Spot": "spot.amazonaws.com"}
"""Source: EKS user guide `using-service-linked-roles`, Auto Scaling and EC2 Spot user guides, read 2026-11-20."""
_MOST_ACTIONS = 100
"""Actions in one SimulatePrincipalPolicy. IAM has no documented limit of the list; short ones are answered sooner."""
_SHOWN = 8


class Evaluation(PascalCase):
    """What IAM decides of an action."""

    eval_action_name: str
    eval_decision: str
    missing_context_values: list[str] = []


@check("launch-permission", "nodeGroups")
def launch_permission(inquiry: Inquiry) -> Iterator[Finding]:
    """EC2 would let the caller launch each instance type that is bought on demand or as Spot. A dry run: nothing is launched.

    Nodes are launched by a role of AWS; that the caller may too shows that no policy of the organisation forbids the
    type. Source: EC2 RunInstances with `DryRun`.
    """
    version = inquiry.settings.cluster.kubernetes_version
    by_type = inquiry.groups_by_type(CapacityType.ON_DEMAND, CapacityType.SPOT)
    names = {each: ami_images.newest_image_parameter(each, version) for each in ami_types(inquiry)}
    asked = inquiry.aws.ask_all(parameters(inquiry.region, sorted({name for name in names.values() if name})))
    images = {each.name: each.value for answer in asked for each in answer.value}
    runs = {}
    for kind, groups in by_type.items():
        image = groups[0].settings.ami.image_id or images.get(names.get(groups[0].ami_type) or "")
        if image:
            runs[kind] = (groups, _dry_run(inquiry.region, kind, image))
    answers = inquiry.aws.ask_all(call for _, call in runs.values())
    for (kind, (groups, _)), answer in zip(runs.items(), answers, strict=True):
        path, code = f"nodeGroups.{groups[0].name}.instanceType", answer.failure.code if answer.failure else None
        if code == "DryRunOperation":
            yield ok(path, f"a launch of {kind} would be let through", answer)
        elif code == "UnauthorizedOperation":
            found = f"the caller may not launch {kind} itself; the nodes are launched by the role of EKS"
            yield not_known(path, found, "allow ec2:RunInstances with DryRun, or leave it unknown", answer)
        elif answer.failure and answer.refusal:
            yield problem(path, f"EC2 would refuse to launch {kind}: {answer.failure.line}", "do as it says", answer)
        else:
            yield unknown(path, answer)


@check("service-linked-roles", "cluster")
def service_linked_roles(inquiry: Inquiry) -> Iterator[Finding]:
    """The roles by which EKS, Auto Scaling and Spot act are there, or the caller may have them made.

    Each service makes its own at first use, with the caller's permission iam:CreateServiceLinkedRole.
    Source: IAM GetRole.
    """
    spot = any(group.settings.bought_as is CapacityType.SPOT for group in inquiry.groups.values())
    roles = {**_SERVICE_ROLES, **(_SPOT_ROLES if spot else {})}
    calls = [Call("iam", "get_role", inquiry.region, "Role", dict, {"RoleName": name}) for name in roles]
    for (name, service), answer in zip(roles.items(), inquiry.aws.ask_all(calls), strict=True):
        if answer.refusal == "NoSuchEntity":
            fix = f"let it be made, or: aws iam create-service-linked-role --aws-service-name {service}"
            yield warning("cluster", f"{name} is not there: the service makes it at first use", fix, answer)
        elif answer.failure:
            yield unknown("cluster", answer)
        else:
            yield ok("cluster", f"{name} is there", answer)


@check("deployment-permissions", "cluster")
def deployment_permissions(inquiry: Inquiry) -> Iterator[Finding]:
    """The caller's policies allow every action that deploying the stack takes.

    Actions are simulated without resources and conditions, so a policy that allows them only on some is told as missing.
    Source: IAM SimulatePrincipalPolicy.
    """
    if not inquiry.actions:
        return
    who = inquiry.aws.ask(caller(inquiry.region))
    principal = principal_of(who.value)
    if principal is None:
        yield ok("cluster", f"{who.value} is the account's root user, whom no policy of its own restricts", who)
        return
    answers = inquiry.aws.ask_all(
        _simulation(inquiry.region, principal, inquiry.actions[start : start + _MOST_ACTIONS])
        for start in range(0, len(inquiry.actions), _MOST_ACTIONS)
    )
    if any(answer.failure for answer in answers):
        yield unknown("cluster", *answers)
        return
    evaluated = [each for answer in answers for each in answer.value]
    denied = [each.eval_action_name for each in evaluated if each.eval_decision != "allowed"]
    if denied:
        more = f" and {len(denied) - _SHOWN} more" if len(denied) > _SHOWN else ""
        found = f"{principal} may not: {', '.join(denied[:_SHOWN])}{more}"
        yield problem("cluster", found, f"`accel policy deploy {inquiry.stack}` prints what is needed", *answers)
    else:
        yield ok("cluster", f"{principal} may do all {len(evaluated)} actions of the deployment", *answers)


def principal_of(arn: str) -> str | None:
    """The user or role whose policies count for a caller; None for the root user.

    Of a session only the role's name is known, not its path: a role with a path is not found by IAM.
    """
    head, _, rest = arn.partition(":sts::")
    if not rest:
        return None if arn.endswith(":root") else arn
    account, _, session = rest.partition(":")
    if not session.startswith("assumed-role/"):
        return arn
    role = session.split("/")[1]
    path = "aws-reserved/sso.amazonaws.com/" if role.startswith("AWSReservedSSO_") else ""
    return f"{head}:iam::{account}:role/{path}{role}"


def _dry_run(region: str, kind: str, image: str) -> Call[list[dict[str, object]]]:
    parameters = {"InstanceType": kind, "ImageId": image, "MinCount": 1, "MaxCount": 1, "DryRun": True}
    return Call("ec2", "run_instances", region, "Instances", list[dict[str, object]], parameters)


def _simulation(region: str, principal: str, actions: Sequence[str]) -> Call[list[Evaluation]]:
    parameters = {"PolicySourceArn": principal, "ActionNames": list(actions)}
    return Call("iam", "simulate_principal_policy", region, "EvaluationResults", list[Evaluation], parameters)
