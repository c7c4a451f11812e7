"""Counters that grow by a rate, such as energy by power, for as long as somebody looks."""


class Meters:
    """Each by its name, a tuple. What nobody has looked at before begins at 0."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, ...], tuple[float, float]] = {}

    def grown(self, name: tuple[str, ...], rate: float, now: float) -> float:
        """What the counter shows at ``now``, in seconds, when it has grown by ``rate`` a second since the last look."""
        before, value = self._at.get(name, (now, 0.0))
        value += rate * max(0.0, now - before)
        self._at[name] = max(now, before), value
        return value
