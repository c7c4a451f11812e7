import re

import pytest
import yaml

from eks_accelerators.settings import reference_page
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.schema import stack_file_schema


def headings() -> list[str]:
    return re.findall(r"^#+ `(.+)`$", reference_page.page(), re.MULTILINE)


def test_the_written_page_is_current():
    written = reference_page.PATH.read_text(encoding="utf-8")

    assert written == reference_page.page(), "run `python -m eks_accelerators.settings.reference_page`"


def test_every_key_of_the_schema_has_a_row():
    schema = stack_file_schema()
    keys = {key for part in schema["$defs"].values() for key in part.get("properties", {})} - {"secure"}
    keys |= set(schema["properties"]["config"]["properties"])

    rows = set(re.findall(r"^\| `([^`]+)` \|", reference_page.page(), re.MULTILINE))

    assert rows == keys


def test_each_part_has_one_section():
    assert len(headings()) == len(set(headings()))
    assert {"network.create", "nodeGroups.<name>.efa.interfaces[]", "workloads.vllm.<name>.cache"} <= set(headings())


def test_no_row_is_without_its_kind_and_meaning():
    for row in re.findall(r"^\| `.*$", reference_page.page(), re.MULTILINE):
        _, _, kind, _, meaning, _ = re.split(r" ?(?<!\\)\| ?", row)
        assert kind, row
        assert meaning or "keys below" in kind, row


@pytest.mark.parametrize(
    "row",
    [
        '| `kubernetesVersion` | text | `"1.35"` | Minor version, in quotes. |',
        "| `max` | whole number, 0 to 100,000 | **required** | Largest number of nodes. |",
        "| `natGateways` | `none`, `single`, `onePerZone` | `single` | `single` is cheapest,",
        "| `size` | keys below | `{min: 2, desired: 2, max: 3}` | How many nodes. |",
        "| `monthlyUsd` | number above 0 | **required** | Limit in USD",
        "| `overrides` | list, keys below |  | Other actions for single conditions. |",
        "| `encrypted` | `true` or `false` | `true` | Whether the volume is encrypted. |",
        "| `diskSizeGib` | whole number, 20 to 16,384 | `50` |",
    ],
)
def test_a_row_reads_as_it_should(row):
    assert f"\n{row}" in reference_page.page()


def test_the_smallest_stack_file_is_one(tmp_path):
    fragment = re.search(r"```yaml\n(.+?)```", reference_page.page(), re.DOTALL)
    assert fragment
    file = tmp_path / "Pulumi.smallest.yaml"
    file.write_text(fragment.group(1), encoding="utf-8")

    checked = load_stack_file(file)

    assert yaml.safe_load(fragment.group(1))["config"]["eks-accelerators:owner"]
    assert not errors(checked.problems)
