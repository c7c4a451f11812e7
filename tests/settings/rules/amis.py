from tests.settings.example import TRAINIUM
from tests.settings.rules.case import Case

TYPE, RELEASE, IMAGE = "nodeGroups.gpu.ami.type", "nodeGroups.gpu.ami.releaseVersion", "nodeGroups.gpu.ami.imageId"
KIND = "nodeGroups.gpu.instanceType"
CUSTOM_IMAGE = "ami-0123456789abcdef0"

CASES = [
    Case(
        "system-architectures",
        "intel-and-arm",
        {"systemNodeGroup.instanceTypes": ["m7i.large", "m7g.large"]},
        "systemNodeGroup.instanceTypes",
        near={"systemNodeGroup.instanceTypes": ["m7g.large", "m7gd.large"]},
    ),
    Case(
        "system-type-unknown",
        "misspelt",
        {"systemNodeGroup.instanceTypes": ["m7i.lrge"]},
        "systemNodeGroup.instanceTypes[0]",
        near={"systemNodeGroup.instanceTypes": ["m7i.large"]},
        severity="warning",
    ),
    Case(
        "ultraserver-not-available",
        "gb200",
        {"nodeGroups.gpu.instanceType": "p6e-gb200.36xlarge"},
        "nodeGroups.gpu.instanceType",
        near={"nodeGroups.gpu.instanceType": "p6-b200.48xlarge"},
    ),
    Case("unknown-instance-type", "misspelt", {KIND: "g6.2xlrge"}, KIND, near={KIND: "g6.4xlarge"}),
    Case("unknown-instance-type", "no-accelerator", {KIND: "m7i.large"}, KIND, near={KIND: "g5.xlarge"}),
    Case("unknown-instance-type", "other-chip", {KIND: "dl1.24xlarge"}, KIND, near={KIND: "g6.48xlarge"}),
    Case("unknown-instance-type", "other-cloud", {KIND: "a3-highgpu-8g"}, KIND, near={KIND: "p5.48xlarge"}),
    Case(
        "system-type-unknown",
        "other-chip",
        {"systemNodeGroup.instanceTypes": ["g4ad.xlarge"]},
        "systemNodeGroup.instanceTypes[0]",
        near={"systemNodeGroup.instanceTypes": ["m7i.large"]},
        severity="warning",
    ),
    Case(
        "ami-type-unknown",
        "misspelt",
        {TYPE: "AL2023_x86_64_NVIDEA"},
        TYPE,
        near={TYPE: "BOTTLEROCKET_x86_64_NVIDIA"},
    ),
    Case("ami-amazon-linux-2", "gpu", {TYPE: "AL2_x86_64_GPU"}, TYPE, near={TYPE: "AL2023_x86_64_NVIDIA"}),
    Case(
        "ami-without-nvidia-driver",
        "standard-image",
        {TYPE: "AL2023_x86_64_STANDARD"},
        TYPE,
        near={TYPE: "BOTTLEROCKET_x86_64_NVIDIA_FIPS"},
    ),
    Case(
        "ami-not-for-neuron",
        "nvidia-image",
        {**TRAINIUM, TYPE: "AL2023_x86_64_NVIDIA"},
        TYPE,
        near={**TRAINIUM, TYPE: "BOTTLEROCKET_x86_64"},
    ),
    Case(
        "ami-architecture",
        "arm-image",
        {TYPE: "AL2023_ARM_64_NVIDIA"},
        TYPE,
        near={KIND: "p6e-gb200.36xlarge", TYPE: "AL2023_ARM_64_NVIDIA"},
    ),
    Case(
        "ami-accelerated-for-nothing",
        "gpu-system-group",
        {"systemNodeGroup.instanceTypes": ["g6.xlarge"]},
        "systemNodeGroup.instanceTypes",
        near={"systemNodeGroup.instanceTypes": ["m6i.large"]},
        severity="warning",
    ),
    Case(
        "ami-known-bad-release",
        "kernel-panic",
        {RELEASE: "1.35.1-20261003"},
        RELEASE,
        near={RELEASE: "1.35.1-20261012"},
    ),
    Case("ami-driver-too-old", "g7", {KIND: "g7.2xlarge"}, IMAGE, near={KIND: "g7.2xlarge", IMAGE: CUSTOM_IMAGE}),
    Case(
        "ami-custom-image",
        "beside-type-and-release",
        {IMAGE: CUSTOM_IMAGE, TYPE: "AL2023_x86_64_NVIDIA", RELEASE: "1.35.1-20261012"},
        IMAGE,
        near={IMAGE: CUSTOM_IMAGE},
    ),
    Case(
        "ami-custom-image",
        "custom-beside-release",
        {IMAGE: CUSTOM_IMAGE, TYPE: "CUSTOM", RELEASE: "1.35.1-20261012"},
        IMAGE,
        near={IMAGE: CUSTOM_IMAGE, TYPE: "CUSTOM"},
    ),
    Case(
        "ami-custom-image",
        "custom-without-image",
        {TYPE: "CUSTOM"},
        "nodeGroups.gpu.ami",
        near={IMAGE: CUSTOM_IMAGE, TYPE: "CUSTOM"},
    ),
    Case(
        "ami-custom-image",
        "kubernetes-too-old-for-the-only-image",
        {KIND: "p6e-gb200.36xlarge", "cluster.kubernetesVersion": "1.32"},
        "nodeGroups.gpu.ami",
        near={KIND: "p6e-gb200.36xlarge", "cluster.kubernetesVersion": "1.33"},
    ),
]
