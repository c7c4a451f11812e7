"""Every fact has a source: in each data file, for each of its parts."""

import re

import pytest

from eks_accelerators.accelerators import data


@pytest.mark.parametrize("name", [name for name in data.names() if name != "prices"])
def test_data_files_name_their_sources(name):
    sources = data.load(name)["sources"]

    assert sources
    assert all(isinstance(source, str) and len(source) > 10 for source in sources.values())


@pytest.mark.parametrize("name", data.load("prices")["prices"])
def test_every_price_has_unit_source_and_date(name):
    row = data.load("prices")["prices"][name]

    assert row["unit"].startswith("USD per")
    assert row["usd"]
    assert all(usd > 0 for usd in row["usd"].values())
    assert set(row["source"]) == set(row["usd"])
    assert all(re.search(r", 20\d\d-\d\d-\d\d$", source) for source in row["source"].values())


def test_every_instance_type_names_its_source():
    assert all(row["source"] for row in data.load("instance-types")["instance_types"])
