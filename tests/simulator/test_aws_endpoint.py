"""The account behind a port: foreign SDKs get the answers of this process, and moments of their own clock."""

import json
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws_endpoint import AwsEndpoint
from eks_accelerators.simulator.aws_endpoint.server import NOT_SIMULATED
from eks_accelerators.simulator.kubernetes import node_config
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.running_clock import running
from tests.simulator.aws.accounts import CLUSTER, NOW, REGION, furnish, opened, reservation

PARAMETER = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
CAPACITY = "InsufficientInstanceCapacity"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An account with a cluster and a node group, a template, a queue and a profile; one type is not to be had in one zone."""
    short = {"instanceType": "g5.xlarge", "zone": "us-east-2a"}
    world = {"insufficientCapacity": [short], "capacityReservations": [reservation()]}
    with opened(tmp_path_factory.mktemp("account"), world) as aws:
        made = furnish(aws)
        made.create(nodegroupName="gpu", scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 4})
        data = {"InstanceType": "g6.2xlarge", "ImageId": "ami-0123456789abcdef0"}
        aws.call("ec2", "create_launch_template", LaunchTemplateName="nodes", LaunchTemplateData=data)
        aws.call("sqs", "create_queue", QueueName="interruptions")
        aws.call("iam", "create_instance_profile", InstanceProfileName="nodes")
        yield made


@pytest.fixture(scope="module")
def endpoint(place):
    with AwsEndpoint(place.aws) as serving:
        yield serving


def client(endpoint, service):
    return boto3.client(
        service, region_name=REGION, endpoint_url=endpoint.url, config=Config(retries={"total_max_attempts": 1})
    )


def asked(endpoint, service, operation, parameters):
    answer = getattr(client(endpoint, service), operation)(**parameters)
    answer.pop("ResponseMetadata")
    return answer


def modelled(endpoint, service, operation, answer):
    """An answer without what AWS's model of it does not have: records here may have more."""
    known = client(endpoint, service).meta
    shape = known.service_model.operation_model(known.method_to_api_mapping[operation]).output_shape
    return _of(shape, answer)


def _of(shape, value):
    if shape.type_name == "structure":
        return {name: _of(shape.members[name], each) for name, each in value.items() if name in shape.members}
    return [_of(shape.member, each) for each in value] if shape.type_name == "list" else value


def group_name(place):
    return place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.name


def fleet(place, kind, zone, **changes):
    override = {"InstanceType": kind, "SubnetId": place.subnets[zone], "AvailabilityZone": zone, "Priority": 1.5}
    template = {"LaunchTemplateName": "nodes", "Version": "$Latest"}
    return {
        "Type": "instant",
        "LaunchTemplateConfigs": [{"LaunchTemplateSpecification": template, "Overrides": [override]}],
        "TargetCapacitySpecification": {"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"},
        "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "karpenter.sh/nodepool", "Value": "gpu"}]}],
        **changes,
    }


