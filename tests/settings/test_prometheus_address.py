"""Where autoscalers in the cluster find the Prometheus of a stack."""

import pytest

from eks_accelerators.settings.prometheus_address import prometheus_address
from tests.settings.example import check

OWN = "http://prometheus.observability.svc:9090"


@pytest.mark.parametrize(
    ("monitoring", "address"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"prometheus": "stack"}, "http://prometheus-operated.monitoring.svc:9090", id="stack"),
        pytest.param({"prometheus": "existing"}, None, id="existing-somewhere"),
        pytest.param({"prometheus": "existing", "prometheusAddress": OWN}, OWN, id="existing"),
        pytest.param({"prometheus": "amp"}, None, id="amp"),
    ],
)
def test_address(monitoring, address):
    assert prometheus_address(check({"monitoring": monitoring}).settings) == address
