"""What becomes of what AWS has made and the engine has not heard of, by type, or by type and name."""

FOUND_AGAIN = {
    "aws:autoscaling/schedule:Schedule",
    "aws:autoscaling/tag:Tag",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:sns/topicPolicy:TopicPolicy",
    "aws:sns/topicSubscription:TopicSubscription",
}
"""To make it again is to write it once more."""
LEFT_OVER = {
    "aws:cloudwatch/eventRule:EventRule",
    "aws:cloudwatch/metricAlarm:MetricAlarm",
    "aws:ec2/eip:Eip",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:ec2/placementGroup:PlacementGroup",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/vpc:Vpc",
    "aws:efs/accessPoint:AccessPoint",
    "aws:efs/fileSystem:FileSystem",  # each creation has a token of its own, by which EFS would know it again
    "aws:eks/nodeGroup:NodeGroup",
    "aws:iam/role:Role",
    "aws:iam/rolePolicy:RolePolicy",  # PutRolePolicy writes over one of the same name, and each creation has a new name
    "aws:sns/topic:Topic",
    "kubernetes:helm.sh/v3:Release efa-device-plugin",  # its objects bear the generated name of the release
}
"""It has a name, or an ID, of its own: another is made beside it."""
_EXISTS = "was not successfully created by the Kubernetes API server"
REFUSED = {
    "aws:ec2/internetGateway:InternetGateway": "already has an internet gateway attached",
    "aws:ec2/natGateway:NatGateway": "Resource.AlreadyAssociated",
    "aws:ec2/route:Route": "RouteAlreadyExists",
    "aws:ec2/subnet:Subnet": "InvalidSubnet.Conflict",
    "aws:ec2/vpcEndpoint:VpcEndpoint": "RouteAlreadyExists",
    "aws:efs/mountTarget:MountTarget": "MountTargetConflict",
    "aws:eks/accessEntry:AccessEntry": "The specified access entry resource is already in use",
    "aws:eks/addon:Addon": "Addon already exists",
    "aws:eks/cluster:Cluster": "Cluster already exists with name",
    # EKS API, CreatePodIdentityAssociation: a service account of a cluster has one association; a second is a ResourceInUseException.
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": "Association already exists",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "InvalidPermission.Duplicate",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "InvalidPermission.Duplicate",
    "kubernetes:apps/v1:DaemonSet": _EXISTS,
    "kubernetes:apps/v1:Deployment": _EXISTS,
    "kubernetes:batch/v1:Job": _EXISTS,
    "kubernetes:core/v1:ConfigMap": _EXISTS,
    "kubernetes:core/v1:Namespace": _EXISTS,
    "kubernetes:core/v1:PersistentVolume": _EXISTS,
    "kubernetes:core/v1:PersistentVolumeClaim": _EXISTS,
    "kubernetes:core/v1:Secret": _EXISTS,
    "kubernetes:core/v1:Service": _EXISTS,
    "kubernetes:core/v1:ServiceAccount": _EXISTS,
    "kubernetes:helm.sh/v3:Release": "exists and cannot be imported into the current release",
    "kubernetes:keda.sh/v1alpha1:ScaledObject": _EXISTS,
    "kubernetes:monitoring.coreos.com/v1:PodMonitor": _EXISTS,
    "kubernetes:monitoring.coreos.com/v1:PrometheusRule": _EXISTS,
    "kubernetes:policy/v1:PodDisruptionBudget": _EXISTS,
    "kubernetes:storage.k8s.io/v1:StorageClass": _EXISTS,
}
"""There is only one of it, or of what it needs, and AWS or the cluster says so."""
CHANGES_REFUSED = {"aws:eks/cluster:Cluster": "Unsupported Kubernetes minor version update from 1.36 to 1.36"}
"""Changes that cannot be made twice; all others can."""


def expected(token: str, name: str) -> tuple[str, str]:
    """Fate of an orphan, and the words of a refusal."""
    keys = {token, f"{token} {name}"}
    if keys & LEFT_OVER:
        return "left over", ""
    return ("found again", "") if keys & FOUND_AGAIN else ("refused", REFUSED[token])