READS = [
    ("autoscaling", "describe_auto_scaling_groups", {}),
    ("autoscaling", "describe_auto_scaling_groups", {"Filters": [{"Name": "tag-key", "Values": ["eks:cluster-name"]}]}),
    ("autoscaling", "describe_auto_scaling_groups", {"Filters": [{"Name": "tag:eks:nodegroup-name", "Values": ["x"]}]}),
    ("autoscaling", "describe_scaling_activities", {"AutoScalingGroupName": group_name}),
    ("autoscaling", "describe_launch_configurations", {}),
    ("eks", "describe_nodegroup", {"clusterName": CLUSTER, "nodegroupName": "gpu"}),
    ("eks", "describe_cluster", {"name": CLUSTER}),
    ("ec2", "describe_launch_template_versions", {"LaunchTemplateName": "nodes", "Versions": ["$Latest"]}),
    ("ec2", "describe_launch_templates", {"LaunchTemplateNames": ["nodes"]}),
    ("ec2", "describe_instance_types", {"InstanceTypes": ["g6.2xlarge", "trn1.32xlarge"]}),
    ("ec2", "describe_instance_type_offerings", {"LocationType": "availability-zone"}),
    ("ec2", "describe_spot_price_history", {"InstanceTypes": ["g6.2xlarge"]}),
    ("ec2", "describe_subnets", {}),
    ("ec2", "describe_security_groups", {}),
    ("ec2", "describe_images", {"ImageIds": ["ami-0123456789abcdef0"][:0]}),
    ("ec2", "describe_instances", {"Filters": [{"Name": "instance-state-name", "Values": ["running"]}]}),
    ("ec2", "describe_instance_status", {}),
    ("ec2", "describe_capacity_reservations", {}),
    ("ec2", "describe_placement_groups", {}),
    ("ec2", "describe_availability_zones", {}),
    ("ssm", "get_parameter", {"Name": PARAMETER}),
    ("iam", "get_instance_profile", {"InstanceProfileName": "nodes"}),
    ("sqs", "get_queue_url", {"QueueName": "interruptions"}),
    ("sts", "get_caller_identity", {}),
    ("pricing", "get_products", {"ServiceCode": "AmazonEC2"}),
]


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [pytest.param(*case, id=f"{case[0]}-{case[1]}-{number}") for number, case in enumerate(READS)],
)
def test_what_autoscalers_ask_is_answered_as_in_this_process(endpoint, place, service, operation, parameters):
    """Protocols query, ec2, rest-json and json: what botocore reads from the wire is what the account has said."""
    told = {key: value(place) if callable(value) else value for key, value in parameters.items()}

    here = place.aws.call(service, operation, **told)
    assert asked(endpoint, service, operation, told) == modelled(endpoint, service, operation, here)


REFUSALS = [
    ("autoscaling", "set_desired_capacity", {"AutoScalingGroupName": "none", "DesiredCapacity": 1}),
    ("autoscaling", "set_desired_capacity", {"AutoScalingGroupName": group_name, "DesiredCapacity": 5}),
    (
        "autoscaling",
        "terminate_instance_in_auto_scaling_group",
        {"InstanceId": "i-none", "ShouldDecrementDesiredCapacity": True},
    ),
    ("eks", "describe_nodegroup", {"clusterName": CLUSTER, "nodegroupName": "none"}),
    ("ec2", "describe_launch_templates", {"LaunchTemplateNames": ["none"]}),
    ("ec2", "create_fleet", lambda place: fleet(place, "g6.2xlarge", "us-east-2a", DryRun=True)),
    ("ssm", "get_parameter", {"Name": "/aws/service/eks/none"}),
    ("iam", "get_instance_profile", {"InstanceProfileName": "none"}),
    ("sqs", "get_queue_url", {"QueueName": "none"}),
]


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [pytest.param(*case, id=f"{case[0]}-{case[1]}-{number}") for number, case in enumerate(REFUSALS)],
)
def test_refusals_have_the_code_and_the_words_of_this_process(endpoint, place, service, operation, parameters):
    given = parameters(place) if callable(parameters) else parameters
    told = {key: value(place) if callable(value) else value for key, value in given.items()}
    with pytest.raises(AwsError) as here:
        place.aws.call(service, operation, **told)

    with pytest.raises(ClientError) as there:
        asked(endpoint, service, operation, told)

    found = there.value.response["Error"]
    assert (found["Code"].rpartition("#")[2], found["Message"]) == (here.value.code, here.value.message)


def test_what_is_not_simulated_is_said_and_remembered(endpoint):
    with pytest.raises(ClientError) as refused:
        client(endpoint, "autoscaling").describe_auto_scaling_groups(Filters=[{"Name": "none", "Values": ["x"]}])

    assert refused.value.response["Error"]["Code"] == NOT_SIMULATED
    assert "the filter none" in endpoint.unknown.pop("autoscaling.describe_auto_scaling_groups")


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        pytest.param({}, "the request is not signed", id="unsigned"),
        pytest.param(
            {"Authorization": "AWS4-HMAC-SHA256 Credential=x/20261123/us-east-2/s3/aws4_request"},
            "the service s3 is not served here",
            id="other-service",
        ),
        pytest.param(
            {"Authorization": "AWS4-HMAC-SHA256 Credential=x/20261123/us-east-2/eks/aws4_request"},
            "GET /none/of/these is no operation of eks",
            id="no-operation",
        ),
    ],
)
def test_a_request_that_is_no_call_is_refused(endpoint, headers, said):
    request = urllib.request.Request(f"{endpoint.url}/none/of/these", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)

    assert refused.value.code == 400
    assert said in refused.value.read().decode()
    endpoint.unknown.clear()


