"""What EKS and EC2 refuse of a node group, and what comes near it and is taken.

A name such as `facts-24` is the row of the misconfigurations that one ought to reject; others have no row.
"""

import pytest

from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import ELSEWHERE, PAST, PENDING, RESERVATION, furnish, opened, reservation

PARAMETER, REQUEST, VALUE = "InvalidParameterException", "InvalidRequestException", "InvalidParameterValue"
BLOCK_TEMPLATE = {
    "InstanceType": "p5.48xlarge",
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": RESERVATION}},
}
A, B, C = "us-east-2a", "us-east-2b", "us-east-2c"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    blocks = [
        reservation(),
        reservation(PENDING, state="payment-pending"),
        reservation(PAST, start="2026-11-20T11:30:00Z", end="2026-11-21T11:30:00Z"),
        reservation(ELSEWHERE, zone=B),
    ]
    with opened(tmp_path_factory.mktemp("account"), {"capacityReservations": blocks}) as aws:
        yield furnish(aws)


def requested(place, changes, template, zones):
    """The request, with a launch template of that data and in those zones."""
    changes = {**changes, "subnets": [place.subnets[zone] for zone in zones]}
    return place.request(**changes, **({} if template is None else {"launchTemplate": place.template(template)}))


def everything(aws):
    """The whole account, as far as it is ours, and the journal."""
    return repr(aws.state), aws._entries


def without(*path):
    """The template of a Capacity Block without one of its pieces."""
    return {key: value for key, value in BLOCK_TEMPLATE.items() if key not in path}


def on(identifier, **changes):
    """The template of another Capacity Block."""
    target = {"CapacityReservationTarget": {"CapacityReservationId": identifier}}
    return {**BLOCK_TEMPLATE, "CapacityReservationSpecification": target, **changes}


def interfaces(*places):
    """Interfaces by card, device and type."""
    return {
        "NetworkInterfaces": [
            {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind} for card, device, kind in places
        ]
    }


def row(name, code, words, changes=None, template=None, zones=(A,)):
    return pytest.param(changes or {}, template, zones, code, words, id=name)


IN_TEMPLATE = {"instanceTypes": None}
BY_BLOCK = {"instanceTypes": None, "capacityType": "CAPACITY_BLOCK"}
P5, P6 = {"instanceTypes": ["p5.48xlarge"]}, {"instanceTypes": ["p6-b300.48xlarge"], "amiType": "AL2023_x86_64_NVIDIA"}


def wrong_image(kind, ami_type):
    return f"[{kind}] is not a valid instance type for requested amiType {ami_type}"


