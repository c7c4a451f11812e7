"""What the nodes that run now would cost."""

from datetime import date

import pytest

from eks_accelerators.accel.simulate.running_cost import running_cost
from eks_accelerators.settings.cost import estimate
from tests.settings.example import check

TODAY = date(2026, 11, 23)
GROUPS = {
    "nodeGroups": {
        "l4": {"instanceType": "g6.2xlarge", "size": {"desired": 2, "max": 4}},
        "trn2": {"instanceType": "trn2.48xlarge", "size": {"max": 2}},
    },
    "workloads": {},
}
NO_PRICE = "node group trn2: trn2.48xlarge x {}: no public price"


@pytest.fixture(scope="module")
def stack():
    checked = check(GROUPS)
    assert checked.settings is not None, [str(problem) for problem in checked.problems]
    return checked.settings


@pytest.mark.parametrize(
    ("nodes", "usd", "unknown"),
    [
        pytest.param([], "0.1500", [], id="control-plane-gateway-and-address"),
        pytest.param(["l4"], "1.1495", [], id="one-with-its-disk"),
        pytest.param(["l4"] * 4, "4.1481", [], id="more-than-desired"),
        pytest.param([None, None], "0.3626", [], id="system-nodes"),
        pytest.param([None, "l4", None], "1.3621", [], id="both"),
        pytest.param(["trn2", "trn2"], "0.1938", [NO_PRICE.format(2)], id="no-public-price"),
    ],
)
def test_nodes_are_counted_as_they_are(stack, nodes, usd, unknown):
    found = running_cost(stack, nodes, TODAY)

    assert (str(found.usd_per_hour), list(found.unknown)) == (usd, unknown)


def test_what_runs_as_desired_costs_what_the_estimate_says(stack):
    found = running_cost(stack, [None, None, "l4", "l4"], TODAY)

    assert str(found.usd_per_hour) == f"{estimate(stack, TODAY).per_hour():.4f}"
