import pytest
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from eks_accelerators.accelerators import instance_types, zones


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("us-east-2", "use2"),
        ("us-west-2", "usw2"),
        ("eu-central-1", "euc1"),
        ("ap-southeast-1", "apse1"),
        ("ap-northeast-3", "apne3"),
        ("sa-east-1", "sae1"),
        ("us-gov-west-1", "usgw1"),
        ("cn-northwest-1", "cnnw1"),
    ],
)
def test_zone_ids_start_with_their_region(region, prefix):
    assert zones.zone_id_prefix(region) == prefix
    assert zones.belongs_to(f"{prefix}-az1", region)


@pytest.mark.parametrize(
    ("zone", "region", "expected"),
    [
        pytest.param("us-east-2a", "us-east-2", True, id="name"),
        pytest.param("us-east-1a", "us-east-2", False, id="name-of-another-region"),
        pytest.param("us-east-2", "us-east-2", False, id="no-letter"),
        pytest.param("us-east-2ab", "us-east-2", False, id="two-letters"),
        pytest.param("use2-az1", "us-east-2", True, id="id"),
        pytest.param("use1-az1", "us-east-2", False, id="id-of-another-region"),
        pytest.param("use2-az10", "us-east-2", False, id="no-id"),
    ],
)
def test_belonging_to_a_region(zone, region, expected):
    assert zones.belongs_to(zone, region) is expected


def test_names_are_told_from_ids():
    assert zones.is_zone_id("use2-az1")
    assert not zones.is_zone_id("us-east-2a")


def test_zones_without_a_control_plane_are_known_by_id_only():
    assert zones.without_control_plane("use1-az3")
    assert not zones.without_control_plane("us-east-1c")


@pytest.mark.parametrize("kind", instance_types.every(), ids=lambda kind: kind.name)
def test_offered_zones_belong_to_their_regions(kind):
    for region, offered in kind.offered_zone_ids.items():
        assert all(zones.belongs_to(zone, region) for zone in offered)


@pytest.mark.parametrize(
    ("zone", "edge"),
    [
        pytest.param("us-west-2-lax-1a", "Local Zone", id="local"),
        pytest.param("us-gov-west-1-lax-1a", "Local Zone", id="local-of-govcloud"),
        pytest.param("usw2-lax1-az1", "Local Zone", id="local-by-id"),
        pytest.param("us-east-1-wl1-bos-wlz-1", "Wavelength Zone", id="wavelength"),
        pytest.param("use1-wl1-bos-wlz1", "Wavelength Zone", id="wavelength-by-id"),
        pytest.param("us-east-2a", None, id="name"),
        pytest.param("use2-az1", None, id="id"),
        pytest.param("us-west-2-lax", None, id="neither"),
    ],
)
def test_local_and_wavelength_zones(zone, edge):
    assert zones.edge(zone) == edge


RECORDED = {
    region: found for region, found in RegionsAndZonesBackend.zones.items() if zones.known(region, ids=True) is not None
}


def test_regions_of_which_no_zones_are_known():
    assert set(instance_types.regions()) - set(RECORDED) == {
        *("cn-north-1", "cn-northwest-1", "us-gov-east-1", "us-gov-west-1")
    }


@pytest.mark.parametrize("region", RECORDED)
def test_zones_that_an_account_had_are_known(region):
    """Held against what moto has of DescribeAvailabilityZones."""
    assert {zone.zone_id for zone in RECORDED[region]} <= set(zones.known(region, ids=True))
    assert {zone.name for zone in RECORDED[region]} <= set(zones.known(region, ids=False))
    assert len(RECORDED[region]) >= len(zones.known(region, ids=True)) - 1
