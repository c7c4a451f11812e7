import pytest

from eks_accelerators.simulator.timeline import DEFAULT_PARALLELISM, schedule
from tests.simulator.timeline.operations import component, names, op, spans


@pytest.mark.parametrize(
    ("operations", "parallelism", "expected"),
    [
        pytest.param([op("a", 2), op("b", 3)], None, {"a": (0, 2), "b": (0, 3)}, id="at-once"),
        pytest.param([op("a", 2), op("b", 3)], 1, {"a": (0, 2), "b": (2, 5)}, id="one-worker"),
        pytest.param([op("a", 2), op("b", 3, "a")], None, {"a": (0, 2), "b": (2, 5)}, id="after-its-dependency"),
        pytest.param([op("a", 2, "elsewhere")], None, {"a": (0, 2)}, id="dependency-that-is-there-already"),
        pytest.param(
            [op("a", 5), op("b", 1), op("c", 1), op("d", 1, "b")],
            2,
            {"a": (0, 5), "b": (0, 1), "c": (1, 2), "d": (2, 3)},
            id="first-come-first-served",
        ),
        pytest.param([op("b", 1), op("a", 1)], 1, {"a": (0, 1), "b": (1, 2)}, id="in-registration-order"),
        pytest.param([op("a", None), op("b", 2, "a")], None, {"a": (0, 0), "b": (0, 2)}, id="unknown-counts-nothing"),
        pytest.param([op("a", 2, action="update")], None, {"a": (0, 2)}, id="update"),
        pytest.param([], None, {}, id="nothing"),
    ],
)
def test_when_it_runs(operations, parallelism, expected):
    timeline = schedule(operations, parallelism)

    assert spans(timeline) == expected
    assert timeline.makespan == max((end for _, end in expected.values()), default=0)


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param(
            [component("a"), op("b", 2, parent="a"), op("c", 3, parent="a"), op("d", 1, "a")],
            {"b": (0, 2), "c": (0, 3), "d": (3, 4)},
            id="a-dependency-on-it-is-one-on-its-children",
        ),
        pytest.param(
            [op("a", 2), component("b", "a"), op("c", 1, parent="b")],
            {"a": (0, 2), "c": (2, 3)},
            id="its-children-wait-for-what-it-waits-for",
        ),
        pytest.param(
            [component("a"), component("b", parent="a"), op("c", 2, parent="b"), op("d", 1, "a")],
            {"c": (0, 2), "d": (2, 3)},
            id="children-of-children",
        ),
        pytest.param(
            [component("a"), op("b", 2, parent="a"), op("c", 1, "a", parent="a")],
            {"b": (0, 2), "c": (0, 1)},
            id="a-child-waits-for-its-registration-only",
        ),
        pytest.param(
            [op("a", 2), op("b", 1, parent="a")], {"a": (0, 2), "b": (2, 3)}, id="a-parent-that-is-no-component"
        ),
        pytest.param([component("a"), op("b", 1, "a")], {"b": (0, 1)}, id="without-children"),
    ],
)
def test_components_take_no_time_and_carry_dependencies_through(operations, expected):
    assert spans(schedule(operations, None)) == expected


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param(
            [op("a", 3, action="replace", delete_seconds=2), op("b", 4, "a")],
            {"a": (0, 3), "b": (3, 7), "-a": (7, 9)},
            id="the-old-goes-at-the-end",
        ),
        pytest.param(
            [op("a", 3, action="replace", delete_seconds=2, delete_before_replace=True), op("b", 4, "a")],
            {"-a": (0, 2), "a": (2, 5), "b": (5, 9)},
            id="the-old-goes-first",
        ),
        pytest.param(
            [
                op("a", 3, action="replace", delete_seconds=2, delete_before_replace=True),
                op("b", 1, "a", action="replace", delete_seconds=5, delete_before_replace=True),
            ],
            {"-b": (0, 5), "-a": (5, 7), "a": (7, 10), "b": (10, 11)},
            id="dependents-go-before-it",
        ),
        pytest.param(
            [component("a", action="replace"), op("b", 1, parent="a")], {"b": (0, 1)}, id="a-component-has-no-old"
        ),
    ],
)
def test_replacements(operations, expected):
    assert spans(schedule(operations, None)) == expected


