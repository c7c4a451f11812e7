"""The account and its journal: what is written, what is had again, and what never gets out or in."""

import json
import os
import shutil
import threading
from contextlib import contextmanager
from datetime import timedelta

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.journal import Journal
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.throttling import ATTEMPTS, Throttle
from tests.simulator.aws.accounts import CLUSTER, NOW, ZONES, furnish, offering, opened, reservation, role

READS = {
    "Vpcs": ("ec2", "describe_vpcs"),
    "Subnets": ("ec2", "describe_subnets"),
    "SecurityGroups": ("ec2", "describe_security_groups"),
    "SecurityGroupRules": ("ec2", "describe_security_group_rules"),
    "LaunchTemplates": ("ec2", "describe_launch_templates"),
    "PlacementGroups": ("ec2", "describe_placement_groups"),
    "NatGateways": ("ec2", "describe_nat_gateways"),
    "Roles": ("iam", "list_roles"),
    "Topics": ("sns", "list_topics"),
    "clusters": ("eks", "list_clusters"),
}


def everything(aws):
    """All that the account holds: our records, and what moto answers, without its own timestamps."""
    answers = {key: aws.call(service, name)[key] for key, (service, name) in READS.items()}
    for each in (*answers["LaunchTemplates"], *answers["NatGateways"]):
        each.pop("CreateTime")
    for each in answers["Roles"]:
        each.pop("CreateDate")
    return repr(aws.state), answers


