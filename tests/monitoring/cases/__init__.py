"""Every case, by what its alert is about."""

from tests.monitoring.cases import gpu_faults, gpu_speed, mig, nodes, others, pods, servers
from tests.monitoring.cases.case import Case

WRITTEN: list[Case] = [
    case for about in (gpu_faults, gpu_speed, mig, nodes, pods, servers, others) for case in about.CASES
]
CASES: list[Case] = [*WRITTEN, *(early for case in WRITTEN if (early := case.too_early))]
