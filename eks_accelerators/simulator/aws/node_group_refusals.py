"""What EKS and EC2 refuse of a node group."""

from functools import partial

from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

CHAPTER = Chapter(
    __doc__,
    source=(
        "EKS API CreateNodegroup (botocore 1.44.5), EKS user guide `launch-templates` and `capacity-blocks-mng`, EC2 "
        "User Guide `efa-acc-inst-types`, read 2026-11-20. Words of EKS, each from a report of what it answered: "
        "types in both places and an image with a version: terraform-aws-eks 1386, 3459; an image with an AMI type: "
        "pulumi-eks 1463, eksctl 5999; market options: terraform-provider-aws 18025; disk size: provider-upjet-aws "
        "866; instance profile: text of the API; zones: eksctl 6461; AMI type: HHS/simpler-grants-gov 12404; release: "
        "eksctl 7976; sizes: terraform-aws-eks 3306 and viya4-iac-aws 298; Amazon Linux 2: aws-cdk 37012; no way "
        "back: EKS API UpdateNodegroupVersion; labels of the kubelet: Kubernetes `well_known_labels.go`; read "
        "2026-11-21. The words about Capacity Blocks and EFA are ours: no answer of AWS was found."
    ),
)

_refusal = partial(ApiRefusal, chapter=CHAPTER)

OTHER_VERSION = _refusal(
    "InvalidParameterException",
    "Requested Nodegroup version {version} is {newer_or_older} than cluster {cluster_version}",
)
NEWER_VERSION = _refusal(
    "InvalidParameterException", "Requested Nodegroup version {version} is newer than cluster {cluster_version}"
)
VERSION_BACK = _refusal("InvalidParameterException", "You cannot roll back a node group from {current} to {version}")
INVALID_RELEASE = _refusal(
    "InvalidParameterException", "Requested release version {release} is not valid for kubernetes version {version}."
)
RELEASE_BACK = _refusal("InvalidParameterException", "You cannot roll back a node group from {current} to {release}")
BLOCK_IN_USE = _refusal(
    "InvalidParameterException",
    "A node group of capacity type CAPACITY_BLOCK is updated at a desired size of 0 only, not of {desired}",
)
MIN_ABOVE_DESIRED = _refusal("InvalidParameterException", "minSize can't be greater than desiredSize")
MIN_ABOVE_DESIRED_UPDATED = _refusal(
    "InvalidParameterException", "Minimum capacity {low} can't be greater than desired size {wanted}"
)
DESIRED_ABOVE_MAX = _refusal("InvalidParameterException", "desiredSize can't be greater than maxSize")
DESIRED_ABOVE_MAX_UPDATED = _refusal(
    "InvalidParameterException", "Desired size {wanted} can't be greater than maximum capacity {high}"
)
MARKET_OPTIONS = _refusal(
    "InvalidParameterException", "Instance market options are not supported with the launch template."
)
UNSUPPORTED_NODE_VERSION = _refusal(
    "InvalidParameterException", "Requested Nodegroup version {version} is not supported"
)
RESERVED_LABEL = _refusal("InvalidParameterException", "Label cannot contain reserved prefixes [{prefix}]")
LONG_TAINT = _refusal("InvalidParameterException", "A taint's key and value have at most 63 characters")
NOT_IN_A_TEMPLATE = _refusal(
    "InvalidParameterException", "Launch template must not contain {names} for a managed node group"
)
INSTANCE_PROFILE = _refusal(
    "InvalidParameterException",
    "Launch template should not specify an instance profile. The noderole in your request will be used to "
    "construct an instance profile.",
)
TYPES_TWICE = _refusal("InvalidRequestException", "Cannot specify instance types in launch template and API request")
DISK_SIZE = _refusal("InvalidParameterException", "Disk size must be specified within the launch template.")
AMI_TYPE_AND_IMAGE = _refusal(
    "InvalidParameterException",
    "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template.",
)
VERSION_AND_IMAGE = _refusal(
    "InvalidParameterException",
    "You cannot specify a {version_or_release} to use when specifying an image id to use within the launch template.",
)
NOT_IN_ZONE = _refusal(
    "InvalidRequestException",
    "Your requested instance type ({instance_type}) is not supported in your requested Availability Zone "
    "({zone}). Please retry your request by not specifying an Availability Zone or choosing {zones}.",
)
AMAZON_LINUX_2 = _refusal(
    "InvalidParameterException", "AMI Type {ami_type} is only supported for kubernetes versions 1.32 or earlier"
)
AMI_TYPE = _refusal(
    "InvalidParameterException", "[{instance_type}] is not a valid instance type for requested amiType {ami_type}"
)
TOO_MANY_EFA = _refusal("InvalidParameterValue", "{instance_type} supports {limit} EFA interfaces, {wanted} are wanted")
SAME_CARD_AND_INDEX = _refusal(
    "InvalidParameterValue", "Each network interface requires a unique network card and device index."
)
EFA_TWICE = _refusal(
    "InvalidParameterValue", "network card {card} of {instance_type} takes one EFA interface, not more"
)
NO_EFA = _refusal("InvalidParameterValue", "network card {card} of {instance_type} takes no EFA interface")
EFA_ONLY_PRIMARY = _refusal("InvalidParameterValue", "The primary network interface cannot be efa-only")
BLOCK_TEMPLATE = _refusal("InvalidParameterException", "CAPACITY_BLOCK needs in the launch template: {names}")
NO_BLOCK = _refusal("InvalidParameterException", "The capacity reservation {reservation} does not exist")
BLOCK_STATE = _refusal("InvalidParameterException", "The capacity reservation {reservation} is {state}")
BLOCK_TYPE = _refusal("InvalidParameterException", "{reservation} holds {held}, not {wanted}")
BLOCK_ZONE = _refusal("InvalidParameterException", "{reservation} is in {zone}; outside of it: {subnets}")
SUBNETS_OF_EC2 = _refusal("InvalidParameterException", "{words_of_ec2}")

CREATED_VERSION = (UNSUPPORTED_NODE_VERSION, OTHER_VERSION)
UPDATED_VERSION = (UNSUPPORTED_NODE_VERSION, NEWER_VERSION, VERSION_BACK, RELEASE_BACK, BLOCK_IN_USE)
UPDATED_SIZES = (MIN_ABOVE_DESIRED_UPDATED, DESIRED_ABOVE_MAX_UPDATED)
UNFIT = (
    MIN_ABOVE_DESIRED,
    DESIRED_ABOVE_MAX,
    RESERVED_LABEL,
    LONG_TAINT,
    NOT_IN_A_TEMPLATE,
    INSTANCE_PROFILE,
    TYPES_TWICE,
    DISK_SIZE,
    AMI_TYPE_AND_IMAGE,
    VERSION_AND_IMAGE,
    NOT_IN_ZONE,
    AMAZON_LINUX_2,
    AMI_TYPE,
    TOO_MANY_EFA,
    SAME_CARD_AND_INDEX,
    EFA_TWICE,
    NO_EFA,
    EFA_ONLY_PRIMARY,
    BLOCK_TEMPLATE,
    NO_BLOCK,
    BLOCK_STATE,
    BLOCK_TYPE,
    BLOCK_ZONE,
    SUBNETS_OF_EC2,
    MARKET_OPTIONS,
)
"""What is refused of nodes, whichever operation asks for them."""
