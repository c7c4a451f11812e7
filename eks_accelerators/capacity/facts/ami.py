"""Image types that AWS publishes images of, in `data/ami.json`; the rest of the file is by hand."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.accelerators.ami_images import newest_image_parameter
from eks_accelerators.capacity.aws_calls.public_parameters import parameters
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """The types of the file of which a public parameter names an image, for any Kubernetes version that is known.

    A type that SSM has nothing of is published no more; new ones are in botocore's models, which a test reads.
    """
    names = {kind: _names(kind) for kind in document["types"]}
    answers = asker.ask_all(parameters(asker.home, [name for each in names.values() for name in each]))
    if any(answer is None for answer in answers):
        return
    published = {each.name for answer in answers for each in answer or ()}
    if not published:
        asker.miss(f"image types: {asker.home} has no public parameter of any")
        return
    types = [kind for kind, wanted in names.items() if not wanted or published.intersection(wanted)]
    yield FactValue(("types",), types, f"SSM GetParameters of the newest images in {asker.home}")


def _names(ami_type: str) -> list[str]:
    """The parameters that would name its newest images; none of what nobody publishes, as a custom image."""
    named = (newest_image_parameter(ami_type, version) for version in kubernetes_versions.every())
    return [name for name in named if name]
