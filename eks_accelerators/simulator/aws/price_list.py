"""List prices, those of the facts."""

import json
from typing import Any

from eks_accelerators.accelerators import prices
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="AWS Price List API GetProducts (botocore 1.44.5)."))


@operation("pricing", "get_products")
def get_products(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The on-demand price of an instance type; nothing where no table has it."""
    wanted = {each["Field"]: each["Value"] for each in parameters.get("Filters", [])}
    usd = prices.on_demand(wanted.get("instanceType", ""), wanted.get("regionCode", ""))
    if usd is None:
        return {"FormatVersion": "aws_v1", "PriceList": []}
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": f"{usd:.10f}"}}
    terms = {"OnDemand": {"simulated": {"priceDimensions": {"simulated": dimension}}}}
    return {"FormatVersion": "aws_v1", "PriceList": [json.dumps({"terms": terms})]}
