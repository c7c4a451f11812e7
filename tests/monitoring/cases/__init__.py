"""Every case, by what its alert is about."""

from tests.monitoring.cases import gpu_faults
from tests.monitoring.cases.case import Case

CASES: list[Case] = [*gpu_faults.CASES]
