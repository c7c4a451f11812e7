"""What servers of tests answer with: see `eks_accelerators.simulator.local_server`."""

import json

from eks_accelerators.simulator.local_server import Reply


def reply(content, status=200, **headers):
    """A reply with ``content``: text as it is, everything else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return Reply(status, headers, text.encode())
