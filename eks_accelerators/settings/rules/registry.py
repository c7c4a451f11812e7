"""How a rule is written down: one small function with a code that reads as words.

A rule yields findings. Its docstring says what it demands and where that comes from; `docs/rules.md`
is made of them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.gpu_memory import sized_group
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a rule found at one property path."""

    path: str
    message: str
    found: str
    allowed: str
    fix: str


class Context:
    """The stack as the rules see it, and the time."""

    def __init__(self, stack: ResolvedStack, now: datetime) -> None:
        self.stack = stack
        self.settings = stack.settings
        self.now = now

    @cached_property
    def groups(self) -> tuple[tuple[str, AcceleratorNodeGroupSettings, InstanceType], ...]:
        """Path, settings and type of each accelerator node group whose type is known."""
        return tuple(
            (f"nodeGroups.{name}", sized_group(self.settings, name), kind)
            for name, group in self.settings.node_groups.items()
            if (kind := instance_types.find(group.instance_type))
        )

    @property
    def resolved(self) -> Mapping[str, ResolvedNodeGroup]:
        """The groups that can be resolved, by name; what stops the others is another rule's finding."""
        return self.stack.groups

    @cached_property
    def placed(self) -> tuple[tuple[str, Workload, ResolvedNodeGroup], ...]:
        """Path, settings and node group of each workload whose group can be resolved."""
        return tuple((placed.path, placed.workload, placed.group) for placed in self.stack.workloads)


Check = Callable[[Context], Iterator[RuleFinding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code, what its findings do, and the function that finds."""

    code: str
    severity: Severity
    check: Check

    @property
    def description(self) -> str:
        """The rule's docstring."""
        return (self.check.__doc__ or "").strip()

    def problems(self, context: Context) -> Iterator[Problem]:
        """What the rule finds, as problems."""
        for finding in self.check(context):
            yield Problem(
                self.code,
                self.severity,
                finding.path,
                finding.message,
                finding.found or "nothing",
                finding.allowed or "nothing",
                finding.fix,
            )


RULES: dict[str, Rule] = {}


def rule(code: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Check]:
    """Register a function as the rule ``code``."""

    def register(check: Check) -> Check:
        if code in RULES:
            raise ValueError(f"two rules are called {code}")
        RULES[code] = Rule(code, severity, check)
        return check

    return register
