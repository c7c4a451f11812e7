"""Every fact has a source: in each data file, for each of its parts."""

from importlib.resources import files

import pytest

from eks_accelerators.accelerators import data

NAMES = sorted(file.name.removesuffix(".json") for file in files(data).iterdir() if file.name.endswith(".json"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "prices"])
def test_data_files_name_their_sources(name):
    sources = data.load(name)["sources"]

    assert sources
    assert all(isinstance(source, str) and len(source) > 10 for source in sources.values())


@pytest.mark.parametrize("name", data.load("prices")["prices"])
def test_every_price_has_unit_source_and_date(name):
    row = data.load("prices")["prices"][name]

    assert row["usd"] > 0
    assert row["unit"].startswith("USD per")
    assert row["source"]
    assert row["date"].startswith("202")
    assert row["regions"]


def test_every_instance_type_names_its_source():
    assert all(row["source"] for row in data.load("instance-types")["instance_types"])
