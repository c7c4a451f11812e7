from decimal import Decimal

import pytest

from eks_accelerators.accelerators import prices


@pytest.mark.parametrize(
    ("instance_type", "region", "usd"),
    [
        pytest.param("g6.2xlarge", "us-east-1", Decimal("0.9776"), id="accelerated"),
        pytest.param("m6i.large", "us-east-2", Decimal("0.096"), id="system"),
        pytest.param("p5e.48xlarge", "us-east-1", None, id="no-public-price"),
        pytest.param("g7.2xlarge", "us-west-2", None, id="not-in-this-region"),
        pytest.param("g6.2xlarge", "eu-west-1", None, id="region-without-prices"),
        pytest.param("c5.large", "us-east-1", None, id="type-outside-the-tables"),
    ],
)
def test_on_demand(instance_type, region, usd):
    assert prices.on_demand(instance_type, region) == usd


def test_services_have_a_price_where_it_was_read():
    assert prices.service("eks_cluster_hour", "us-east-1") == Decimal("0.1")
    assert prices.service("interface_endpoint_zone_hour", "eu-west-1") is None


@pytest.mark.parametrize(
    ("region", "arguments", "monthly"),
    [
        pytest.param("us-east-1", {}, Decimal("8"), id="size-alone"),
        pytest.param("us-east-1", {"iops": 3000, "throughput_mibps": 125}, Decimal("8"), id="what-is-included"),
        pytest.param("us-east-1", {"iops": 4000}, Decimal("13"), id="more-iops"),
        pytest.param("us-east-1", {"throughput_mibps": 225}, Decimal("12"), id="more-throughput"),
        pytest.param("us-east-2", {}, Decimal("8"), id="region-with-a-price-for-size"),
        pytest.param("us-east-2", {"iops": 4000}, Decimal("13"), id="iops-in-another-region"),
        pytest.param("eu-west-1", {}, None, id="region-without-prices"),
    ],
)
def test_gp3_volumes(region, arguments, monthly):
    hourly = prices.gp3_volume(region, 100, **arguments)

    assert (hourly is None) is (monthly is None)
    assert hourly is None or round(hourly * prices.HOURS_PER_MONTH, 6) == monthly