def deleted(name, seconds=1.0, needs="", **more):
    return op(name, seconds, needs, action="delete", **more)


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param([deleted("a", 1), deleted("b", 2, "a")], {"-b": (0, 2), "-a": (2, 3)}, id="dependents-first"),
        pytest.param([op("a", 3), deleted("b", 2)], {"a": (0, 3), "-b": (3, 5)}, id="after-everything-else"),
        pytest.param(
            [deleted("a", 1), deleted("b", 5, "a"), deleted("c", 1), deleted("d", 2, "c"), deleted("e", 2, "d")],
            {"-e": (0, 2), "-b": (2, 7), "-d": (2, 4), "-a": (7, 8), "-c": (7, 8)},
            id="in-waves-that-wait-for-each-other",
        ),
        pytest.param(
            [component("a", action="delete"), deleted("b", 2, parent="a"), deleted("c", 1, "a")],
            {"-c": (0, 1), "-b": (1, 3)},
            id="a-component-stands-for-its-children",
        ),
        pytest.param(
            [component("a", action="delete"), deleted("b", 2, parent="a"), deleted("c", 1, parent="a")],
            {"-b": (0, 2), "-c": (0, 1)},
            id="siblings-do-not-wait",
        ),
        pytest.param([op("a", 2), deleted("b", 1, "a")], {"a": (0, 2), "-b": (2, 3)}, id="what-stays-is-no-matter"),
    ],
)
def test_deletions(operations, expected):
    assert spans(schedule(operations, None)) == expected


@pytest.mark.parametrize(
    ("operations", "path", "kinds"),
    [
        pytest.param([op("a", 2), op("b", 3), op("c", 1, "a b")], "b c", ["depends_on"], id="the-longer-branch"),
        pytest.param(
            [op("a", 2), op("b", 1, property_dependencies={"size": ("a",)})], "a b", ["value"], id="by-a-value"
        ),
        pytest.param(
            [op("a", 2), op("b", 2), op("c", 1, "a b", property_dependencies={"x": ("a",)})],
            "a c",
            ["value"],
            id="of-two-as-long-the-value",
        ),
        pytest.param([op("a", 2), op("b", 1, parent="a")], "a b", ["parent"], id="by-its-parent"),
        pytest.param(
            [op("a", 2), component("b", "a"), op("c", 1, parent="b")], "a c", ["depends_on"], id="through-a-component"
        ),
        pytest.param(
            [op("a", 3), component("b", parent="z"), op("c", 2, "a", parent="b"), op("d", 1, "b")],
            "a c d",
            ["depends_on", "depends_on"],
            id="out-of-a-component",
        ),
        pytest.param(
            [op("a", 3, action="replace", delete_seconds=2, delete_before_replace=True)],
            "a a",
            ["replacement"],
            id="replaced-in-place",
        ),
        pytest.param([deleted("a", 1), deleted("b", 2, "a")], "b a", ["dependent"], id="dependent-first"),
        pytest.param([op("a", 3), deleted("b", 2)], "a b", ["wave"], id="deletion-at-the-end"),
        pytest.param([component("a")], "", [], id="no-work"),
    ],
)
def test_the_critical_path(operations, path, kinds):
    timeline = schedule(operations, 1)

    assert names(timeline) == path
    assert [edge.kind for edge in timeline.edges] == kinds


def test_the_path_does_not_know_of_workers():
    timeline = schedule([op(name, 2) for name in "abc"], 1)

    assert (timeline.makespan, timeline.critical_seconds) == (6, 2)


def test_types_of_unknown_length_are_listed():
    timeline = schedule([op("a", None, type="x:index:Y"), op("b", None, type="x:index:Y"), op("c", 1)])

    assert timeline.unknown == ("x:index:Y",)
    assert [step.known for step in timeline.steps if step.type == "x:index:Y"] == [False, False]


@pytest.mark.parametrize(
    ("operations", "parallelism", "message"),
    [
        pytest.param([op("a", 1, "b"), op("b", 1, "a")], None, "wait for each other: a, b", id="circle"),
        pytest.param([op("a"), op("a")], None, "two operations on a", id="twice"),
        pytest.param([op("a")], 0, "at least 1", id="no-worker"),
    ],
)
def test_what_cannot_be_is_refused(operations, parallelism, message):
    with pytest.raises(ValueError, match=message):
        schedule(operations, parallelism)


def test_four_operations_for_each_of_four_processors():
    assert DEFAULT_PARALLELISM == schedule([op("a")]).parallelism == 16
