"""One resource of each kind, and a change of each of its properties that can change in place."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.simulator.aws.accounts import CLUSTER, START, Place

Values = dict[str, Any]
TAGS = {"owner": "ml-platform", "stack": "test"}
OTHER_TAGS = {"owner": "somebody-else", "team": "ml"}
SUBSCRIBER = "ml@example.com"


@dataclass
class Surroundings:
    """What there is for the resources to refer to."""

    place: Place
    ids: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]

    @property
    def subnets(self) -> list[str]:
        """Private subnets, in the order of their zones."""
        return list(self.place.subnets.values())


class Anything:
    """Surroundings of which only the shape matters."""

    subnets = ("a", "b", "c")

    def __getitem__(self, name: str) -> str:
        return name


def surround(place: Place) -> Surroundings:
    """Make what the resources refer to."""
    aws, found = place.aws, Surroundings(place)
    other, third = (aws.call("ec2", "create_vpc", CidrBlock=f"10.{n}.0.0/16")["Vpc"]["VpcId"] for n in (8, 9))
    person = "arn:aws:iam::111122223333:role/person"
    aws.call("eks", "create_access_entry", clusterName=CLUSTER, principalArn=person)
    gateway = aws.call("ec2", "create_internet_gateway")["InternetGateway"]["InternetGatewayId"]
    aws.call("ec2", "attach_internet_gateway", InternetGatewayId=gateway, VpcId=place.vpc)
    address = aws.call("ec2", "allocate_address", Domain="vpc")["AllocationId"]
    table, other_table = (aws.call("ec2", "create_route_table", VpcId=place.vpc)["RouteTable"] for _ in range(2))
    nat_address = aws.call("ec2", "allocate_address", Domain="vpc")["AllocationId"]
    nat = aws.call("ec2", "create_nat_gateway", SubnetId=found.subnets[0], AllocationId=nat_address)["NatGateway"]
    groups = [
        aws.call("ec2", "create_security_group", GroupName=f"group-{each}", Description="for tests", VpcId=place.vpc)
        for each in range(2)
    ]
    template = place.template({"InstanceType": "g6.2xlarge"})
    aws.call(
        "ec2",
        "create_launch_template_version",
        LaunchTemplateId=template["id"],
        LaunchTemplateData={"InstanceType": "g6.2xlarge", "EbsOptimized": True},
    )
    nodes = place.create(nodegroupName="there", scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 4})
    topics = [aws.call("sns", "create_topic", Name=f"topic-{each}")["TopicArn"] for each in range(2)]
    aws.call("events", "put_rule", Name="there", EventPattern=json.dumps({"source": ["aws.ec2"]}))
    pods = trust("pods.eks.amazonaws.com")
    other_role = aws.call("iam", "create_role", RoleName="other", AssumeRolePolicyDocument=pods)["Role"]
    workspace = aws.call("amp", "create_workspace", alias="there")
    bucket = "arn:aws:s3:::example-files"
    files = aws.call("s3files", "create_file_system", bucket=bucket, roleArn=place.role)["fileSystemId"]
    found.ids = {
        "file system": aws.call("efs", "create_file_system", CreationToken="there")["FileSystemId"],
        "files": files,
        "vpc": place.vpc,
        "other vpc": other,
        "third vpc": third,
        "person": person,
        "internet gateway": gateway,
        "address": address,
        "route table": table["RouteTableId"],
        "other route table": other_table["RouteTableId"],
        "nat gateway": nat["NatGatewayId"],
        "security group": groups[0]["GroupId"],
        "other security group": groups[1]["GroupId"],
        "template": template["id"],
        "scaling group": nodes["resources"]["autoScalingGroups"][0]["name"],
        "topic": topics[0],
        "other topic": topics[1],
        "role": place.role.rpartition("/")[2],
        "role arn": place.role,
        "queue": aws.call("sqs", "create_queue", QueueName="there")["QueueUrl"],
        "other role arn": other_role["Arn"],
        "workspace": workspace["workspaceId"],
        "workspace arn": workspace["arn"],
        "cluster arn": aws.call("eks", "describe_cluster", name=CLUSTER)["cluster"]["arn"],
    }
    return found


@dataclass(frozen=True)
class Example:
    """Inputs of a resource, and by property other values that are set in place. None is to leave the property out."""

    inputs: Callable[[Any], Values]
    changes: Callable[[Any], dict[str, list[Any]]] = lambda _: {}
    together: Callable[[str], Values] = lambda _: {}
    """What must change with a property."""


RETAGGED: list[Any] = [OTHER_TAGS, {}, None]


def tagged(_: Surroundings) -> dict[str, list[Any]]:
    """Changes of a resource of which only the tags change."""
    return {"tags": RETAGGED}


def allowed(action: str) -> str:
    """A policy that allows one action."""
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def trust(service: str) -> str:
    """A trust policy."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def queries(metric: str) -> list[Values]:
    """Metric queries of an alarm."""
    found = {
        "namespace": "AWS/AutoScaling",
        "metricName": metric,
        "dimensions": {"AutoScalingGroupName": "nodes"},
        "period": 300,
        "stat": "Maximum",
    }
    return [
        {"id": "found", "metric": found, "returnData": False},
        {"id": "nothing", "expression": "FILL(found, 0)", "label": "Nodes", "returnData": True},
    ]


