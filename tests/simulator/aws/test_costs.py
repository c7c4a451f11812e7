"""What a node group costs does not grow with those that are there: requests to moto, reads of models, lines of the journal."""

from collections import Counter
from contextlib import ExitStack, contextmanager
from unittest import mock

from botocore.endpoint import Endpoint
from botocore.loaders import JSONFileLoader

from eks_accelerators.simulator.aws.journal import Journal
from tests.simulator.aws.accounts import furnish, opened

MANY = 12


def test_a_node_group_among_many_costs_what_the_second_does(tmp_path):
    costs = []
    with opened(tmp_path) as aws:
        place, counted = furnish(aws), Counter()
        with counting(counted):
            for number in range(MANY):
                before = counted.copy()
                place.create(nodegroupName=f"gpu-{number}")
                place.group(f"gpu-{number}")
                if number % 2:
                    place.delete(f"gpu-{number}")
                costs.append((number % 2, dict(counted - before)))

    first, *others = costs  # the first learns where the type is offered
    for deleted in (0, 1):
        (cost,) = {tuple(sorted(cost.items())) for kind, cost in others if kind == deleted}
        assert "models read" not in dict(cost)
        assert dict(cost)["requests to moto"] <= 4
        assert dict(cost)["lines of the journal"] == 1 + deleted
    assert first[1]["requests to moto"] <= 5


@contextmanager
def counting(into):
    """Inside, everything that is counted goes into the counter."""
    counted = {
        "requests to moto": (Endpoint, "make_request"),
        "models read": (JSONFileLoader, "load_file"),
        "lines of the journal": (Journal, "add"),
    }
    with ExitStack() as patches:
        for name, (owner, method) in counted.items():
            patches.enter_context(mock.patch.object(owner, method, told(into, name, getattr(owner, method))))
        yield


def told(into, name, called):
    def tell(*arguments, **more):
        into[name] += 1
        return called(*arguments, **more)

    return tell
