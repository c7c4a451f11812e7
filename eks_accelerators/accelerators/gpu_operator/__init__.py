"""The NVIDIA GPU Operator: values of its chart and the MIG layouts in them, judged before a cluster has them."""

from eks_accelerators.accelerators.gpu_operator.chart import judge_operator_chart
from eks_accelerators.accelerators.gpu_operator.mig_parted import judge_mig_parted

__all__ = ["judge_mig_parted", "judge_operator_chart"]
