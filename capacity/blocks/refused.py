"""How a purchase is refused."""


class RefusedError(Exception):
    """Nothing is bought, for these reasons."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__("\n".join(reasons))
