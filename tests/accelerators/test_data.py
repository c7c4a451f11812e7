"""Every fact has a source: in each data file, for each of its parts."""

import re

import pytest

from eks_accelerators.accelerators import data, ebs_throughput, instance_types

PRICES = ("prices", "storage-prices")


@pytest.mark.parametrize("name", [name for name in data.names() if name != "prices"])
def test_data_files_name_their_sources(name):
    sources = data.load(name)["sources"]

    assert sources
    assert all(isinstance(source, str) and len(source) > 10 for source in sources.values())


@pytest.mark.parametrize(("file", "name"), [(f, name) for f in PRICES for name in data.load(f)["prices"]])
def test_every_price_has_unit_source_and_date(file, name):
    row = data.load(file)["prices"][name]

    assert row["unit"].startswith("USD per")
    assert row["usd"]
    assert all(usd > 0 for usd in row["usd"].values())
    assert set(row["source"]) == set(row["usd"])
    assert all(re.search(r", 20\d\d-\d\d-\d\d$", source) for source in row["source"].values())


def test_every_instance_type_names_its_source():
    assert all(row["source"] for row in data.load("instance-types")["instance_types"])


def test_every_instance_type_has_its_throughput_of_ebs_but_one_that_nobody_describes():
    known = {name for name in instance_types.names() if ebs_throughput.maximum_mbps(name)}

    assert set(instance_types.names()) - known == {"p6e-gb200.36xlarge"}
