import pytest

from eks_accelerators.accelerators.mig import rules


@pytest.mark.parametrize(
    ("strategy", "image_runs_plugin", "refused"),
    [("mixed", True, True), ("mixed", False, False), ("single", True, False), ("none", True, False)],
)
def test_mixed_is_not_for_bottlerocket(strategy, image_runs_plugin, refused):
    assert bool(rules.strategy_problem(strategy, image_runs_plugin)) == refused


@pytest.mark.parametrize(("size", "on_instances", "refused"), [(2, True, True), (1, True, False), (8, False, False)])
def test_no_parallel_job_on_instances(size, on_instances, refused):
    assert bool(rules.parallel_problem(size, on_instances)) == refused


def test_auto_mode_names_what_it_has_not():
    assert rules.auto_mode_problem("MIG").message.endswith("MIG needs managed node groups or Karpenter")
