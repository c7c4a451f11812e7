"""Operations for tests, in few words."""

from eks_accelerators.simulator.timeline import TimedOperation


def op(name, seconds=1.0, needs="", **more):
    """An operation called ``name``, which is its URN as well; ``needs`` are the names of what it waits for.

    Its order is that of its name, unless given: `a` before `b`.
    """
    defaults = {
        "type": "test:index:Thing",
        "name": name,
        "action": "create",
        "dependencies": tuple(needs.split()),
        "order": int.from_bytes(name.encode()[:4].ljust(4)),
        "seconds": seconds,
    }
    return TimedOperation(urn=name, **{**defaults, **more})


def component(name, needs="", **more):
    """A component called ``name``."""
    return op(name, None, needs, custom=False, **more)


def spans(timeline):
    """Start and end of every step, by name and, where it is a deletion, with a minus before it."""
    return {("-" if s.action == "delete" else "") + s.name: (s.start, s.end) for s in timeline.steps}


def names(timeline):
    """The critical path by names."""
    return " ".join(step.name for step in timeline.path)
