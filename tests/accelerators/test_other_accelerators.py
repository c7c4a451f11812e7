"""What is said of machines that are not served. AWS's own lists judge that none of AWS is forgotten."""

import gzip
import json
import re
from collections import defaultdict
from importlib.resources import files

import botocore.session
import pytest

from eks_accelerators.accelerators import data, instance_types, other_accelerators
from eks_accelerators.accelerators.instance_types import UnknownInstanceTypeError

DEVICES = ("GpuInfo", "FpgaInfo", "InferenceAcceleratorInfo", "MediaAcceleratorInfo", "NeuronInfo")


@pytest.fixture(scope="module")
def described():
    """What DescribeInstanceTypes answered, as moto has it."""
    content = (files("moto") / "ec2" / "resources" / "instance_types.json.gz").read_bytes()
    return json.loads(gzip.decompress(content))


@pytest.fixture(scope="module")
def named():
    """Every EC2 instance type that botocore knows."""
    return botocore.session.get_session().get_service_model("ec2").shape_for("InstanceType").enum


def devices_of(row):
    """Number and memory of what the type has."""
    for key in DEVICES:
        if key in row:
            (each,) = next(value for value in row[key].values() if isinstance(value, list))
            return each["Count"], each["MemoryInfo"]["SizeInMiB"]
    return None


def test_what_aws_describes_with_devices_is_served_or_known(described):
    with_devices = {name: found for name, row in described.items() if (found := devices_of(row))}
    others = {name: found for name, found in with_devices.items() if not instance_types.find(name)}

    assert len(others) > 15
    known = {name: other_accelerators.find(name) for name in others}
    assert {name: (each.count, each.memory_mib) for name, each in known.items() if each} == others


def test_every_type_that_aws_names_is_served_known_or_without_accelerator(named):
    """So that none of AWS's is answered with the nearest spelling. Exactly one of the three holds."""
    for name in named:
        answers = (
            instance_types.find(name),
            other_accelerators.find(name),
            other_accelerators.has_no_accelerator(name),
        )
        assert sum(map(bool, answers)) == 1, name


def test_families_without_accelerator_have_none(described):
    letters = defaultdict(set)
    for name, row in described.items():
        letters[re.match("[a-z]+", name)[0]].add(devices_of(row) is None)

    without = set(data.load("unserved-accelerators")["without_accelerator"])
    assert not {each for each in without if letters[each] == {False}}
    assert not {each for each, found in letters.items() if False in found} & without


def test_every_type_of_aws_in_the_data_is_one(named):
    rows = [row for row in data.load("unserved-accelerators")["families"] if row["cloud"] == "AWS"]

    assert {name for row in rows for name in row["types"]} <= set(named)


def test_every_type_in_the_data_is_found_as_itself():
    for row in data.load("unserved-accelerators")["families"]:
        for name, (count, usd) in row["types"].items():
            found = other_accelerators.find(name)
            assert (found.name, found.chip, found.count, found.usd_per_hour) == (name, row["chip"], count, usd)


EC2 = "this package serves EC2 instances with NVIDIA GPUs, Trainium and Inferentia2"