REFUSED = [
    # images
    row(
        "facts-24-no-driver",
        PARAMETER,
        wrong_image("g6.2xlarge", "AL2023_x86_64_STANDARD"),
        {"amiType": "AL2023_x86_64_STANDARD"},
    ),
    row("facts-24-default-image", PARAMETER, wrong_image("g6.2xlarge", "AL2023_x86_64_STANDARD"), {"amiType": None}),
    row(
        "facts-25-nvidia-on-trainium",
        PARAMETER,
        wrong_image("trn1.32xlarge", "AL2023_x86_64_NVIDIA"),
        {"instanceTypes": ["trn1.32xlarge"]},
        zones=(C,),
    ),
    row(
        "facts-27-x86-image-on-arm",
        PARAMETER,
        wrong_image("m7g.large", "AL2023_x86_64_STANDARD"),
        {"instanceTypes": ["m7g.large"], "amiType": "AL2023_x86_64_STANDARD"},
    ),
    row(
        "facts-27-arm-image-on-x86",
        PARAMETER,
        wrong_image("m7i.large", "AL2023_ARM_64_STANDARD"),
        {"instanceTypes": ["m7i.large"], "amiType": "AL2023_ARM_64_STANDARD"},
    ),
    row(
        "facts-28-amazon-linux-2",
        PARAMETER,
        "AMI Type AL2_x86_64_GPU is only supported for kubernetes versions 1.32 or earlier",
        {"amiType": "AL2_x86_64_GPU"},
    ),
    row("no-such-image", "ValidationException", "amiType", {"amiType": 7}),
    row(
        "image-and-type",
        PARAMETER,
        "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template.",
        template={"ImageId": "ami-0123456789abcdef0"},
    ),
    row(
        "image-and-version",
        PARAMETER,
        "You cannot specify a kubernetes version to use when specifying an image id to use within the launch template.",
        {"amiType": "CUSTOM", "version": "1.35"},
        {"ImageId": "ami-0123456789abcdef0"},
    ),
    row(
        "image-and-release",
        PARAMETER,
        "You cannot specify a release version to use when specifying an image id to use within the launch template.",
        {"amiType": "CUSTOM", "releaseVersion": "1.35.1-20261012"},
        {"ImageId": "ami-0123456789abcdef0"},
    ),
    row(
        "release-of-another-version",
        PARAMETER,
        "Requested release version 1.34.2-20261012 is not valid for kubernetes version 1.35.",
        {"releaseVersion": "1.34.2-20261012"},
    ),
    # types and zones
    row(
        "facts-11-type-in-both-places",
        REQUEST,
        "Cannot specify instance types in launch template and API request",
        template={"InstanceType": "g6.2xlarge"},
    ),
    row(
        "facts-18-one-zone-without-the-type",
        REQUEST,
        "Your requested instance type (trn1.32xlarge) is not supported in your requested Availability Zone "
        "(us-east-2a). Please retry your request by not specifying an Availability Zone or choosing us-east-2c.",
        {"instanceTypes": ["trn1.32xlarge"], "amiType": "AL2023_x86_64_NEURON"},
        zones=(A, C),
    ),
    row("subnet-that-is-not-there", PARAMETER, "subnet-0123", {"subnets": ["subnet-0123"]}),
    # versions
    row(
        "facts-29-newer-than-the-cluster",
        PARAMETER,
        "Requested Nodegroup version 1.36 is newer than cluster 1.35",
        {"version": "1.36"},
    ),
    row(
        "facts-29-older-than-the-cluster",
        PARAMETER,
        "Requested Nodegroup version 1.34 is older than cluster 1.35",
        {"version": "1.34"},
    ),
    row("facts-29-unheard-of", PARAMETER, "Requested Nodegroup version 1.19 is not supported", {"version": "1.19"}),
    # template
    row(
        "disk-size-and-template",
        PARAMETER,
        "Disk size must be specified within the launch template.",
        {"diskSize": 100},
        {"EbsOptimized": True},
    ),
    row(
        "facts-38-subnet",
        PARAMETER,
        "Launch template must not contain SubnetId for a managed node group",
        template={"NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": "subnet-0123"}]},
    ),
    row(
        "facts-38-instance-profile",
        PARAMETER,
        "should not specify an instance profile. The noderole in your request will be used",
        template={"IamInstanceProfile": {"Name": "node"}},
    ),
    row(
        "shutdown-behaviour",
        PARAMETER,
        "must not contain InstanceInitiatedShutdownBehavior",
        template={"InstanceInitiatedShutdownBehavior": "terminate"},
    ),
    row(
        "hibernation",
        PARAMETER,
        "must not contain HibernationOptions",
        template={"HibernationOptions": {"Configured": True}},
    ),
    row(
        "facts-9-spot-market-in-the-template",
        PARAMETER,
        "Instance market options are not supported with the launch template.",
        {"capacityType": "SPOT"},
        {"InstanceMarketOptions": {"MarketType": "spot"}},
    ),
    row("template-that-is-not-there", PARAMETER, "lt-0123", {"launchTemplate": {"id": "lt-0123", "version": "1"}}),
    # sizes, labels, taints
    row(
        "facts-67-min-over-desired",
        PARAMETER,
        "minSize can't be greater than desiredSize",
        {"scalingConfig": {"minSize": 2, "desiredSize": 1, "maxSize": 4}},
    ),
    row(
        "facts-67-desired-over-max",
        PARAMETER,
        "desiredSize can't be greater than maxSize",
        {"scalingConfig": {"minSize": 0, "desiredSize": 3, "maxSize": 2}},
    ),
    row(
        "facts-67-no-max",
        "ValidationException",
        "Invalid value for parameter scalingConfig.maxSize, value: 0, valid min value: 1",
        {"scalingConfig": {"minSize": 0, "desiredSize": 0, "maxSize": 0}},
    ),
    row(
        "facts-70-reserved-label",
        PARAMETER,
        "Label cannot contain reserved prefixes [eks.amazonaws.com/]",
        {"labels": {"eks.amazonaws.com/capacityType": "SPOT"}},
    ),
    row(
        "facts-70-long-taint",
        PARAMETER,
        "A taint's key and value have at most 63 characters",
        {"taints": [{"key": "k" * 64, "effect": "NO_SCHEDULE"}]},
    ),
    row("unknown-member", "ValidationException", 'Unknown parameter in input: "diskSizes"', {"diskSizes": 1}),
    # Capacity Blocks
    row(
        "facts-10-no-market",
        PARAMETER,
        "needs in the launch template: InstanceMarketOptions.MarketType=capacity-block",
        BY_BLOCK,
        without("InstanceMarketOptions"),
    ),
    row(
        "facts-10-no-reservation",
        PARAMETER,
        "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId",
        BY_BLOCK,
        without("CapacityReservationSpecification"),
    ),
    row(
        "facts-10-no-type",
        PARAMETER,
        "needs in the launch template: InstanceType",
        {**P5, "capacityType": "CAPACITY_BLOCK"},
        without("InstanceType"),
    ),
    row(
        "facts-10-no-template",
        PARAMETER,
        "needs in the launch template: InstanceMarketOptions.MarketType=capacity-block, "
        "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId, InstanceType",
        {**P5, "capacityType": "CAPACITY_BLOCK"},
    ),
    row(
        "reservation-that-is-not-there",
        PARAMETER,
        "The capacity reservation cr-0f does not exist",
        BY_BLOCK,
        on("cr-0f"),
    ),
    row("facts-2-expired", PARAMETER, f"The capacity reservation {PAST} is expired", BY_BLOCK, on(PAST)),
    row("facts-3-not-paid", PARAMETER, f"The capacity reservation {PENDING} is payment-pending", BY_BLOCK, on(PENDING)),
    row(
        "facts-6-other-type",
        PARAMETER,
        f"{RESERVATION} holds p5.48xlarge, not g6.2xlarge",
        BY_BLOCK,
        on(RESERVATION, InstanceType="g6.2xlarge"),
    ),
    row("facts-1-other-zone", PARAMETER, f"{ELSEWHERE} is in us-east-2b; outside of it", BY_BLOCK, on(ELSEWHERE)),
    row(
        "facts-1-one-zone-too-many",
        PARAMETER,
        f"{RESERVATION} is in us-east-2a; outside of it",
        BY_BLOCK,
        BLOCK_TEMPLATE,
        zones=(A, C),
    ),
    # EFA
    row(
        "facts-32-none-on-this-type",
        VALUE,
        "g6.2xlarge supports 0 EFA interfaces, 1 are wanted",
        template=interfaces((0, 0, "efa")),
    ),
    row(
        "facts-33-too-many",
        VALUE,
        "p5.48xlarge supports 32 EFA interfaces, 33 are wanted",
        P5,
        interfaces((0, 0, "interface"), *((card, 1, "efa-only") for card in range(33))),
    ),
    row(
        "facts-34-card-without-efa",
        VALUE,
        "network card 0 of p6-b300.48xlarge takes no EFA interface",
        {**P6, "instanceTypes": ["p6-b300.48xlarge"]},
        interfaces((0, 0, "interface"), (0, 1, "efa-only")),
    ),
    row(
        "facts-35-two-on-one-card",
        VALUE,
        "network card 1 of p5.48xlarge takes one EFA interface, not more",
        P5,
        interfaces((0, 0, "interface"), (1, 0, "efa-only"), (1, 1, "efa-only")),
    ),
    row(
        "facts-35-one-place-twice",
        VALUE,
        "Each network interface requires a unique network card and device index.",
        P5,
        interfaces((0, 0, "interface"), (1, 0, "efa-only"), (1, 0, "interface")),
    ),
    row(
        "facts-36-primary-carries-no-address",
        VALUE,
        "The primary network interface cannot be efa-only",
        P5,
        interfaces((0, 0, "efa-only"), (1, 0, "efa-only")),
    ),
]


