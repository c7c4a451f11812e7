import pytest

from eks_accelerators.accelerators import efa, instance_types
from eks_accelerators.accelerators.efa import EfaNotSupportedError, Interface, InterfaceType

WITH_EFA = [kind for kind in instance_types.every() if kind.network.efa_cards]


@pytest.mark.parametrize(
    ("instance_type", "interfaces", "devices"),
    [
        ("p5.48xlarge", 33, 32),
        ("p5e.48xlarge", 33, 32),
        ("p5en.48xlarge", 17, 16),
        ("p6-b200.48xlarge", 9, 8),
        ("p6-b300.48xlarge", 17, 16),
        ("trn1.32xlarge", 9, 8),
        ("trn1n.32xlarge", 17, 16),
        ("trn2.48xlarge", 17, 16),
        ("p4d.24xlarge", 5, 4),
        ("g6e.48xlarge", 5, 4),
        ("g6.8xlarge", 2, 1),
        ("p5.4xlarge", 2, 1),
    ],
)
def test_how_many_interfaces_a_node_has(instance_type, interfaces, devices):
    layout = efa.layout(instance_types.get(instance_type))

    assert (len(layout), efa.efa_count(layout)) == (interfaces, devices)


def test_card_0_of_p6_b300_carries_no_efa():
    layout = efa.layout(instance_types.get("p6-b300.48xlarge"))

    assert [interface for interface in layout if interface.card == 0] == [Interface(0, 0, InterfaceType.ENA)]
    assert {interface.card for interface in layout if interface.type.is_efa} == set(range(1, 17))


def test_elsewhere_card_0_carries_both():
    layout = efa.layout(instance_types.get("p4d.24xlarge"))

    assert layout[:2] == (Interface(0, 0, InterfaceType.ENA), Interface(0, 1, InterfaceType.EFA_ONLY))
    assert layout[2:] == tuple(Interface(card, 0, InterfaceType.EFA_ONLY) for card in (1, 2, 3))


@pytest.mark.parametrize(
    ("instance_type", "reason"),
    [
        pytest.param("g6.xlarge", "has no EFA", id="too-small"),
        pytest.param("inf2.48xlarge", "has no EFA", id="family-without"),
        pytest.param("p6e-gb200.36xlarge", "are not known", id="cards-unknown"),
    ],
)
def test_types_without_a_layout(instance_type, reason):
    with pytest.raises(EfaNotSupportedError, match=reason):
        efa.layout(instance_types.get(instance_type))


@pytest.mark.parametrize("kind", WITH_EFA, ids=lambda kind: kind.name)
class TestEveryLayout:
    def test_has_one_efa_device_on_each_card_that_takes_one(self, kind):
        cards = [interface.card for interface in efa.layout(kind) if interface.type.is_efa]

        assert sorted(cards) == sorted(kind.network.efa_cards)

    def test_stays_within_the_limits_of_the_type(self, kind):
        layout = efa.layout(kind)

        assert efa.efa_count(layout) <= kind.network.max_efa_interfaces
        assert all(interface.card < kind.network.card_count for interface in layout)
        assert all(interface.device < kind.network.interfaces_per_card for interface in layout)

    def test_names_no_place_twice(self, kind):
        places = [(interface.card, interface.device) for interface in efa.layout(kind)]

        assert len(places) == len(set(places))

    def test_starts_with_the_one_interface_that_carries_ip(self, kind):
        primary, *others = efa.layout(kind)

        assert primary == Interface(0, 0, InterfaceType.ENA)
        assert {interface.type for interface in others} == {InterfaceType.EFA_ONLY}


@pytest.mark.parametrize(
    ("family", "smallest"), [("g6", "g6.8xlarge"), ("p5", "p5.4xlarge"), ("trn1", "trn1.32xlarge"), ("inf2", None)]
)
def test_the_smallest_of_a_family_with_efa(family, smallest):
    found = efa.smallest_with_efa(family, instance_types.every())

    assert (found.name if found else None) == smallest
