"""What a thorough verification measures between nodes: with the pods of the workload `collectiveTest`, on whole idle nodes alone."""

import pytest

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.components import CollectiveTest
from eks_accelerators.verification.network_checks import largest_mib, sets_of
from tests.components.examples import EXAMPLES, deployed
from tests.verification.test_faults_found import EIGHT, ONE, SHARED, TRAINIUM, TRAINIUM2, TRAINIUMS
from tests.verification.worlds import Level, PaperCluster, made_by, stack_of, verification, verified

CODES = ("network-bandwidth", "network-over-efa")
WITHOUT_EFA = {**TRAINIUM, "nodeGroups.gpu": {**TRAINIUMS["nodeGroups.gpu"], "efa": {"enabled": False}}}
INFERENTIA = {**WITHOUT_EFA, "nodeGroups.gpu": {**WITHOUT_EFA["nodeGroups.gpu"], "instanceType": "inf2.48xlarge"}}


def between(findings):
    return {each.code: each for each in findings if each.code in CODES}


def test_two_idle_nodes_are_compared_with_what_somebody_measured_of_their_type():
    found = between(verified(EIGHT, level=Level.THOROUGH, nodes=2))

    bandwidth, network = (found[code] for code in CODES)
    assert (bandwidth.severity, network.severity) == ("pass", "pass")
    assert bandwidth.found == "487 GB/s at 16384 MiB"
    assert bandwidth.expected.startswith(
        "all-reduce of 487 GB/s at 16384 MiB, and no less than 85% at any size (awslabs/"
    )
    assert network.found == "EFA, from GPU to GPU"
    assert len(bandwidth.nodes) == 2


def test_of_trainium_it_is_what_aws_shows_and_by_its_own_words_an_example():
    (found,) = between(verified(TRAINIUMS, level=Level.THOROUGH, nodes=2)).values()

    assert (found.severity, found.found) == ("pass", "51 GB/s at 1024 MiB")
    assert found.expected.startswith("all-reduce of 51 GB/s at 1024 MiB, and no less than 85% at any size (aws-neuron/")
    assert len(found.nodes) == 2

    (slow,) = between(verified(TRAINIUMS, "slow-link=40", level=Level.THOROUGH, nodes=2)).values()
    assert (slow.severity, slow.found) == ("monitor", "17 of 42 GB/s at 134217728 bytes")


def test_where_nobody_has_measured_the_figure_is_told_and_nothing_is_expected():
    two = {**TRAINIUM2, "nodeGroups.gpu": {**TRAINIUM2["nodeGroups.gpu"], "size": {"desired": 2, "max": 2}}}

    (found,) = between(verified(two, level=Level.THOROUGH, nodes=2)).values()

    assert (found.severity, found.expected) == ("pass", "all-reduce, right (no speed is published)")
    assert found.found.startswith("10 GB/s at ")


