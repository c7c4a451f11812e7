"""Which changed properties make an engine replace a resource, and which resources must not be replaced unseen.

Source: the provider's schemas (pulumi-aws 7.51, `replaceOnChanges` and `ForceNew` in terraform-provider-aws;
pulumi-kubernetes 4.34), read 2026-11-20. A type that is not listed here is updated in place as far as we
know, and its changes are shown as such.
"""

from collections.abc import Mapping

_PURCHASE = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"

REPLACING: Mapping[str, frozenset[str]] = {
    "aws:eks/nodeGroup:NodeGroup": frozenset(
        {
            "amiType",
            "capacityType",
            "clusterName",
            "diskSize",
            "instanceTypes",
            "launchTemplate.id",
            "launchTemplate.name",
            "nodeGroupName",
            "nodeRoleArn",
            "remoteAccess",
            "subnetIds",
        }
    ),
    "eks:index:Cluster": frozenset({"name", "vpcId", "encryptionConfigKeyArn"}),
    "aws:eks/cluster:Cluster": frozenset({"name", "roleArn", "encryptionConfig", "bootstrapSelfManagedAddons"}),
    "aws:eks/addon:Addon": frozenset({"addonName", "clusterName"}),
    "aws:ec2/vpc:Vpc": frozenset({"cidrBlock"}),
    "aws:ec2/subnet:Subnet": frozenset({"cidrBlock", "availabilityZone", "availabilityZoneId", "vpcId"}),
    "aws:ec2/natGateway:NatGateway": frozenset({"subnetId", "allocationId", "connectivityType"}),
    "aws:ec2/eip:Eip": frozenset({"domain"}),
    "aws:ec2/vpcEndpoint:VpcEndpoint": frozenset({"serviceName", "vpcId", "vpcEndpointType"}),
    "aws:ec2/securityGroup:SecurityGroup": frozenset({"description", "name", "vpcId"}),
    "aws:ec2/placementGroup:PlacementGroup": frozenset({"strategy", "name", "partitionCount"}),
    "aws:ec2/routeTable:RouteTable": frozenset({"vpcId"}),
    "aws:ec2/route:Route": frozenset({"routeTableId", "destinationCidrBlock"}),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": frozenset({"subnetId", "gatewayId"}),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": frozenset({"vpcId"}),
    "aws:ec2/launchTemplate:LaunchTemplate": frozenset({"name", "namePrefix"}),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": frozenset({"securityGroupId"}),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": frozenset({"securityGroupId"}),
    "aws:sns/topic:Topic": frozenset({"name", "namePrefix"}),
    "aws:sns/topicPolicy:TopicPolicy": frozenset({"arn"}),
    "aws:sns/topicSubscription:TopicSubscription": frozenset({"topic", "protocol", "endpoint"}),
    "aws:cloudwatch/eventRule:EventRule": frozenset({"name", "namePrefix"}),
    "aws:cloudwatch/eventTarget:EventTarget": frozenset({"rule", "targetId"}),
    "aws:cloudwatch/metricAlarm:MetricAlarm": frozenset({"name"}),
    "aws:eks/accessEntry:AccessEntry": frozenset({"clusterName", "principalArn", "type"}),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": frozenset(
        {"clusterName", "principalArn", "policyArn", "accessScope"}
    ),
    _PURCHASE: frozenset({"capacityBlockOfferingId", "instancePlatform"}),
    "aws:iam/role:Role": frozenset({"name", "namePrefix", "path"}),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": frozenset({"policyArn", "role"}),
    "aws:autoscaling/schedule:Schedule": frozenset({"autoscalingGroupName", "scheduledActionName"}),
    "aws:autoscaling/tag:Tag": frozenset({"autoscalingGroupName", "tag.key"}),
    "kubernetes:core/v1:ConfigMap": frozenset({"data", "binaryData", "metadata.name", "metadata.namespace"}),
    "kubernetes:core/v1:Namespace": frozenset({"metadata.name"}),
    "kubernetes:core/v1:Secret": frozenset({"metadata.name", "metadata.namespace", "type"}),
    "kubernetes:core/v1:Service": frozenset({"metadata.name", "metadata.namespace"}),
    "kubernetes:core/v1:PersistentVolumeClaim": frozenset({"metadata.name", "metadata.namespace", "spec"}),
    "kubernetes:apps/v1:Deployment": frozenset({"metadata.name", "metadata.namespace", "spec.selector"}),
    "kubernetes:batch/v1:Job": frozenset(
        {
            "metadata.name",
            "metadata.namespace",
            "spec.completions",
            "spec.parallelism",
            "spec.selector",
            "spec.template",
        }
    ),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": frozenset({"metadata.name", "metadata.namespace", "spec"}),
    "kubernetes:storage.k8s.io/v1:StorageClass": frozenset({"metadata.name", "parameters", "provisioner"}),
    "kubernetes:helm.sh/v3:Release": frozenset({"name", "namespace"}),
}

_GRAVE: Mapping[str, str] = {
    "eks:index:Cluster": "everything in the cluster is lost",
    "aws:eks/cluster:Cluster": "everything in the cluster is lost",
    "aws:eks/nodeGroup:NodeGroup": "all its nodes go, with the pods on them",
    _PURCHASE: "a Capacity Block is bought, and never refunded",
    "aws:ec2/vpc:Vpc": "the whole network is made anew",
}


def grave(kind: str, action: str) -> str | None:
    """What it means when a resource of type ``kind`` is replaced or removed, or bought; None where it is nothing grave."""
    if kind == _PURCHASE and action == "remove":
        return "a Capacity Block that is paid for, and not refunded, is no longer managed"
    return _GRAVE.get(kind) if action in ("replace", "remove") or (kind == _PURCHASE and action == "add") else None


_FOLLOWING: Mapping[tuple[str, str], str] = {
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:eks/nodeGroup:NodeGroup",
    ): "a new template version: nodes are replaced one after the other",
}


def follows(cause: str, kind: str) -> str | None:
    """What a change in place of ``cause`` does to a resource of type ``kind`` that depends on it, or None."""
    return _FOLLOWING.get((cause, kind))


def replaces_any(kind: str, name: str) -> bool:
    """Whether any change below the top-level property ``name`` replaces a resource of type ``kind``."""
    return any(entry == name or entry.startswith(f"{name}.") for entry in REPLACING.get(kind, frozenset()))


def replaces(kind: str, path: str) -> bool:
    """Whether a change of the property at ``path`` replaces a resource of type ``kind``."""
    listed = REPLACING.get(kind, frozenset())
    head = path.replace("[", ".[")
    return any(head == entry or head.startswith(f"{entry}.") for entry in listed)
