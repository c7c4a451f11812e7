import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.timeline import schedule, sentence
from eks_accelerators.simulator.timeline.rounding import said, shares
from tests.simulator.timeline.operations import op

VPC, CLUSTER, GROUP = "aws:ec2/vpc:Vpc", "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup"
SUBNET, SERVER = "aws:ec2/subnet:Subnet", "kubernetes:apps/v1:Deployment"


def chain(*steps, **more):
    """Operations one after another, each a type, its seconds and perhaps its name."""
    names = [rest[0] if rest else f"step-{index}" for index, (_, _, *rest) in enumerate(steps)]
    return [
        op(name, seconds, before, type=kind, order=index, **more)
        for index, (name, before, (kind, seconds, *_)) in enumerate(zip(names, ["", *names[:-1]], steps, strict=True))
    ]


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param(
            chain((VPC, 80), (SUBNET, 40), (CLUSTER, 550), (GROUP, 170), (SERVER, 180, "llama")),
            "17 min on AWS: VPC 2 → cluster 9 → node group 3 → Llama 3",
            id="minutes-that-add-up",
        ),
        pytest.param(chain((VPC, 6), (CLUSTER, 600)), "10 min on AWS: cluster", id="one-part-is-all"),
        pytest.param(
            chain((VPC, 6), (CLUSTER, 600), (GROUP, 120)),
            "12 min on AWS: cluster 10 → node group 2",
            id="less-than-half-a-minute-is-left-out",
        ),
        pytest.param(chain((VPC, 30.4), (GROUP, 58.4)), "89 s on AWS: VPC 31 → node group 58", id="seconds"),
        pytest.param(
            chain((GROUP, 500), (VPC, 5), (GROUP, 500)), "17 min on AWS: node group", id="around-what-is-left-out"
        ),
        pytest.param(
            chain((VPC, 60), ("aws:s3/bucket:Bucket", None), (CLUSTER, 600)),
            "at least 11 min on AWS: VPC 1 → cluster 10; not counted: Bucket",
            id="with-what-is-unknown",
        ),
        pytest.param(
            [op("a", 300, type=CLUSTER, action="update"), op("b", 600, type=GROUP, action="delete")],
            "15 min on AWS: cluster 5 → delete node group 10",
            id="deletions-among-others",
        ),
        pytest.param(chain((GROUP, 500), (VPC, 60), action="delete"), "9 min on AWS: VPC 1 → node group 8", id="all"),
        pytest.param([], "nothing to do on AWS", id="nothing"),
    ],
)
def test_in_a_sentence(operations, expected):
    assert sentence(schedule(operations, None)) == expected


def test_waiting_for_a_worker_is_a_part_of_its_own():
    operations = [op("a", 300, type=VPC), op("b", 300, type=VPC), op("c", 301, type=CLUSTER)]

    assert sentence(schedule(operations, 1)) == "15 min on AWS: cluster 5 → waiting for a worker 10"


@given(st.lists(st.floats(0, 10_000), min_size=1), st.sampled_from([1, 60]))
def test_shares_add_up_and_are_off_by_less_than_one(lengths, size):
    rounded = shares(lengths, size)

    assert sum(rounded) == round(sum(length / size for length in lengths))
    assert all(abs(whole - length / size) <= 1 for whole, length in zip(rounded, lengths, strict=True))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [pytest.param(119, "119 s", id="short"), pytest.param(120, "2 min", id="long"), pytest.param(0, "0 s", id="none")],
)
def test_one_length(seconds, text):
    assert said(seconds) == text
