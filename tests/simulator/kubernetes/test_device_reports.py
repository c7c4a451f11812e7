"""Who says how well the devices of nodes are."""

import pytest

from eks_accelerators.simulator.kubernetes.device_reports import DeviceReports
from eks_accelerators.simulator.metrics.faults import DeviceFaults


def test_faults_of_a_load_are_over_with_it_however_it_ends():
    reports, faults = DeviceReports(), DeviceFaults()
    before, seen = reports.health, []

    def load():
        with reports.judged_by(faults):
            seen.append(reports.health)
            raise TimeoutError

    with pytest.raises(TimeoutError):
        load()
    assert (seen, reports.health) == ([faults], before)
