"""`accel plan`: the program itself, run without an engine, and what came of it.

`plan` is also for other programs: it takes the place of a stack and returns a `Plan`.
"""

from eks_accelerators.accel.plan.plan import Plan, plan

__all__ = ["Plan", "plan"]
