"""PyTorch, where this machine has it: Debian's package `python3-torch`, which the system's own Python imports."""

from pathlib import Path

import pytest

DEBIAN_PYTHON = "/usr/bin/python3"
needs_torch = pytest.mark.skipif(
    not Path("/usr/lib/python3/dist-packages/torch/__init__.py").is_file(),
    reason="needs PyTorch: Debian's package python3-torch",
)
