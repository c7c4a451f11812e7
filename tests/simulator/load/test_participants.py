"""Programs that take part in a loop: one that ends by itself ends the loop, in its own words."""

import pytest

from eks_accelerators.simulator.load.participants import Participants
from eks_accelerators.simulator.processes import ServerError, Servers
from tests.polls import until
from tests.simulator.test_processes import alive


def test_a_program_that_ends_is_told():
    with Servers() as stays, Servers() as ends:
        stays.start("prometheus", ["sleep", "600"], stateless=True)
        others = Participants(None, None, None, [stays, ends])
        others.check()

        pid = ends.start("karpenter", ["sh", "-c", "echo no credentials; exit 3"])
        until(lambda: not alive(pid))

        with pytest.raises(ServerError, match=r"karpenter ended with status 3\. The end of its log:\nno credentials"):
            others.check()
