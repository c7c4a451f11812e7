"""What a search for Capacity Blocks costs in time, where every call takes 100 ms: all regions over the slowest one alone.

Twice: with the answers alone, and with boto3's own clients, one for each region, which are made meanwhile. A figure that
misses its aim is shown and changes no exit status.

    python benchmarks/blocks.py [--json]
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from botocore.awsrequest import AWSResponse  # noqa: E402

from eks_accelerators.capacity.aws_calls import Aws  # noqa: E402
from eks_accelerators.capacity.aws_calls.clients import BotoClients  # noqa: E402
from eks_accelerators.capacity.blocks.search import AT_ONCE, BlockRequirements, known_regions, search, search_everywhere  # noqa: E402
from tests.capacity.fakes import FakeAws  # noqa: E402

LATENCY_SECONDS = 0.1
AIM = 1.5
ROUNDS = 5
HOME = "us-east-1"
WANTED = BlockRequirements("p5.48xlarge", 4, 72)
NONE = b"<R><capacityBlockOfferingSet/></R>"
REGIONS = "<R><regionInfo>{}</regionInfo></R>".format(
    "".join(f"<item><regionName>{region}</regionName></item>" for region in known_regions(HOME))
).encode()


class SlowAws(FakeAws):
    """Regions that have nothing on sale, far away."""

    def __init__(self) -> None:
        regions = [{"RegionName": region} for region in known_regions(HOME)]
        super().__init__(
            {
                "ec2.describe_capacity_block_offerings": _after_a_while({"CapacityBlockOfferings": []}),
                "ec2.describe_regions": _after_a_while({"Regions": regions}),
            }
        )


def _after_a_while(answer: Any) -> Any:
    def reply(_parameters: Any) -> Any:
        time.sleep(LATENCY_SECONDS)
        return answer

    return reply


class SlowBoto(BotoClients):
    """boto3's own clients, whose requests are answered after a while and never sent."""

    def __init__(self) -> None:
        super().__init__(connections=AT_ONCE)

    def get(self, service: str, region: str) -> Any:
        client = super().get(service, region)
        client.meta.events.register_first("before-send.ec2.*", _answer, unique_id="benchmark")
        return client


class _Raw:
    """A body as it comes off the wire."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Any:
        yield self._body


def _answer(request: Any, **_: Any) -> AWSResponse:
    time.sleep(LATENCY_SECONDS)
    body = REGIONS if "DescribeRegions" in str(request.body) else NONE
    return AWSResponse(request.url, 200, {"content-type": "text/xml"}, _Raw(body))


def seconds(clients: Any, regions: str | None) -> float:
    """Wall time of a search in one region, or in all."""
    begun = time.perf_counter()
    with Aws(clients, at_once=AT_ONCE) as aws:
        found = search(aws, WANTED, [regions]) if regions else search_everywhere(aws, WANTED, HOME)
    taken = time.perf_counter() - begun
    if found.unasked:
        sys.exit(f"not a search: {found.unasked[0][1].line}")
    return taken


def measured() -> list[dict[str, Any]]:
    """One row for each kind of clients: the best of some rounds, as the machine is shared."""
    rows = []
    for name, clients in (("answers alone", SlowAws), ("boto3's clients", SlowBoto)):
        seconds(clients(), HOME)  # models of services are read once, whoever asks
        tried = [
            (seconds(clients(), None), max(seconds(clients(), r) for r in (HOME, "us-west-2"))) for _ in range(ROUNDS)
        ]
        everywhere, one = min(tried, key=lambda each: each[0] / each[1])
        ratio = round(everywhere / one, 2)
        rows.append({"clients": name, "regions": len(known_regions(HOME)), "ratio": ratio, "aim": AIM})
    return rows


def main() -> None:
    """Measure searches over regions, and print the ratios to the floor and whether each aim is met."""
    os.environ.update(AWS_ACCESS_KEY_ID="nobody", AWS_SECRET_ACCESS_KEY="nothing")  # noqa: S106
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    rows = measured()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    print(f"a search in all regions with {LATENCY_SECONDS * 1000:.0f} ms per call, over one in a single region")
    for row in rows:
        missed = "" if row["ratio"] <= row["aim"] else "  missed"
        print(f"{row['regions']} regions, {row['clients']:16} {row['ratio']:5.2f} (aim {row['aim']}){missed}")


if __name__ == "__main__":
    main()
