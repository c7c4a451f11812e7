"""AWS's price list: what is asked of GetProducts, and the on-demand prices in what it answers.

Source: AWS Price List API, read 2026-11-20; botocore 1.44.5 `pricing` 2017-10-15.
"""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from eks_accelerators.capacity.aws_calls import Call

HOME = "us-east-1"
"""Where the Pricing API answers for all regions of the partitions `aws` and `aws-us-gov`."""

_LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}


def instance_call(instance_type: str, **more: str) -> Call[list[str]]:
    """The products of Linux on shared hardware, on demand; ``more`` are other attributes, such as `regionCode`."""
    return products_call("AmazonEC2", {"instanceType": instance_type, **more, **_LINUX})


def products_call(service: str, attributes: Mapping[str, str]) -> Call[list[str]]:
    """The products of a service that have ``attributes``, each a JSON document."""
    filters: list[dict[str, Any]] = [
        {"Type": "TERM_MATCH", "Field": key, "Value": value} for key, value in attributes.items()
    ]
    return Call("pricing", "get_products", HOME, "PriceList", list[str], {"ServiceCode": service, "Filters": filters})


def attributes_of(product: str) -> Mapping[str, str]:
    """Its attributes, such as `regionCode` and `usagetype`."""
    found: Mapping[str, str] = json.loads(product)["product"]["attributes"]
    return found


def on_demand_usd(products: Iterable[str]) -> Decimal | None:
    """USD for a unit: the one on-demand price among ``products``, each a JSON document; None where there is none.

    Of a price that falls with the amount it is that of the first unit.
    """
    found = {
        Decimal(dimension["pricePerUnit"]["USD"])
        for product in products
        for term in json.loads(product).get("terms", {}).get("OnDemand", {}).values()
        for dimension in term["priceDimensions"].values()
        if "USD" in dimension["pricePerUnit"] and dimension.get("beginRange", "0") == "0"
    }
    found.discard(Decimal(0))
    return found.pop() if len(found) == 1 else None
