"""Stack files are judged by the clock, by which the support of a Kubernetes version ends: here it stands still."""

from tests.components.conftest import stopped_clock

__all__ = ["stopped_clock"]
