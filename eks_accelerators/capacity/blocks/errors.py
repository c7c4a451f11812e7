"""Errors that stop a purchase of a Capacity Block."""


class NotBoughtError(Exception):
    """Nothing is bought, for these reasons."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__("\n".join(reasons))
