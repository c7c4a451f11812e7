"""Parameters that AWS itself publishes in SSM Parameter Store, such as those that name the newest images.

Source: SSM API Reference, GetParameters and GetParametersByPath (botocore 1.44.5).
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.capacity.aws_calls.call import Call, PascalCase

_MOST_NAMES = 10
"""Names in one GetParameters."""


class Parameter(PascalCase):
    """A parameter by its whole path, and what it says: the ID of an image, a release, a region."""

    name: str
    value: str


def parameters(region: str, names: Sequence[str]) -> Iterator[Call[list[Parameter]]]:
    """The parameters called ``names``; those that are not there are left out of the answer."""
    for start in range(0, len(names), _MOST_NAMES):
        some = list(names[start : start + _MOST_NAMES])
        yield Call("ssm", "get_parameters", region, "Parameters", list[Parameter], {"Names": some})


def parameters_below(region: str, path: str) -> Call[list[Parameter]]:
    """The parameters one level below ``path``; none where there is no such path."""
    return Call("ssm", "get_parameters_by_path", region, "Parameters", list[Parameter], {"Path": path})