def journal(folder):
    """The entries, without their checksums."""
    lines = [json.loads(line) for line in (folder / "aws.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "check"} for line in lines]


# Random lives of an account: each step takes a number, by which it chooses among what is there.
def _vpc(aws, number):
    aws.call("ec2", "create_vpc", CidrBlock=f"10.{number}.0.0/16")


def _subnet(aws, number):
    vpcs = aws.call("ec2", "describe_vpcs")["Vpcs"]
    vpc = vpcs[number % len(vpcs)]
    block = vpc["CidrBlock"].replace("0.0/16", f"{number}.0/24")
    aws.call("ec2", "create_subnet", VpcId=vpc["VpcId"], CidrBlock=block, AvailabilityZone=ZONES[number % 3])


def _role(aws, number):
    role(aws, f"role-{number % 4}", "ec2.amazonaws.com")


def _template(aws, number):
    data = {"InstanceType": "g6.2xlarge", "EbsOptimized": bool(number % 2)}
    aws.call("ec2", "create_launch_template", LaunchTemplateName=f"template-{number % 4}", LaunchTemplateData=data)


def _group(aws, number):
    aws.call("ec2", "create_placement_group", GroupName=f"group-{number % 3}", Strategy="cluster")


def _no_group(aws, number):
    aws.call("ec2", "delete_placement_group", GroupName=f"group-{number % 3}")


def _buy(aws, number):
    offer = f"cb-0123456789abcde{number % 3}"
    aws.call("ec2", "purchase_capacity_block", CapacityBlockOfferingId=offer, InstancePlatform="Linux/UNIX")


def _nodes(aws, number):
    subnets = [subnet["SubnetId"] for subnet in aws.call("ec2", "describe_subnets")["Subnets"]]
    aws.call(
        "eks",
        "create_nodegroup",
        clusterName=CLUSTER,
        nodegroupName=f"nodes-{number % 3}",
        nodeRole=f"arn:aws:iam::{ACCOUNT_ID}:role/node",
        subnets=subnets[-2:],
        instanceTypes=["g6.2xlarge"],
        amiType="AL2023_x86_64_NVIDIA",
        scalingConfig={"minSize": 0, "desiredSize": number % 3, "maxSize": 2},
    )


def _resize(aws, number):
    aws.call(
        "eks",
        "update_nodegroup_config",
        clusterName=CLUSTER,
        nodegroupName=f"nodes-{number % 3}",
        scalingConfig={"desiredSize": number % 4},
        labels={"addOrUpdateLabels": {"size": str(number)}},
    )


def _no_nodes(aws, number):
    aws.call("eks", "delete_nodegroup", clusterName=CLUSTER, nodegroupName=f"nodes-{number % 3}")


def _schedule(aws, number):
    groups = aws.state.scaling_groups() or [None]
    aws.call(
        "autoscaling",
        "put_scheduled_update_group_action",
        AutoScalingGroupName=groups[number % len(groups)].name if groups[0] else "none",
        ScheduledActionName=f"action-{number % 2}",
        StartTime=aws.state.now + timedelta(hours=number % 5),
        DesiredCapacity=number % 3,
    )


def _wait(aws, number):
    aws.set_clock(aws.state.now + timedelta(hours=number))


def _unheard_of(aws, number):
    aws.call("ec2", "delete_vpc", VpcId=f"vpc-{number}")


STEPS = (
    _vpc,
    _subnet,
    _role,
    _template,
    _group,
    _no_group,
    _buy,
    _nodes,
    _resize,
    _no_nodes,
    _schedule,
    _wait,
    _unheard_of,
)


@settings(max_examples=5)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9)), min_size=20, max_size=50))
def test_whatever_happens_the_journal_gives_the_same_account(tmp_path_factory, life):
    folder, copy = tmp_path_factory.mktemp("account"), tmp_path_factory.mktemp("copy")
    world = {"capacityBlockOfferings": [offering(f"cb-0123456789abcde{digit}") for digit in range(2)]}
    with opened(folder, world) as aws:
        furnish(aws)
        for step, number in life:
            before = repr(aws.state), len(journal(folder))
            try:
                step(aws, number)
            except AwsError:
                assert (repr(aws.state), len(journal(folder))) == before, "a refusal changes nothing"
        for name in ("aws.jsonl", "aws.end"):
            shutil.copy(folder / name, copy)
        expected = everything(aws)
        going_on = aws.call("ec2", "create_vpc", CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]

    with opened(copy) as aws:
        assert everything(aws) == expected
        assert aws.call("ec2", "create_vpc", CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"] == going_on


def test_what_is_written(tmp_path):
    with opened(tmp_path, {"quotas": {"L-DB2E81BA": 8}}) as aws:
        place = furnish(aws)
        aws.call("ec2", "create_placement_group", GroupName="together", Strategy="cluster")
        aws.call("ec2", "describe_placement_groups")
        with pytest.raises(AwsError, match="Duplicate"):
            aws.call("ec2", "create_placement_group", GroupName="together", Strategy="cluster")
        made = place.create()
        start = NOW + timedelta(hours=2)
        action = {
            "AutoScalingGroupName": made["resources"]["autoScalingGroups"][0]["name"],
            "ScheduledActionName": "more",
        }
        aws.call("autoscaling", "put_scheduled_update_group_action", **action, StartTime=start, DesiredCapacity=2)
        aws.set_clock(NOW + timedelta(hours=1))

    world, *_ = written = journal(tmp_path)
    assert world == {"world": {"quotas": {"L-DB2E81BA": 8}}}
    assert written[-4:] == [
        {
            "service": "ec2",
            "operation": "create_placement_group",
            "parameters": {"GroupName": "together", "Strategy": "cluster"},
        },
        {"service": "eks", "operation": "create_nodegroup", "parameters": place.request()},
        {
            "service": "autoscaling",
            "operation": "put_scheduled_update_group_action",
            "parameters": {**action, "StartTime": "2026-11-23T11:00:00+00:00", "DesiredCapacity": 2},
        },
        {"clock": "2026-11-23T10:00:00+00:00"},
    ]
    with opened(tmp_path, {"quotas": {"ignored": 1}}) as aws:
        assert (aws.state.quotas, aws.state.now) == ({"L-DB2E81BA": 8}, NOW + timedelta(hours=1))


def test_a_last_line_that_was_cut_short_is_a_call_that_was_never_made(tmp_path):
    with opened(tmp_path) as aws:
        aws.call("ec2", "create_placement_group", GroupName="whole", Strategy="cluster")
        whole, end = (tmp_path / "aws.jsonl").read_text(), (tmp_path / "aws.end").read_text()
        aws.call("ec2", "create_placement_group", GroupName="torn", Strategy="cluster")
    (tmp_path / "aws.jsonl").write_text((tmp_path / "aws.jsonl").read_text()[:-30])
    (tmp_path / "aws.end").write_text(end)  # it is written after the line

    with opened(tmp_path) as aws:
        assert list(aws.state.placement_groups) == ["whole"]
        aws.call("ec2", "create_placement_group", GroupName="after", Strategy="cluster")

    assert (tmp_path / "aws.jsonl").read_text().startswith(whole + '{"check"')
    with opened(tmp_path) as aws:
        assert list(aws.state.placement_groups) == ["whole", "after"]


def test_an_account_is_new_until_something_is_done_in_it(tmp_path):
    with opened(tmp_path) as aws:
        assert aws.is_new
        aws.call("ec2", "describe_vpcs")
        assert aws.is_new
        aws.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16")
        assert not aws.is_new
    with opened(tmp_path) as aws:
        assert not aws.is_new


def test_one_account_after_another_knows_nothing_of_the_first(tmp_path_factory):
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    with opened(first, {"capacityReservations": [reservation()]}) as aws:
        furnish(aws)

    with opened(second, region="us-west-2") as aws:
        assert everything(aws)[1]["clusters"] == []
        assert (aws.state.blocks, aws.state.clusters, aws.state.region) == ({}, {}, "us-west-2")
        assert {zone["ZoneName"] for zone in aws.backend.zones()} == {f"us-west-2{letter}" for letter in "abcd"}


def test_nobody_has_a_hand_on_the_account(tmp_path):
    """Neither what one asked with nor what one was answered is the account's own."""
    with opened(tmp_path) as aws:
        place = furnish(aws)
        wanted = place.request(labels={"team": "ml"}, tags={"owner": "me"})
        answered = aws.call("eks", "create_nodegroup", **wanted)["nodegroup"]
        before = everything(aws)
        for theirs in (wanted, answered):
            theirs["labels"]["team"] = theirs["tags"]["owner"] = "changed"
            theirs["subnets"].clear()
        aws.call("eks", "describe_cluster", name=CLUSTER)["cluster"]["resourcesVpcConfig"].clear()

        assert everything(aws) == before


def test_calls_of_many_threads_come_one_after_the_other(tmp_path):
    with opened(tmp_path) as aws:

        def work(number):
            for each in range(5):
                aws.call("ec2", "create_vpc", CidrBlock=f"10.{number}.{each}.0/24")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expected = everything(aws)
        assert (aws.calls, len(journal(tmp_path))) == (40 + len(READS), 40)

    with opened(tmp_path) as aws:
        assert everything(aws) == expected


@pytest.mark.parametrize(
    ("service", "name", "words"),
    [
        pytest.param("ec2", "create_vpcs", "ec2.create_vpcs is no operation of AWS", id="misspelt"),
        pytest.param("ec2", "describe_trunk_interface_associations", "is not simulated", id="not-in-ec2"),
        pytest.param("eks", "list_access_policies", "is not simulated", id="not-in-eks"),
    ],
)
def test_what_is_not_simulated_is_said(tmp_path, service, name, words):
    with opened(tmp_path) as aws, pytest.raises(NotSimulatedError, match=words):
        aws.call(service, name)


def test_one_account_at_a_time(tmp_path_factory):
    """moto stands in for botocore as a whole."""
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    with opened(first), pytest.raises(RuntimeError, match="another account is open in this process"), opened(second):
        pass
    with opened(second):
        pass


def test_a_journal_that_leads_elsewhere_is_of_another_version(tmp_path):
    call = {"service": "ec2", "operation": "delete_vpc", "parameters": {"VpcId": "vpc-0123456789abcdef0"}}
    Journal(tmp_path / "aws.jsonl").add(call)

    with pytest.raises(
        ValueError, match=r"written by another version: .* line 1 .*NotFound.* start again with --fresh"
    ):
        opened(tmp_path).__enter__()


def test_an_account_that_cannot_be_opened_is_closed(tmp_path_factory):
    damaged, whole = tmp_path_factory.mktemp("damaged"), tmp_path_factory.mktemp("whole")
    (damaged / "aws.jsonl").write_text("{\n{}\n")
    (damaged / "aws.end").write_text("2 00000000\n")
    before = dict(os.environ)

    with pytest.raises(ValueError, match=r"aws.jsonl is damaged in line 1; start again with --fresh"), opened(damaged):
        pass
    assert dict(os.environ) == before
    with opened(whole) as aws:
        assert aws.is_new


@pytest.mark.parametrize(
    ("every", "calls", "throttled", "waited"),
    [
        pytest.param(3, 7, 2, 2.0, id="every-third"),
        pytest.param(2, 1, 0, 0.0, id="not-yet"),
        pytest.param(10, 20, 2, 2.0, id="every-tenth"),
    ],
)
def test_throttling_is_counted_and_overcome(every, calls, throttled, waited):
    throttle = Throttle(every)
    for _ in range(calls):
        throttle("ec2", "create_vpc")

    assert (throttle.calls, throttle.throttled, throttle.waited_seconds) == (calls, throttled, waited)


def test_throttling_of_every_attempt_refuses_and_writes_nothing(tmp_path):
    with opened(tmp_path) as aws:
        aws.before_call = Throttle(1)
        with pytest.raises(AwsError) as refused:
            aws.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16")

        assert (refused.value.code, refused.value.message) == (
            "ThrottlingException",
            f"Rate exceeded (ec2, {ATTEMPTS} attempts)",
        )
        assert aws.is_new


def test_what_is_replayed_is_not_throttled(tmp_path):
    with opened(tmp_path) as aws:
        furnish(aws)
    with opened(tmp_path) as aws:
        assert aws.calls == 0


@contextmanager
def settings_of_a_user(monkeypatch, folder):
    """Whatever could lead boto3 to a real account, and nowhere."""
    (folder / "config").write_text(
        "[default]\nservices = mine\nuse_fips_endpoint = true\n[services mine]\nec2 =\n  endpoint_url = http://127.0.0.1:9\n"
    )
    (folder / "credentials").write_text("[default]\naws_access_key_id = real\naws_secret_access_key = real\n")
    wanted = {
        "AWS_ACCESS_KEY_ID": "real",
        "AWS_SESSION_TOKEN": "real",
        "AWS_PROFILE": "production",
        "AWS_CONFIG_FILE": str(folder / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials"),
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ENDPOINT_URL_EC2": "http://127.0.0.1:9",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "AWS_CA_BUNDLE": str(folder / "missing"),
    }
    for key, value in wanted.items():
        monkeypatch.setenv(key, value)
    before = dict(os.environ)
    yield
    assert dict(os.environ) == before


def test_a_user_s_own_aws_is_out_of_reach_inside_and_as_it_was_afterwards(tmp_path, monkeypatch):
    with settings_of_a_user(monkeypatch, tmp_path), opened(tmp_path) as aws:
        session = boto3.Session()
        credentials = session.get_credentials()
        assert session.profile_name == "default"
        assert "real" not in (credentials.access_key, credentials.secret_key, credentials.token)
        made = session.client("ec2", region_name="us-east-2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        assert made in [vpc["VpcId"] for vpc in aws.call("ec2", "describe_vpcs")["Vpcs"]]


def test_the_environment_is_restored_after_an_error(tmp_path, monkeypatch):
    with pytest.raises(RuntimeError), settings_of_a_user(monkeypatch, tmp_path), opened(tmp_path):
        raise RuntimeError