@pytest.mark.parametrize(
    ("name", "message", "fix"),
    [
        (
            "dl1.24xlarge",
            f"dl1.24xlarge has 8 x Intel Gaudi of 32 GiB: {EC2}",
            "nearest in memory and price is g6.48xlarge, 8 x L4 with 178.8 GiB in all for 13.35 USD per hour in "
            "us-east-1 (dl1.24xlarge: 256 GiB, 13.109 USD)",
        ),
        (
            "f2.6xlarge",
            f"f2.6xlarge has 1 x AMD Xilinx VU47P FPGA of 80 GiB: {EC2}",
            "nearest in memory and price is g6e.xlarge, 1 x L40S with 44.7 GiB in all for 1.861 USD per hour in "
            "us-east-1 (f2.6xlarge: 80 GiB, 1.98 USD)",
        ),
        (
            "dl2q.24xlarge",
            f"dl2q.24xlarge has 8 x Qualcomm AI 100 of 15.6 GiB: {EC2}",
            "nearest in memory is g4dn.metal, 8 x T4 with 128 GiB in all for 7.824 USD per hour in us-east-1 "
            "(dl2q.24xlarge: 125 GiB, its price is not known here)",
        ),
        (
            "p3.2xlarge",
            "p3.2xlarge has 1 x NVIDIA V100 of 16 GiB: an older generation, which this package does not serve",
            "nearest in memory and price is g4dn.8xlarge, 1 x T4 with 16 GiB in all for 2.176 USD per hour in us-east-1 "
            "(p3.2xlarge: 16 GiB, 3.06 USD)",
        ),
        (
            "ct5lp-hightpu-4t",
            f"ct5lp-hightpu-4t is a machine of Google Cloud with 4 x Google TPU v5e of 16 GiB: {EC2}",
            "nearest in memory is g4dn.12xlarge, 4 x T4 with 64 GiB in all for 3.912 USD per hour in us-east-1 "
            "(ct5lp-hightpu-4t: 64 GiB, its price is not known here)",
        ),
        (
            "Standard_ND96isr_H100_v5",
            f"Standard_ND96isr_H100_v5 is a machine of Azure with 8 x NVIDIA H100 of 80 GiB: {EC2}",
            "nearest in memory is p5.48xlarge, 8 x H100 with 640 GiB in all for 55.04 USD per hour in us-east-1 "
            "(Standard_ND96isr_H100_v5: 640 GiB, its price is not known here)",
        ),
        (
            "a4x-highgpu-4g",
            f"a4x-highgpu-4g is a machine of Google Cloud with 4 x NVIDIA GB200: {EC2}",
            "`accel fit` tells which EC2 instance type serves a model",
        ),
        (
            "m7i.large",
            "m7i.large has no accelerator",
            "use an accelerated instance type; nodes without accelerators are the system node group's",
        ),
        ("g6.2xlrge", "unknown accelerated instance type g6.2xlrge", "did you mean g6.2xlarge?"),
        ("", "unknown accelerated instance type ''", "use an accelerated instance type, such as g6.xlarge"),
    ],
)
def test_what_is_said(name, message, fix):
    error = UnknownInstanceTypeError(name)

    assert (error.message, error.fix) == (message, fix)
    assert str(error) == f"{message}. {fix[0].upper()}{fix[1:]}"


@pytest.mark.parametrize(
    ("name", "chip", "count"),
    [
        ("v5e", "TPU v5e", 1),
        ("TPU v5e", "TPU v5e", 1),
        ("v5litepod-8", "TPU v5e", 8),
        ("v4-8", "TPU v4", 4),  # the number counts cores, of which a chip has two
        ("v6e-16", "TPU v6e", 16),
        ("tpu", "TPU", None),
        ("a2-highgpu-8g", "A100", 8),
        ("a3-ultragpu-8g", "H200", 8),
        ("g2-standard-24", "L4", 2),
        ("NC24ads_A100_v4", "A100", 1),
        ("Standard_NV36ads_A10_v5", None, None),
        ("a4-other-1g", None, None),
        ("g4ad", "Radeon Pro V520", 1),
        ("dl1.48xlarge", "Gaudi", 8),
        ("DL1-24xlarge", "Gaudi", 8),
    ],
)
def test_names_of_families_sizes_and_other_clouds(name, chip, count):
    found = other_accelerators.find(name)

    assert (found.chip, found.count) == (chip, count)


@pytest.mark.parametrize("kind", instance_types.every(), ids=lambda kind: kind.name)
def test_what_is_served_is_none_of_them(kind):
    for name in (kind.name, kind.family, kind.name.replace(".", "-"), kind.name[:-1]):
        assert other_accelerators.find(name) is None
        assert not other_accelerators.has_no_accelerator(name)
