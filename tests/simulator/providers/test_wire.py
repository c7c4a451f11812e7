"""The marks of Pulumi's wire format are the SDK's, and typed nowhere here."""

import pytest
from pulumi.runtime import rpc

from eks_accelerators.settings.generated_files import ROOT
from eks_accelerators.simulator.providers import wire
from eks_accelerators.simulator.providers.values import has_unknown, to_python, to_struct

MARKS = [value for name, value in vars(rpc).items() if name.startswith("_special_") or name == "UNKNOWN"]
SOURCES = [
    path
    for folder in ("eks_accelerators", "components", "tests", "benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.py")
]


def test_no_mark_is_typed_here():
    assert len(MARKS) > 5
    assert [str(path) for path in SOURCES if any(mark in path.read_text(encoding="utf-8") for mark in MARKS)] == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({wire.SIGNATURE: wire.SECRET, "value": "s3cret"}, "s3cret"),
        ({wire.SIGNATURE: wire.SECRET, "value": {"list": [1]}}, {"list": [1]}),
        ({wire.SIGNATURE: wire.RESOURCE, "urn": "urn:pulumi:it", "id": "vpc-1"}, "vpc-1"),
        ({wire.SIGNATURE: wire.RESOURCE, "urn": "urn:pulumi:it", "id": ""}, wire.UNKNOWN),
    ],
)
def test_what_is_marked_is_read_as_what_it_stands_for(written, read):
    found = to_python(to_struct({"property": written}))["property"]

    assert found == read
    assert has_unknown(found) == (read == wire.UNKNOWN)