def test_an_autoscaler_changes_the_account_and_exactly_the_instance_that_it_names_goes(endpoint, place):
    scaling = client(endpoint, "autoscaling")
    scaling.set_desired_capacity(AutoScalingGroupName=group_name(place), DesiredCapacity=3)
    first, second, third = [
        each["InstanceId"] for each in scaling.describe_auto_scaling_groups()["AutoScalingGroups"][0]["Instances"]
    ]

    done = scaling.terminate_instance_in_auto_scaling_group(InstanceId=second, ShouldDecrementDesiredCapacity=True)

    assert done["Activity"]["Description"] == f"Terminating EC2 instance: {second}"
    left = [each.id for each in place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances]
    assert left == [first, third]
    assert place.sizes()[1] == 2


def test_a_fleet_says_where_ec2_has_none_and_its_instances_are_there_until_they_are_terminated(endpoint, place):
    ec2 = client(endpoint, "ec2")
    none = ec2.create_fleet(**fleet(place, "g5.xlarge", "us-east-2a"))
    assert (none["Instances"], none["Errors"][0]["ErrorCode"]) == ([], CAPACITY)
    assert none["Errors"][0]["LaunchTemplateAndOverrides"]["Overrides"]["AvailabilityZone"] == "us-east-2a"

    (launched,) = ec2.create_fleet(**fleet(place, "g5.xlarge", "us-east-2b"))["Instances"]
    (instance,) = launched["InstanceIds"]
    ec2.create_tags(Resources=[instance], Tags=[{"Key": "Name", "Value": "node"}])
    filters = [{"Name": "tag-key", "Values": ["karpenter.sh/nodepool"]}]
    (found,) = ec2.describe_instances(Filters=filters)["Reservations"]
    (described,) = found["Instances"]
    assert described["Placement"]["AvailabilityZone"] == "us-east-2b"
    assert {tag["Key"]: tag["Value"] for tag in described["Tags"]} == {"karpenter.sh/nodepool": "gpu", "Name": "node"}

    ec2.terminate_instances(InstanceIds=[instance])
    with pytest.raises(ClientError, match=r"InvalidInstanceID\.NotFound"):
        ec2.describe_instances(InstanceIds=[instance])


def test_moments_are_those_of_the_wall_clock_for_who_goes_by_it(place):
    """An autoscaler compares when an activity began with the moment at which it asked for it, by its own clock."""
    with running(place.aws, Pace(600)) as clock, AwsEndpoint(place.aws, clock) as serving:
        scaling, before = client(serving, "autoscaling"), datetime.now(UTC)
        scaling.set_desired_capacity(AutoScalingGroupName=group_name(place), DesiredCapacity=4)
        after = datetime.now(UTC)
        newest = scaling.describe_scaling_activities(AutoScalingGroupName=group_name(place))["Activities"][0]

        assert before < newest["StartTime"] < after + timedelta(seconds=1)
        assert place.aws.state.now > NOW


MIME = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo hello

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: ml
  instance:
    localStorage:
      strategy: RAID0
  kubelet:
    config:
      maxPods: 58
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/nodepool=gpu,karpenter.sh/capacity-type=on-demand"
--//--
"""


@pytest.mark.parametrize(
    ("user_data", "found"),
    [
        pytest.param(
            MIME,
            node_config.NodeConfig(
                cluster="ml",
                labels={"karpenter.sh/nodepool": "gpu", "karpenter.sh/capacity-type": "on-demand"},
                taints=({"effect": "NoExecute", "key": "karpenter.sh/unregistered"},),
                raid0=True,
            ),
            id="as-karpenter-writes-it",
        ),
        pytest.param("#!/bin/bash\necho hello\n", None, id="a-script"),
        pytest.param("", None, id="none"),
        pytest.param(json.dumps({"spec": {}}), None, id="no-mime"),
    ],
)
def test_a_node_registers_with_what_its_user_data_says(user_data, found):
    assert node_config.of_user_data(user_data) == found
