"""What programs in other languages see: the schema that Pulumi's own analyzer makes of the components."""

import inspect
import json
from functools import cache

from pulumi.provider.experimental.component import ComponentProvider
from syrupy.extensions.json import JSONSnapshotExtension

from eks_accelerators import components

PACKAGE = "eks-accelerators"


@cache
def schema():
    provider = ComponentProvider(list(components.ALL), PACKAGE, version="0.1.0")
    made = json.loads(provider.schema, object_hook=_tidy)
    for versions in (made.get("language", {}), made):  # which provider versions are installed here is no interface
        versions.pop("dependencies", None)
    return made


def _tidy(part):
    """Python 3.13 takes the indentation off docstrings when it compiles them; here every version does."""
    if isinstance(part.get("description"), str):
        part["description"] = inspect.cleandoc(part["description"])
    return part


def test_the_package_schema(snapshot):
    assert schema() == snapshot(extension_class=JSONSnapshotExtension)


def test_every_component_has_its_token_and_a_description():
    resources = schema()["resources"]

    assert set(resources) == {f"{PACKAGE}:index:{component.__name__}" for component in components.ALL}
    assert [token for token, resource in resources.items() if not resource.get("isComponent")] == []


def test_every_argument_is_required_or_not_as_declared():
    for component in components.ALL:
        resource = schema()["resources"][f"{PACKAGE}:index:{component.__name__}"]
        declared = getattr(components, f"{component.__name__}Args")
        assert len(resource.get("requiredInputs", [])) == len(declared.__required_keys__), component
        assert len(resource["inputProperties"]) == len(declared.__required_keys__ | declared.__optional_keys__)
