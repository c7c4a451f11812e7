"""What the caller may do: launch instances, and every action that the deployment takes."""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators import ami_images
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.public_parameters import parameters
from eks_accelerators.capacity.preflight.checks.caller import caller
from eks_accelerators.capacity.preflight.checks.images import ami_types
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, not_known, ok, problem, unknown, warning
from eks_accelerators.capacity.preflight.simulation import simulations
from eks_accelerators.settings.model.node_groups import CapacityType

_SERVICE_ROLES = {
    "AWSServiceRoleForAmazonEKS": "eks.amazonaws.com",
    "AWSServiceRoleForAmazonEKSNodegroup": "eks-nodegroup.amazonaws.com",
    "AWSServiceRoleForAutoScaling": "autoscaling.amazonaws.com",
}
_SPOT_ROLES = {"AWSServiceRoleForEC2Spot": "spot.amazonaws.com"}
"""Source: EKS user guide `using-service-linked-roles`, Auto Scaling and EC2 Spot user guides, read 2026-11-20."""
_SHOWN = 8


@check("launch-permission", "nodeGroups")
def launch_permission(inquiry: Inquiry) -> Iterator[CheckFinding]:
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
def service_linked_roles(inquiry: Inquiry) -> Iterator[CheckFinding]:
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
def deployment_permissions(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The caller's policies allow what `accel policy deploy` allows: each action, on the stack's resources and in its region.

    An action counts as allowed where it is on any of the resources of its statement. What hangs on other conditions is
    unknown. Source: IAM SimulatePrincipalPolicy.
    """
    if inquiry.policy is None:
        return
    who = inquiry.aws.ask(caller(inquiry.region))
    principal = principal_of(who.value)
    if principal is None:
        yield ok("cluster", f"{who.value} is the account's root user, whom no policy of its own restricts", who)
        return
    account = principal.split(":")[4]
    answers = inquiry.aws.ask_all(simulations(inquiry.policy(account), inquiry.region, principal))
    failed = next((answer for answer in answers if answer.failure), None)
    if failed:
        yield unknown("cluster", failed)
        return
    refusing = [answer for answer in answers if not all(each.allowed for each in answer.value)]
    refused = {each.eval_action_name: each.missing for answer in refusing for each in answer.value if not each.allowed}
    denied = [action for action, missing in refused.items() if not missing]
    if denied:
        found = f"{principal} may not: {_some(denied)}"
        yield problem("cluster", found, f"`accel policy deploy {inquiry.stack}` prints what is needed", *refusing)
    elif refused:
        keys = ", ".join(sorted(set().union(*refused.values())))
        found = f"whether {principal} may {_some(list(refused))} hangs on {keys}, which is known at a deployment only"
        yield not_known("cluster", found, "compare with `accel policy deploy`", *refusing)
    else:
        count = len({each.eval_action_name for answer in answers for each in answer.value})
        yield ok("cluster", f"{principal} may do all {count} actions of the deployment", *answers)


def _some(actions: Sequence[str]) -> str:
    more = f" and {len(actions) - _SHOWN} more" if len(actions) > _SHOWN else ""
    return ", ".join(actions[:_SHOWN]) + more


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
