"""What autoscalers change in the account: sizes, single instances and fleets; it is there when the account is opened again."""

import pytest

from eks_accelerators.simulator.aws.errors import NotSimulatedError
from tests.simulator.aws.accounts import CLUSTER, furnish, opened, refused


def scaling_of(place, name="gpu"):
    return place.aws.state.clusters[CLUSTER].node_groups[name].scaling


def fleet(place, *kinds, wanted=1, zone="us-east-2a", bought="on-demand"):
    """A fleet of one of ``kinds``, the first the cheapest."""
    named = {"LaunchTemplateName": "nodes", "Version": "$Latest"}
    overrides = [
        {"InstanceType": kind, "SubnetId": place.subnets[zone], "Priority": float(price)}
        for price, kind in reversed(list(enumerate(kinds)))
    ]
    return {
        "Type": "instant",
        "LaunchTemplateConfigs": [{"LaunchTemplateSpecification": named, "Overrides": overrides}],
        "TargetCapacitySpecification": {"TotalTargetCapacity": wanted, "DefaultTargetCapacityType": bought},
    }


@pytest.fixture
def place(tmp_path):
    world = {"insufficientCapacity": [{"instanceType": "g5.xlarge"}], "quotas": {"L-DB2E81BA": 16, "L-3819A6DF": 8}}
    with opened(tmp_path, world) as aws:
        made = furnish(aws)
        aws.call("ec2", "create_launch_template", LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": "ami-1"})
        yield made


@pytest.mark.parametrize(
    ("kinds", "options", "launched", "failed"),
    [
        pytest.param(["g6.xlarge"], {}, ["g6.xlarge"], [], id="one"),
        pytest.param(["g6.xlarge", "g6.2xlarge"], {}, ["g6.xlarge"], [], id="the-cheapest"),
        pytest.param(
            ["g5.xlarge", "g6.xlarge"], {}, ["g6.xlarge"], ["InsufficientInstanceCapacity"], id="none-of-the-cheapest"
        ),
        pytest.param(["g5.xlarge"], {}, [], ["InsufficientInstanceCapacity"], id="none-at-all"),
        pytest.param(["g6.xlarge"], {"wanted": 3}, ["g6.xlarge"] * 3, [], id="three"),
        pytest.param(
            ["g6.2xlarge"], {"wanted": 3}, ["g6.2xlarge"] * 2, ["VcpuLimitExceeded"], id="as-the-quota-allows"
        ),
        pytest.param(["g6.2xlarge"], {"wanted": 2, "bought": "spot"}, ["g6.2xlarge"], ["VcpuLimitExceeded"], id="spot"),
    ],
)
def test_a_fleet_launches_what_ec2_has_and_says_what_it_has_not(place, kinds, options, launched, failed):
    answer = place.aws.call("ec2", "create_fleet", **fleet(place, *kinds, **options))

    assert [each["InstanceType"] for each in answer["Instances"]] == launched
    assert [each["ErrorCode"] for each in answer["Errors"]] == failed
    addresses = [each.instance.private_ip for each in place.aws.state.fleet]
    assert len(set(addresses)) == len(launched)


def test_a_fleet_that_stays_is_not_simulated(place):
    with pytest.raises(NotSimulatedError, match="a fleet of the type maintain is not simulated"):
        place.aws.call("ec2", "create_fleet", **{**fleet(place, "g6.xlarge"), "Type": "maintain"})


@pytest.mark.parametrize(
    ("desired", "said"),
    [
        pytest.param(3, "New SetDesiredCapacity value 3 is above max value 2 for the AutoScalingGroup.", id="above"),
        pytest.param(0, "New SetDesiredCapacity value 0 is below min value 1 for the AutoScalingGroup.", id="below"),
    ],
)
def test_a_size_outside_the_bounds_is_refused(place, desired, said):
    place.create(scalingConfig={"minSize": 1, "desiredSize": 1, "maxSize": 2})
    wanted = {"AutoScalingGroupName": scaling_of(place).name, "DesiredCapacity": desired}

    assert refused(place, "set_desired_capacity", wanted, "autoscaling") == ("ValidationError", said)


def test_the_last_instance_that_a_group_must_have_does_not_go(place):
    place.create(scalingConfig={"minSize": 1, "desiredSize": 1, "maxSize": 2})
    (instance,) = scaling_of(place).instances
    wanted = {"InstanceId": instance.id, "ShouldDecrementDesiredCapacity": True}

    code, said = refused(place, "terminate_instance_in_auto_scaling_group", wanted, "autoscaling")

    assert (code, said.partition(". ")[0]) == ("ValidationError", "Currently, desiredSize equals minSize (1)")
    place.aws.call(
        "autoscaling",
        "terminate_instance_in_auto_scaling_group",
        **{**wanted, "ShouldDecrementDesiredCapacity": False},
    )
    assert [each.id for each in scaling_of(place).instances] != [instance.id]


def test_a_launch_that_fails_is_among_the_activities_once_until_it_is_wanted_anew(place):
    place.create(instanceTypes=["g5.xlarge"], scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 2})
    group = {"AutoScalingGroupName": scaling_of(place).name}

    def failures():
        listed = place.aws.call("autoscaling", "describe_scaling_activities", **group)["Activities"]
        return [each["StatusMessage"] for each in listed if each["StatusCode"] == "Failed"]

    place.aws.call("autoscaling", "set_desired_capacity", **group, DesiredCapacity=1)
    place.aws.set_clock(place.aws.state.now)
    assert len(failures()) == 1
    assert failures()[0].startswith("InsufficientInstanceCapacity: We currently do not have sufficient g5.xlarge")

    place.aws.call("autoscaling", "set_desired_capacity", **group, DesiredCapacity=2)
    assert len(failures()) == 2


def test_all_of_it_is_there_when_the_account_is_opened_again(tmp_path):
    with opened(tmp_path) as aws:
        made = furnish(aws)
        made.create()
        name = scaling_of(made).name
        aws.call("autoscaling", "set_desired_capacity", AutoScalingGroupName=name, DesiredCapacity=2)
        aws.call("ec2", "create_launch_template", LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": "ami-1"})
        first, second = (
            aws.call("ec2", "create_fleet", **fleet(made, "g6.xlarge"))["Instances"][0]["InstanceIds"] for _ in "12"
        )
        aws.call("ec2", "terminate_instances", InstanceIds=first)
        aws.call("ec2", "create_tags", Resources=second, Tags=[{"Key": "Name", "Value": "node"}])
        before = repr(aws.state)
    with opened(tmp_path) as again:
        assert repr(again.state) == before
        assert again.state.fleet[0].tags == {"Name": "node"}