@pytest.mark.parametrize(("changes", "template", "zones", "code", "words"), REFUSED)
def test_refused_and_nothing_changed(place, changes, template, zones, code, words):
    wanted = requested(place, changes, template, zones)
    wanted.update({key: value for key, value in changes.items() if key in ("subnets", "launchTemplate")})
    before = everything(place.aws)

    with pytest.raises(AwsError) as refused:
        place.aws.call("eks", "create_nodegroup", **wanted)

    assert (refused.value.code, refused.value.operation) == (code, "CreateNodegroup")
    assert words in refused.value.message
    assert everything(place.aws) == before


TAKEN = [
    pytest.param({}, None, (A,), id="as-it-is"),
    pytest.param({}, None, (A, B, C), id="every-zone-has-the-type"),
    pytest.param({"amiType": "BOTTLEROCKET_x86_64_NVIDIA"}, None, (A,), id="bottlerocket"),
    pytest.param(
        {"amiType": "BOTTLEROCKET_x86_64_NVIDIA", "releaseVersion": "1.50.0-0e2b9dd1"}, None, (A,), id="own-counting"
    ),
    pytest.param({"releaseVersion": "1.35.1-20261012"}, None, (A,), id="release-of-this-version"),
    pytest.param(
        {"instanceTypes": ["trn1.32xlarge"], "amiType": "AL2023_x86_64_NEURON"}, None, (C,), id="zone-with-trainium"
    ),
    pytest.param({"instanceTypes": ["m7i.large"]}, None, (A,), id="facts-26-wasteful-image"),
    pytest.param({"instanceTypes": ["m7i.large"], "amiType": None}, None, (A,), id="default-image"),
    pytest.param({"instanceTypes": None, "amiType": None}, None, (A,), id="default-type"),
    pytest.param({"instanceTypes": ["m7g.large"], "amiType": "AL2023_ARM_64_STANDARD"}, None, (A,), id="arm"),
    pytest.param(IN_TEMPLATE, {"InstanceType": "g6.2xlarge"}, (A,), id="type-in-the-template"),
    pytest.param({"amiType": None}, {"ImageId": "ami-0123456789abcdef0"}, (A,), id="own-image"),
    pytest.param({"amiType": "CUSTOM"}, {"ImageId": "ami-0123456789abcdef0"}, (A,), id="own-image-said"),
    pytest.param({"diskSize": 100}, None, (A,), id="disk-size"),
    pytest.param({"version": "1.35"}, None, (A,), id="version-of-the-cluster"),
    pytest.param({"labels": {"node.kubernetes.io/team": "ml"}}, None, (A,), id="label-for-kubelets"),
    pytest.param({"scalingConfig": {"minSize": 0, "desiredSize": 0, "maxSize": 1}}, None, (A,), id="no-nodes"),
    pytest.param({"capacityType": "SPOT"}, {"EbsOptimized": True}, (A,), id="spot"),
    pytest.param(BY_BLOCK, BLOCK_TEMPLATE, (A,), id="facts-8-block-that-has-not-begun"),
    pytest.param(
        {**BY_BLOCK, "scalingConfig": {"minSize": 0, "desiredSize": 0, "maxSize": 9}},
        BLOCK_TEMPLATE,
        (A,),
        id="facts-7-more-than-the-block-has",
    ),
    pytest.param(
        P5, interfaces((0, 0, "interface"), *((card, 1, "efa-only") for card in range(32))), (A,), id="all-efa"
    ),
    pytest.param(P5, interfaces((0, 0, "efa"), (1, 1, "efa-only")), (A,), id="older-efa-layout"),
    pytest.param({}, interfaces((0, 0, "interface")), (A,), id="ordinary-interface"),
]


