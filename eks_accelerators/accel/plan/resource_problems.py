"""What Pulumi or EKS would refuse among the resources that a program registers, whoever wrote the program."""

from collections import Counter
from collections.abc import Iterable, Iterator

from eks_accelerators.accel.plan.recorder import Resource
from eks_accelerators.settings.launch_template_rules import RULES
from eks_accelerators.settings.problems import Problem, Severity

_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def problems_of(resources: Iterable[Resource]) -> Iterator[Problem]:
    """What Pulumi or EKS would refuse among ``resources``."""
    listed = list(resources)
    yield from _registered_twice(listed)
    templates = {resource.urn: resource for resource in listed if resource.type == _TEMPLATE}
    for group in listed:
        if group.type != _NODE_GROUP:
            continue
        # Not `dependencies`: a group that is made after another depends on that one's template too.
        own = group.property_dependencies.get("launchTemplate", ())
        template = next((templates[urn] for urn in own if urn in templates), None)
        if template is None:
            continue
        for code, judge in RULES.items():
            for message, found, allowed, fix in judge(group.inputs, template.inputs):
                yield Problem(code, Severity.ERROR, f"resources.{template.name}", message, found, allowed, fix)


def _registered_twice(resources: Iterable[Resource]) -> Iterator[Problem]:
    """Two resources with one URN: the engine stops at the second."""
    for urn, count in Counter(resource.urn for resource in resources).items():
        if count > 1:
            kind, name = urn.split("::", 3)[2:]
            yield Problem(
                "duplicate-urn",
                Severity.ERROR,
                f"resources.{name}",
                f"{count} resources of one type have this name, and Pulumi refuses the second",
                kind.rpartition("$")[2],
                "a name of its own for each",
                "name one of them differently",
            )
