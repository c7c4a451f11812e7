"""A count and what it counts, as an English text has them."""


def number_of(count: int, what: str) -> str:
    """`1 node`, `2 nodes`, `1,024 nodes`: ``what`` is one of them, in the singular, whose plural ends in `s`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
