"""What holds for every deployment."""

from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.timeline import schedule
from tests.simulator.timeline.operations import op

NAMES = [f"{number:02}" for number in range(12)]
ACTIONS = ("create", "create", "update", "delete", "replace")


@st.composite
def deployments(draw):
    """Operations that depend on earlier ones, some of them components and some children of components."""
    made = []
    for index, name in enumerate(NAMES[: draw(st.integers(1, len(NAMES)))]):
        custom = draw(st.booleans())
        made.append(
            op(
                name,
                draw(st.one_of(st.none(), st.integers(0, 50))) if custom else None,
                " ".join(draw(st.lists(st.sampled_from(NAMES[:index]), max_size=3)) if index else ""),
                custom=custom,
                order=index,
                action=draw(st.sampled_from(ACTIONS)) if custom else "create",
                parent=draw(st.sampled_from(["", *(other.name for other in made if not other.custom)])),
                delete_seconds=draw(st.integers(0, 50)),
                delete_before_replace=draw(st.booleans()),
            )
        )
    return made


def running(timeline, moment):
    return sum(step.start <= moment < step.end for step in timeline.steps)


@given(deployments(), st.integers(1, 4))
def test_no_shorter_than_the_critical_path_nor_longer_than_all_together(operations, parallelism):
    timeline = schedule(operations, parallelism)

    assert timeline.critical_seconds <= timeline.makespan <= sum(step.seconds for step in timeline.steps)


@given(deployments())
def test_as_long_as_the_critical_path_without_a_limit(operations):
    timeline = schedule(operations, None)

    assert timeline.makespan == timeline.critical_seconds == sum(step.seconds for step in timeline.path)


@given(deployments(), st.integers(1, 4))
def test_never_more_than_the_parallelism_at_once(operations, parallelism):
    timeline = schedule(operations, parallelism)

    assert all(running(timeline, step.start) <= parallelism for step in timeline.steps)


@given(deployments(), st.integers(1, 4))
def test_everything_is_made_after_its_dependencies_and_its_parent(operations, parallelism):
    made = {step.urn: step for step in schedule(operations, parallelism).steps if step.action != "delete"}

    for operation in operations:
        for before in {*operation.dependencies, operation.parent} & made.keys():
            assert operation.urn not in made or made[before].end <= made[operation.urn].start


@given(deployments(), st.integers(1, 4))
def test_everything_is_deleted_after_its_dependents(operations, parallelism):
    timeline = schedule(operations, parallelism)
    gone = {step.urn: step for step in timeline.steps if step.action == "delete"}
    in_place = {o.urn for o in operations if o.action == "replace" and o.delete_before_replace}

    for operation in operations:
        for before in set(operation.dependencies) & gone.keys():
            # What is replaced in place has gone long before what goes at the end.
            if operation.urn in gone and (before not in in_place or operation.urn in in_place):
                assert gone[operation.urn].end <= gone[before].start


@given(deployments(), st.integers(1, 4))
def test_every_operation_runs_once_and_a_replacement_twice(operations, parallelism):
    steps = schedule(operations, parallelism).steps

    expected = sum(2 if o.action == "replace" else 1 for o in operations if o.custom)
    assert len(steps) == len({(step.urn, step.action) for step in steps}) == expected


@given(deployments())
def test_the_path_is_a_chain_without_gaps(operations):
    timeline = schedule(operations, 2)

    assert [edge.before for edge in timeline.edges] == list(timeline.path[:-1])
    assert [edge.after for edge in timeline.edges] == list(timeline.path[1:])
    assert all(edge.before.end == edge.after.start for edge in timeline.edges)
