"""Waits until a vLLM server has no request under way: what a container runs before SIGTERM, which would end them.

Arguments: the address of the metrics, seconds to wait first, while proxies hear that the pod is no endpoint any more,
and seconds to wait at most in all. Ends well in any case: Kubernetes sends SIGTERM afterwards.
"""

import sys
import time
import urllib.request

COUNTED = ("vllm:num_requests_running", "vllm:num_requests_waiting")


def under_way(address: str) -> float:
    """Requests that the server works on or has in its queue."""
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310  (an address of its own pod)
        lines = answer.read().decode().splitlines()
    found = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return sum(float(value) for name, value in found if name.partition("{")[0] in COUNTED)


def main(address: str, first: float, most: float) -> None:
    """Wait until the server at ``address`` works at no request: at least ``first`` and at most ``most`` seconds."""
    end = time.monotonic() + most
    time.sleep(min(first, most))
    while time.monotonic() < end:
        try:
            if not under_way(address):
                return
        except (OSError, ValueError) as error:
            sys.stderr.write(f"no answer: {error}\n")
        time.sleep(1)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
