"""What every component has in common."""

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import pulumi

from eks_accelerators.settings.problems import SettingsError
from eks_accelerators.settings.shape_problems import missing_key, unknown_key, wrong

Inputs = TypeVar("Inputs")
"""What a component is made of once every default is applied."""


class Component(pulumi.ComponentResource, Generic[Inputs]):
    """A component whose children wait for what it waits for.

    There are two ways to one: `__init__` takes arguments as people write them, in any language, and parses them; `of`
    takes what is resolved already.
    """

    @classmethod
    def of(cls, name: str, inputs: Inputs, opts: pulumi.ResourceOptions | None = None) -> Self:
        """The component of ``inputs``: nothing is parsed, resolved or judged any more."""
        component = cls.__new__(cls)
        component._create(name, inputs, opts)
        return component

    def _create(self, name: str, inputs: Inputs, opts: pulumi.ResourceOptions | None) -> None:
        """Register the component and its children."""
        raise NotImplementedError

    def _register(self, name: str, opts: pulumi.ResourceOptions | None, shown: Mapping[str, Any] | None = None) -> None:
        """Register the component itself. ``shown`` are inputs that a comparison must see, where every child's are unknown
        before a deployment.
        """
        super().__init__(f"eks-accelerators:index:{type(self).__name__}", name, dict(shown or {}), opts)
        # A component's own depends_on orders nothing by itself: Pulumi hands providers down to
        # children, but not dependencies.
        self._waits_for: list[Any] = _as_list(opts.depends_on) if opts else []

    @classmethod
    def refuse_wrong_keys(cls, args: Mapping[str, Any]) -> None:
        """Raise `SettingsError` for keys that the component does not know, and for required ones that are missing."""
        shape = cls.__init__.__annotations__["args"]
        known = shape.__required_keys__ | shape.__optional_keys__
        if not isinstance(args, Mapping):
            message = f"{cls.__name__} takes one dictionary of arguments"
            found, keys = type(args).__name__, ", ".join(sorted(known))
            raise SettingsError(
                [wrong(("args",), "wrong-type", message, found, f"keys with values: {keys}", "write them in braces")]
            )
        problems = [unknown_key((key,), sorted(known)) for key in args if key not in known]
        problems += [missing_key((key,)) for key in sorted(shape.__required_keys__ - args.keys())]
        if problems:
            raise SettingsError(problems)

    def child(self, *, depends_on: list[Any] | None = None, **options: Any) -> pulumi.ResourceOptions:
        """Options for a child resource: parented here, waiting for what this component waits for."""
        return pulumi.ResourceOptions(parent=self, depends_on=[*self._waits_for, *(depends_on or [])], **options)


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def named(tags: Mapping[str, str] | None, name: str) -> dict[str, str]:
    """The tags of a resource that shows a name in the AWS console."""
    return {**(tags or {}), "Name": name}
