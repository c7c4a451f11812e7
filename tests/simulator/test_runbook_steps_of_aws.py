"""The steps of the runbooks that are AWS's, done: by boto3, on the simulated account behind a port, as the AWS CLI would.

The account has a node group with a node, and no capacity for another one: what most of the steps are for.
"""

import re
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from eks_accelerators.simulator.aws_endpoint import AwsEndpoint
from tests.docs.pages import RUNBOOKS
from tests.simulator.aws.accounts import CLUSTER, NOW, REGION, furnish, opened
from tests.simulator.aws_command_line import read
from tests.simulator.test_runbook_steps import commands

STEPS = [(page.stem, command) for page in RUNBOOKS for command in commands(page, "aws")]
NOT_HERE = {
    "get-metric-statistics": "nobody measures a simulated file system, so that CloudWatch would have nothing to show",
}
"""Operations that the account does not answer, and why."""

KIND = {"instanceType": "g6.2xlarge"}
each_step = pytest.mark.parametrize(("page", "command"), STEPS, ids=[f"{page}: {command}" for page, command in STEPS])


@pytest.fixture
def place(tmp_path):
    """A node group that wants a second node and does not get it."""
    with opened(tmp_path) as aws:
        made = furnish(aws)
        made.create(nodegroupName="gpu", scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 4})
        aws.set_up({"insufficientCapacity": [KIND]})
        more = {"scalingConfig": {"desiredSize": 2}}
        aws.call("eks", "update_nodegroup_config", clusterName=CLUSTER, nodegroupName="gpu", **more)
        yield made


def group_of(place):
    return place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling


def filled(command, place):
    """The command with the names of this account: a placeholder is filled by what is before it."""
    names = {
        "--cluster-name": CLUSTER,
        "--nodegroup-name": "gpu",
        "--auto-scaling-group-name": group_of(place).name,
        "--instance-id": group_of(place).instances[0].id,
        "desiredSize": "2",
        "Value": "fs-0123456789abcdef0",
        "--start-time": NOW.isoformat(),
        "--end-time": NOW.isoformat(),
    }
    return read(re.sub(r"([\w-]+)([ =])<\w+>", lambda found: f"{found[1]}{found[2]}{names[found[1]]}", command))


def done(place, command):
    """What the command shows."""
    with AwsEndpoint(place.aws) as endpoint:
        return command.shown(region_name=REGION, endpoint_url=endpoint.url)


@each_step
def test_it_shows_something(place, page, command):
    """A step that only does something shows its answer too. One that is not simulated says so, in words of its own."""
    step = filled(command, place)
    assert step.unknown == []
    if NOT_HERE.keys() & set(command.split()):
        with pytest.raises(ClientError, match="is not served here"):
            done(place, step)
        return

    shown = done(place, step)

    assert shown
    assert not isinstance(shown, dict) or any(shown.values()), f"nothing is in {shown}"


def test_what_is_not_here_is_a_step():
    assert NOT_HERE.keys() <= {word for _, command in STEPS for word in command.split()}


def of(page, operation):
    (command,) = [each for stem, each in STEPS if stem == page and operation in each]
    return command


def test_without_capacity_they_say_why_no_node_comes(place):
    listed = done(place, filled(of("no-capacity", "list-nodegroups"), place))
    group = done(place, filled(of("no-capacity", "describe-nodegroup"), place))
    activities = done(place, filled(of("no-capacity", "describe-scaling-activities"), place))

    assert listed == {"nodegroups": ["gpu"]}
    assert group["groups"] == [{"name": group_of(place).name}]
    assert [issue["code"] for issue in group["health"]["issues"]] == ["AsgInstanceLaunchFailures"]
    assert "InsufficientInstanceCapacity" in group["health"]["issues"][0]["message"]
    assert "InsufficientInstanceCapacity" in activities["Activities"][0]["StatusMessage"]


def test_a_group_of_which_there_is_capacity_again_has_no_issue(place):
    place.aws.set_up({"sufficientCapacity": [KIND]})

    done(place, filled(of("no-capacity", "update-nodegroup-config"), place))

    assert place.sizes() == (0, 2, 4, 2)
    assert done(place, filled(of("no-capacity", "describe-nodegroup"), place))["health"] == {"issues": []}


def test_an_instance_that_is_ended_is_replaced(place):
    place.aws.set_up({"sufficientCapacity": [KIND]})
    before = {each.id for each in group_of(place).instances}
    step = filled(of("replace-a-gpu-node", "terminate-instance"), place)

    done(place, step)

    assert place.sizes() == (0, 2, 4, 2)
    assert step.parameters["InstanceId"] in before
    assert step.parameters["InstanceId"] not in {each.id for each in group_of(place).instances}


def test_a_step_that_names_what_is_not_there_fails(place):
    step = replace(
        filled(of("no-capacity", "describe-nodegroup"), place), parameters={"clusterName": "x", "nodegroupName": "y"}
    )

    with pytest.raises(ClientError, match="No cluster found"):
        done(place, step)