BROKEN = {
    "an error of a size": (
        "      size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)\n"
        "      1048576    Failure running neuron-bench - log file /tmp/nccom_test_log.log\n1 errors found - test failed\n",
        "monitor",
        "Failure running neuron-bench",
    ),
    "MPI finds no other": (
        "ssh: connect to host 10.0.0.2 port 2222: Connection refused\n",
        "notVerified",
        "it did not come to its end: ssh: connect to host 10.0.0.2",
    ),
    "pods that do not find each other": (
        "launch: not in time: sshd of network-0-1.network-0\n",
        "notVerified",
        "not in time: sshd of network-0-1",
    ),
    "cut off": (
        "      size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)\n"
        "      1048576          262144    fp32              68          14.36          28.00\n",
        "notVerified",
        "it did not come to its end",
    ),
    "nothing": ("", "notVerified", "it did not come to its end: it printed nothing"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_nccom_test_prints_that_is_no_table(case):
    text, severity, said = BROKEN[case]
    stack = stack_of(TRAINIUMS)
    cluster = PaperCluster(stack, nodes=2)
    simulated = cluster.log
    cluster.log = lambda namespace, name: text if name.startswith("network-0") else simulated(namespace, name)

    (found,) = between(verification(stack, cluster, Level.THOROUGH).findings()).values()

    assert (found.severity, said in found.found) == (severity, True), found.found


def test_what_follows_from_tcp_is_told_with_it():
    found = between(verified(EIGHT, "slow-network=tcp", level=Level.THOROUGH, nodes=2))

    (told,) = found.values()
    assert (told.code, told.found) == ("network-over-efa", "it falls back to TCP sockets")
    assert told.evidence[0].startswith("network-bandwidth: 1 of ")


@pytest.mark.parametrize(
    ("patch", "nodes", "why"),
    [
        (SHARED, 2, "0 of 2 nodes are whole and idle, and it takes two"),
        (ONE, 2, "it is not idle: llm/qwen"),
        (INFERENTIA, 2, "nccom-test measures one node of inf2.48xlarge: between nodes Trainium alone"),
        (WITHOUT_EFA, 2, "Neuron devices exchange data between nodes over EFA, which nodes of gpu do not have"),
        (EIGHT, 1, None),
    ],
    ids=["shared", "busy", "Inferentia", "Trainium without EFA", "one node"],
)
def test_where_nothing_is_measured_that_is_said(patch, nodes, why):
    stack = stack_of(patch)
    cluster = PaperCluster(stack, nodes=nodes)

    found = between(verification(stack, cluster, Level.THOROUGH).findings())

    assert [each for each in cluster.asked if each.startswith("create jobs network")] == []
    if why is None:
        assert found == {}
    else:
        assert found["network-bandwidth"].severity == "notVerified"
        assert why in found["network-bandwidth"].found


def test_without_efa_it_is_right_or_wrong_and_no_speed_is_expected():
    found = between(verified({**ONE, "workloads": {}}, level=Level.THOROUGH, nodes=2))

    assert list(found) == ["network-bandwidth"]
    assert found["network-bandwidth"].expected == "all-reduce, right (no speed is published)"


@pytest.mark.parametrize(
    ("count", "size", "sets"),
    [
        (2, 2, [(0, [0, 1])]),
        (5, 2, [(0, [0, 1]), (0, [2, 3]), (1, [3, 4])]),
        (6, 4, [(0, [0, 1, 2, 3]), (1, [2, 3, 4, 5])]),
    ],
)
def test_every_node_has_its_turn(count, size, sets):
    assert [(wave, list(nodes)) for wave, nodes in sets_of(list(range(count)), size)] == sets


def test_messages_are_as_large_as_those_of_who_measured():
    group = stack_of(EIGHT).groups["gpu"]

    assert largest_mib(group, measured("p5.48xlarge", 2)) == 16 * 1024
    assert largest_mib(group, measured("p6-b300.48xlarge", 2)) == 16 * 1024
    assert largest_mib(group, None) == 1024


def test_its_pods_are_those_of_the_workload():
    """Nothing but where they run, how long, and what their labels find differs."""
    assert CollectiveTest in EXAMPLES
    (workload,) = deployed(CollectiveTest).of("Job")
    made = made_by(EIGHT)

    (job,) = [each for kind, each in made if kind == "jobs" and each["metadata"].get("name") == "network-0"]
    needed = [kind for kind, each in made if each["metadata"].get("name", "").startswith("network-0")]
    theirs, ours = (each["spec"]["template"]["spec"] for each in (workload.inputs, job))
    assert needed == ["services", "configmaps", "jobs"]
    assert set(theirs) == set(ours)
    assert ours["subdomain"] == job["metadata"]["name"]
    (container,), (other) = ours["containers"], theirs["containers"][0]
    assert set(container) == set(other)
    assert container["command"][:2] == other["command"][:2]
    assert [each["name"] for each in container["env"]] == [each["name"] for each in other["env"]]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == "32"


def test_between_neuron_nodes_they_are_those_of_the_workload_too():
    """All devices and EFA interfaces of two nodes, and what SSH between pods takes: a key that only they have, and three capabilities."""
    made = made_by(TRAINIUMS)

    (job,) = [each for kind, each in made if kind == "jobs" and each["metadata"].get("name") == "network-0"]
    (programs,) = [
        each for kind, each in made if kind == "configmaps" and each["metadata"]["name"].startswith("network-0")
    ]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert list(programs["data"]) == ["launch_nccom.py"]
    assert " ".join(container["command"]) == (
        "python3 /opt/eks-accelerators/programs/launch_nccom.py "
        "nccom-test -r 64 -N 2 -b 1048576 -e 1073741824 -f 2 -d fp32 --check allr"
    )
    assert container["env"] == [{"name": "HOSTS", "value": "network-0-0.network-0 network-0-1.network-0"}]
    assert container["resources"]["limits"]["aws.amazon.com/neuron"] == "16"
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == "8"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["SETGID", "SETUID", "SYS_CHROOT"]},
    }
