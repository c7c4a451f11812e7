"""Where autoscalers in the cluster find the Prometheus of a stack."""

import pytest

from eks_accelerators.settings.prometheus_address import can_be_asked, prometheus_address
from tests.settings.example import check

OWN = "http://prometheus.observability.svc:9090"


@pytest.mark.parametrize(
    ("monitoring", "address", "can"),
    [
        pytest.param({}, None, False, id="none"),
        pytest.param({"prometheus": "stack"}, "http://prometheus-operated.monitoring.svc:9090", True, id="stack"),
        pytest.param({"prometheus": "existing"}, None, False, id="existing-somewhere"),
        pytest.param({"prometheus": "existing", "prometheusAddress": OWN}, OWN, True, id="existing"),
        pytest.param({"prometheus": "amp"}, None, True, id="amp-once-it-is-there"),
    ],
)
def test_address(monitoring, address, can):
    settings = check({"monitoring": monitoring}).settings

    assert (prometheus_address(settings), can_be_asked(settings)) == (address, can)
