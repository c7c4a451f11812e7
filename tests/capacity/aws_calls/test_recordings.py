"""Answers that were recorded are the answers that were given: pages, times and refusals."""

import json
from datetime import UTC, datetime

import pytest

from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.recordings import RecordedClients, RecordingClients
from tests.capacity.fakes import FakeAws, WireClients, refusal

TYPES = Call("ec2", "describe_instance_types", "us-east-2", "InstanceTypes", list, {"InstanceTypes": ["g6.xlarge"]})
OTHER = Call("ec2", "describe_instance_types", "us-east-2", "InstanceTypes", list, {"InstanceTypes": ["p5.48xlarge"]})
VERSIONS = Call("eks", "describe_cluster_versions", "us-east-2", "clusterVersions", list)
ACCOUNT = Call("sts", "get_caller_identity", "us-east-2", "Account", str)
ANSWERS = {
    "ec2.describe_instance_types": lambda asked: {"InstanceTypes": [{"InstanceType": asked["InstanceTypes"][0]}]},
    "eks.describe_cluster_versions": {"clusterVersions": [{"releaseDate": datetime(2026, 1, 28, tzinfo=UTC)}]},
    "sts.get_caller_identity": {"Account": "111122223333"},
}


def record(folder, answers, *calls):
    with Aws(RecordingClients(FakeAws(dict(answers)), folder)) as aws:
        return aws.ask_all(calls)


def replay(folder, *calls):
    with Aws(RecordedClients(folder)) as aws:
        return aws.ask_all(calls)


@pytest.mark.parametrize("call", [TYPES, OTHER, ACCOUNT], ids=lambda call: f"{call.operation}-{call.parameters}")
def test_an_answer_is_replayed(tmp_path, call):
    (given,) = record(tmp_path, ANSWERS, call)

    (again,) = replay(tmp_path, call)

    assert again.found == given.found is not None


def test_times_are_in_iso_8601(tmp_path):
    record(tmp_path, ANSWERS, VERSIONS)

    assert replay(tmp_path, VERSIONS)[0].found == [{"releaseDate": "2026-01-28T00:00:00+00:00"}]


def test_each_question_has_its_own_file(tmp_path):
    record(tmp_path, ANSWERS, TYPES, OTHER)

    files = [json.loads(file.read_text())["call"] for file in tmp_path.iterdir()]
    assert sorted(each["parameters"]["InstanceTypes"][0] for each in files) == ["g6.xlarge", "p5.48xlarge"]
    assert {(each["service"], each["operation"], each["region"]) for each in files} == {
        ("ec2", "describe_instance_types", "us-east-2")
    }


def test_all_pages_are_recorded_through_boto3_itself(tmp_path):
    """The wire's own answers, in two pages."""
    bodies = [
        b"<R><instanceTypeSet><item><instanceType>a.large</instanceType></item></instanceTypeSet>"
        b"<nextToken>more</nextToken></R>",
        b"<R><instanceTypeSet><item><instanceType>b.large</instanceType></item></instanceTypeSet></R>",
    ]
    clients = WireClients(lambda request: (200, bodies["more" in str(request.body)]))
    with Aws(RecordingClients(clients, tmp_path)) as aws:
        given = aws.ask(TYPES).value

    assert [each["InstanceType"] for each in given] == ["a.large", "b.large"]
    assert replay(tmp_path, TYPES)[0].value == given
    (file,) = tmp_path.iterdir()
    assert "ResponseMetadata" not in file.read_text()


def test_a_refusal_is_replayed(tmp_path):
    record(tmp_path, {"ec2.describe_instance_types": refusal("InvalidInstanceType")}, TYPES)

    assert replay(tmp_path, TYPES)[0].refusal == "InvalidInstanceType"


@pytest.mark.parametrize("text", [None, "{"], ids=["no-file", "no-json"])
def test_what_is_not_recorded_is_not_known(tmp_path, text):
    record(tmp_path, ANSWERS, TYPES)
    (file,) = tmp_path.iterdir()
    file.unlink() if text is None else file.write_text(text)

    (answer,) = replay(tmp_path, TYPES)

    assert answer.refusal == "NotRecorded"
    assert str(file) in answer.failure.line
