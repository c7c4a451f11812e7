"""Dashboards as ConfigMaps."""

import json

import pytest

from eks_accelerators.monitoring.dashboards import Dashboard, dashboards_of
from eks_accelerators.monitoring.dashboards.config_maps import MOST_BYTES, DashboardTooLargeError, config_maps
from tests.monitoring.dashboards.stacks import EVERY, WITH_MIG
from tests.monitoring.stacks import stack_of


def test_each_dashboard_is_one_file_of_one_config_map_that_the_sidecar_finds():
    dashboards = dashboards_of(stack_of(WITH_MIG), EVERY)

    made = config_maps(dashboards)

    assert [one.name for one in made] == [dashboard.name for dashboard in dashboards]
    assert all(one.labels == {"grafana_dashboard": "1"} for one in made)
    assert [one.data for one in made] == [{f"{each.name}.json": each.json} for each in dashboards]
    assert {json.loads(text)["uid"] for one in made for text in one.data.values()} == {one.name for one in made}


def test_they_are_small_enough_for_kubectl_apply_too():
    """`kubectl apply` writes the whole object into an annotation, and annotations hold 256 KiB."""
    sizes = [
        len(text.encode())
        for one in config_maps(dashboards_of(stack_of(WITH_MIG), EVERY))
        for text in one.data.values()
    ]

    assert max(sizes) < 256 * 1024 / 2


def test_one_that_does_not_fit_is_refused():
    fits = Dashboard("fits", "Fits", "x" * MOST_BYTES)
    too_large = Dashboard("large", "Large", "x" * (MOST_BYTES + 1))

    assert len(config_maps([fits])) == 1
    with pytest.raises(DashboardTooLargeError, match="large has 1048577 bytes; a ConfigMap holds 1048576"):
        config_maps([too_large])