def publishing(topic: str, service: str = "events.amazonaws.com") -> str:
    """A topic's policy."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sns:Publish",
        "Resource": topic,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def rule_changes(here: Surroundings) -> dict[str, list[Any]]:
    """Of a rule of a security group."""
    return {
        "cidrIpv4": ["10.1.0.0/16"],
        "fromPort": [80],
        "toPort": [8443],
        "ipProtocol": ["udp"],
        "description": ["another", None],
        "tags": RETAGGED,
    }


def rule(here: Surroundings) -> Values:
    """Inputs of a rule of a security group."""
    return {
        "securityGroupId": here["security group"],
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "cidrIpv4": "10.0.0.0/8",
        "description": "HTTPS",
        "tags": TAGS,
    }


def template(here: Surroundings) -> Values:
    """Inputs of a launch template with a bit of everything."""
    return {
        "description": "nodes",
        "tags": TAGS,
        "updateDefaultVersion": True,
        "instanceType": "p5.48xlarge",
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": {
            "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcde00"}
        },
        "blockDeviceMappings": [
            {"deviceName": "/dev/xvda", "ebs": {"volumeSize": 100, "volumeType": "gp3", "encrypted": "true"}}
        ],
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "networkInterfaces": [
            {
                "deviceIndex": 0,
                "networkCardIndex": 0,
                "interfaceType": "interface",
                "securityGroups": [here["security group"]],
                "deleteOnTermination": "true",
            }
        ],
        "placement": {"groupName": "together"},
        "tagSpecifications": [{"resourceType": "instance", "tags": TAGS}],
        "userData": "W3NldHRpbmdzXQ==",
    }


def template_changes(here: Surroundings) -> dict[str, list[Any]]:
    """Of a launch template."""
    return {
        "tags": RETAGGED,
        "description": ["others", None],
        "updateDefaultVersion": [False, None],
        "instanceType": ["p5en.48xlarge"],
        "imageId": ["ami-0123456789abcdef0"],
        "instanceMarketOptions": [None],
        "capacityReservationSpecification": [None],
        "blockDeviceMappings": [
            [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 200, "volumeType": "gp3", "encrypted": "false"}}]
        ],
        "metadataOptions": [{"httpTokens": "required", "httpPutResponseHopLimit": 2}],
        "networkInterfaces": [None],
        "vpcSecurityGroupIds": [[here["security group"]]],
        "placement": [None],
        "tagSpecifications": [[{"resourceType": "volume", "tags": OTHER_TAGS}]],
        "userData": [None],
    }


def cluster(here: Surroundings) -> Values:
    """Inputs of a cluster, as pulumi-eks registers it."""
    return {
        "name": "another",
        "version": "1.34",
        "roleArn": here["role arn"],
        "vpcConfig": {"subnetIds": here.subnets, "endpointPrivateAccess": True, "endpointPublicAccess": False},
        "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True},
        "bootstrapSelfManagedAddons": False,
        "deletionProtection": False,
        "enabledClusterLogTypes": ["api", "audit"],
        "upgradePolicy": {"supportType": "STANDARD"},
        "tags": TAGS,
    }


def cluster_changes(here: Surroundings) -> dict[str, list[Any]]:
    """Of a cluster."""
    network = cluster(here)["vpcConfig"]
    return {
        "accessConfig": [{"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True}],
        "deletionProtection": [True, None],
        "enabledClusterLogTypes": [["api"], ["api", "audit", "scheduler"], None],
        "tags": RETAGGED,
        "upgradePolicy": [{"supportType": "EXTENDED"}],
        "version": ["1.35"],
        "vpcConfig": [
            {**network, "endpointPublicAccess": True, "publicAccessCidrs": ["203.0.113.0/24"]},
            {**network, "subnetIds": here.subnets[:2]},
            {**network, "securityGroupIds": [here["security group"]]},
        ],
    }


def nodes(here: Surroundings) -> Values:
    """Inputs of a node group, as the components register it."""
    return {
        "clusterName": CLUSTER,
        "nodeRoleArn": here["role arn"],
        "subnetIds": here.subnets[:1],
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "ON_DEMAND",
        "launchTemplate": {"id": here["template"], "version": "1"},
        "labels": {"team": "ml"},
        "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        "scalingConfig": {"minSize": 0, "desiredSize": 1, "maxSize": 2},
        "updateConfig": {"maxUnavailable": 1},
        "nodeRepairConfig": {"enabled": True},
        "version": "1.35",
        "releaseVersion": "1.35.1-20261012",
        "tags": TAGS,
    }


def nodes_changes(here: Surroundings) -> dict[str, list[Any]]:
    """Of a node group."""
    return {
        "labels": [{"team": "ai", "new": "yes"}, None],
        "taints": [[{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}], None],
        "launchTemplate": [{"id": here["template"], "version": "2"}],
        "scalingConfig": [{"minSize": 1, "desiredSize": 2, "maxSize": 3}],
        "updateConfig": [{"maxUnavailablePercentage": 50}],
        "nodeRepairConfig": [{"enabled": False}],
        "releaseVersion": ["1.35.2-20261101"],
        "tags": RETAGGED,
    }


EXAMPLES: dict[str, Example] = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": Example(
        lambda here: {
            "automaticBackupRetentionDays": 0,
            "dataCompressionType": "LZ4",
            "deploymentType": "PERSISTENT_2",
            "fileSystemTypeVersion": "2.15",
            "metadataConfiguration": {"mode": "AUTOMATIC"},
            "perUnitStorageThroughput": 125,
            "securityGroupIds": [here["security group"]],
            "skipFinalBackup": True,
            "storageCapacity": 1200,
            "storageType": "SSD",
            "subnetIds": here.subnets[0],
            "tags": TAGS,
        },
        lambda _: {
            "automaticBackupRetentionDays": [7],
            "dataCompressionType": ["NONE"],
            "metadataConfiguration": [{"mode": "USER_PROVISIONED", "iops": 3000}],
            "perUnitStorageThroughput": [250],
            "skipFinalBackup": [False],
            "storageCapacity": [2400],
            "tags": RETAGGED,
        },
    ),
    "aws:efs/fileSystem:FileSystem": Example(
        lambda _: {"encrypted": True, "throughputMode": "elastic", "tags": TAGS}, tagged
    ),
    "aws:efs/mountTarget:MountTarget": Example(
        lambda here: {
            "fileSystemId": here["file system"],
            "subnetId": here.subnets[0],
            "securityGroups": [here["security group"]],
        },
        lambda here: {"securityGroups": [[here["other security group"]]]},
    ),
    "aws:efs/accessPoint:AccessPoint": Example(
        lambda here: {
            "fileSystemId": here["file system"],
            "posixUser": {"uid": 1000, "gid": 1000},
            "rootDirectory": {
                "path": "/storage",
                "creationInfo": {"ownerUid": 1000, "ownerGid": 1000, "permissions": "0770"},
            },
            "tags": TAGS,
        },
        tagged,
    ),
    "aws:s3/filesFileSystem:FilesFileSystem": Example(
        lambda here: {
            "bucket": "arn:aws:s3:::example-shared",
            "prefix": "models/",
            "roleArn": here["role arn"],
            "tags": TAGS,
        },
        tagged,
    ),
    "aws:s3/filesMountTarget:FilesMountTarget": Example(
        lambda here: {
            "fileSystemId": here["files"],
            "subnetId": here.subnets[0],
            "securityGroups": [here["security group"]],
        },
        lambda here: {"securityGroups": [[here["other security group"]]]},
    ),
    "aws:ec2/vpc:Vpc": Example(
        lambda _: {"cidrBlock": "10.7.0.0/16", "enableDnsSupport": True, "enableDnsHostnames": True, "tags": TAGS},
        lambda _: {"enableDnsSupport": [False], "enableDnsHostnames": [False], "tags": RETAGGED},
    ),
    "aws:ec2/subnet:Subnet": Example(
        lambda here: {
            "vpcId": here["vpc"],
            "cidrBlock": "10.0.99.0/24",
            "availabilityZone": "us-east-2b",
            "tags": TAGS,
        },
        tagged,
    ),
    "aws:ec2/internetGateway:InternetGateway": Example(
        lambda here: {"vpcId": here["other vpc"], "tags": TAGS},
        lambda here: {"vpcId": [here["third vpc"]], "tags": RETAGGED},
    ),
    "aws:ec2/eip:Eip": Example(lambda _: {"domain": "vpc", "tags": TAGS}, tagged),
    "aws:ec2/natGateway:NatGateway": Example(
        lambda here: {"subnetId": here.subnets[0], "allocationId": here["address"], "tags": TAGS}, tagged
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Example(
        lambda here: {
            "vpcId": here["vpc"],
            "serviceName": "com.amazonaws.us-east-2.ecr.api",
            "vpcEndpointType": "Interface",
            "privateDnsEnabled": True,
            "subnetIds": here.subnets[:1],
            "securityGroupIds": [here["security group"]],
            "tags": TAGS,
        },
        lambda here: {
            "subnetIds": [here.subnets[:2], here.subnets[1:2]],
            "securityGroupIds": [[here["other security group"]]],
            "tags": RETAGGED,
        },
    ),
    "aws:ec2/placementGroup:PlacementGroup": Example(lambda _: {"strategy": "cluster", "tags": TAGS}, tagged),
    "aws:ec2/routeTable:RouteTable": Example(lambda here: {"vpcId": here["vpc"], "tags": TAGS}, tagged),
    "aws:ec2/route:Route": Example(
        lambda here: {
            "routeTableId": here["route table"],
            "destinationCidrBlock": "0.0.0.0/0",
            "gatewayId": here["internet gateway"],
        },
        lambda here: {"natGatewayId": [here["nat gateway"]]},
        lambda _: {"gatewayId": None},
    ),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": Example(
        lambda here: {"routeTableId": here["route table"], "subnetId": here.subnets[0]}
    ),
    "aws:ec2/securityGroup:SecurityGroup": Example(
        lambda here: {"vpcId": here["vpc"], "description": "of nodes", "tags": TAGS}, tagged
    ),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": Example(
        lambda here: {"vpcId": here["vpc"], "tags": TAGS}, tagged
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": Example(rule, rule_changes),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": Example(rule, rule_changes),
    "aws:ec2/launchTemplate:LaunchTemplate": Example(template, template_changes),
    "aws:iam/role:Role": Example(
        lambda _: {"assumeRolePolicy": trust("ec2.amazonaws.com"), "description": "nodes", "tags": TAGS},
        lambda _: {
            "assumeRolePolicy": [trust("eks.amazonaws.com")],
            "description": ["others", None],
            "tags": RETAGGED,
        },
    ),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Example(
        lambda here: {"role": here["role"], "policyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"}
    ),
    "aws:iam/rolePolicy:RolePolicy": Example(
        lambda here: {"role": here["role"], "name": "look", "policy": allowed("ec2:DescribeInstances")},
        lambda _: {"policy": [allowed("ec2:DescribeImages")]},
    ),
    "aws:amp/workspace:Workspace": Example(
        lambda here: {"alias": "ml", "tags": TAGS},
        lambda here: {"alias": ["other"], "tags": RETAGGED},
    ),
    "aws:amp/workspaceConfiguration:WorkspaceConfiguration": Example(
        lambda here: {"workspaceId": here["workspace"], "retentionPeriodInDays": 30},
        lambda here: {"retentionPeriodInDays": [60]},
    ),
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace": Example(
        lambda here: {"name": "accelerators", "workspaceId": here["workspace"], "data": "groups: []", "tags": TAGS},
        lambda here: {"data": ["groups: [{name: a, rules: []}]"], "tags": RETAGGED},
    ),
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": Example(
        lambda here: {"workspaceId": here["workspace"], "definition": "alertmanager_config: a"},
        lambda here: {"definition": ["alertmanager_config: b"]},
    ),
    "aws:amp/scraper:Scraper": Example(
        lambda here: {
            "alias": "ml",
            "scrapeConfiguration": "scrape_configs: []",
            "source": {"eks": {"clusterArn": here["cluster arn"], "subnetIds": here.subnets[:2]}},
            "destination": {"amp": {"workspaceArn": here["workspace arn"]}},
            "tags": TAGS,
        },
        lambda here: {"alias": ["other"], "scrapeConfiguration": ["global: {}"], "tags": RETAGGED},
    ),
    "aws:sqs/queue:Queue": Example(
        lambda _: {"messageRetentionSeconds": 300, "sqsManagedSseEnabled": True, "tags": TAGS},
        lambda _: {"messageRetentionSeconds": [600], "sqsManagedSseEnabled": [False], "tags": RETAGGED},
    ),
    "aws:sqs/queuePolicy:QueuePolicy": Example(
        lambda here: {"queueUrl": here["queue"], "policy": allowed("sqs:SendMessage")},
        lambda _: {"policy": [allowed("sqs:ReceiveMessage")]},
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": Example(
        lambda here: {
            "clusterName": CLUSTER,
            "namespace": "kube-system",
            "serviceAccount": "robot",
            "roleArn": here["role arn"],
            "tags": TAGS,
        },
        lambda here: {"roleArn": [here["other role arn"]], "tags": RETAGGED},
    ),
    "aws:eks/cluster:Cluster": Example(cluster, cluster_changes),
    "aws:eks/accessEntry:AccessEntry": Example(
        lambda here: {
            "clusterName": CLUSTER,
            "principalArn": here["role arn"],
            "kubernetesGroups": ["readers"],
            "userName": "robot",
            "tags": TAGS,
        },
        lambda _: {"kubernetesGroups": [["readers", "writers"]], "userName": ["machine"], "tags": RETAGGED},
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": Example(
        lambda here: {
            "clusterName": CLUSTER,
            "principalArn": here["person"],
            "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
            "accessScope": {"type": "namespace", "namespaces": ["llm"]},
        }
    ),
    "aws:eks/addon:Addon": Example(
        lambda here: {
            "clusterName": CLUSTER,
            "addonName": "eks-node-monitoring-agent",
            "addonVersion": "v1.5.0-eksbuild.1",
            "configurationValues": '{"tolerations": []}',
            "podIdentityAssociations": [{"serviceAccount": "agent", "roleArn": here["role arn"]}],
            "resolveConflictsOnCreate": "OVERWRITE",
            "resolveConflictsOnUpdate": "OVERWRITE",
            "tags": TAGS,
        },
        lambda _: {
            "addonVersion": ["v1.6.0-eksbuild.1"],
            "configurationValues": ['{"tolerations": [{"operator": "Exists"}]}'],
            "podIdentityAssociations": [None],
            "resolveConflictsOnCreate": ["NONE", None],
            "resolveConflictsOnUpdate": ["PRESERVE", None],
            "tags": RETAGGED,
        },
    ),
    "aws:eks/nodeGroup:NodeGroup": Example(nodes, nodes_changes),
    "aws:autoscaling/schedule:Schedule": Example(
        lambda here: {
            "autoscalingGroupName": here["scaling group"],
            "scheduledActionName": "mornings",
            "recurrence": "0 8 * * MON-FRI",
            "timeZone": "Europe/Berlin",
            "minSize": -1,
            "desiredCapacity": 2,
            "maxSize": -1,
        },
        lambda _: {
            "recurrence": ["0 9 * * MON-FRI"],
            "timeZone": ["America/New_York"],
            "startTime": [START.strftime("%Y-%m-%dT%H:%M:%SZ")],
            "minSize": [1],
            "desiredCapacity": [3, -1],
            "maxSize": [4],
        },
        # A size that is left alone needs another that is not.
        lambda name: {"minSize": 0} if name == "desiredCapacity" else {},
    ),
    "aws:autoscaling/tag:Tag": Example(
        lambda here: {
            "autoscalingGroupName": here["scaling group"],
            "tag": {"key": "k8s.io/cluster-autoscaler/enabled", "value": "true", "propagateAtLaunch": False},
        },
        lambda _: {
            "tag": [
                {"key": "k8s.io/cluster-autoscaler/enabled", "value": "false", "propagateAtLaunch": False},
                {"key": "k8s.io/cluster-autoscaler/enabled", "value": "true", "propagateAtLaunch": True},
            ]
        },
    ),
    "aws:sns/topic:Topic": Example(lambda _: {"tags": TAGS}, tagged),
    "aws:sns/topicPolicy:TopicPolicy": Example(
        lambda here: {"arn": here["topic"], "policy": publishing(here["topic"])},
        lambda here: {"policy": [publishing(here["topic"], "cloudwatch.amazonaws.com")]},
    ),
    "aws:sns/topicSubscription:TopicSubscription": Example(
        lambda here: {"topic": here["topic"], "protocol": "email", "endpoint": SUBSCRIBER}
    ),
    "aws:cloudwatch/eventRule:EventRule": Example(
        lambda _: {"description": "Blocks", "eventPattern": json.dumps({"source": ["aws.ec2"]}), "tags": TAGS},
        lambda _: {
            "description": ["Others", None],
            "eventPattern": [json.dumps({"source": ["aws.eks"]})],
            "tags": RETAGGED,
        },
    ),
    "aws:cloudwatch/eventTarget:EventTarget": Example(
        lambda here: {"rule": "there", "arn": here["topic"]}, lambda here: {"arn": [here["other topic"]]}
    ),
    "aws:cloudwatch/metricAlarm:MetricAlarm": Example(
        lambda here: {
            "actionsEnabled": True,
            "alarmActions": [here["topic"]],
            "alarmDescription": "Nothing runs",
            "comparisonOperator": "LessThanThreshold",
            "evaluationPeriods": 2,
            "threshold": 1,
            "treatMissingData": "breaching",
            "metricQueries": queries("GroupInServiceInstances"),
            "tags": TAGS,
        },
        lambda here: {
            "actionsEnabled": [False],
            "alarmActions": [[here["other topic"]], None],
            "alarmDescription": ["Another", None],
            "comparisonOperator": ["LessThanOrEqualToThreshold"],
            "evaluationPeriods": [3],
            "threshold": [2],
            "treatMissingData": ["ignore"],
            "metricQueries": [queries("GroupPendingInstances")],
            "tags": RETAGGED,
        },
    ),
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": Example(
        lambda _: {
            "capacityBlockOfferingId": "cb-0123456789abcdef0",
            "instancePlatform": "Linux/UNIX",
            "tags": TAGS,
        },
        tagged,
    ),
}