@pytest.mark.parametrize(("changes", "template", "zones"), TAKEN)
def test_taken(place, changes, template, zones):
    made = place.aws.call("eks", "create_nodegroup", **requested(place, changes, template, zones))["nodegroup"]

    assert (made["status"], made["health"]) == ("ACTIVE", {"issues": []})
    place.delete()


def test_a_name_is_given_once(place):
    place.create()

    with pytest.raises(AwsError, match="ResourceInUseException when calling CreateNodegroup: NodeGroup already exists"):
        place.create()
    place.delete()


@pytest.mark.parametrize(
    ("operation", "parameters", "words"),
    [
        pytest.param(
            "create_nodegroup", {"clusterName": "mk"}, "No cluster found for name: mk.", id="create-in-no-cluster"
        ),
        pytest.param("describe_nodegroup", {}, "No node group found for name: gpu.", id="describe"),
        pytest.param("update_nodegroup_config", {}, "No node group found for name: gpu.", id="update"),
        pytest.param("update_nodegroup_version", {}, "No node group found for name: gpu.", id="update-version"),
        pytest.param("delete_nodegroup", {}, "No node group found for name: gpu.", id="delete"),
    ],
)
def test_what_is_not_there(place, operation, parameters, words):
    wanted = place.request() if operation == "create_nodegroup" else {"clusterName": "ml", "nodegroupName": "gpu"}

    with pytest.raises(AwsError) as refused:
        place.aws.call("eks", operation, **{**wanted, **parameters})
    assert (refused.value.code, refused.value.message) == ("ResourceNotFoundException", words)
