"""What the simulated AWS answers when it refuses, and what the simulation says when it does not know."""


class AwsError(Exception):
    """A refusal by AWS, with the code and the message that its API would answer."""

    def __init__(self, code: str, message: str, operation: str = "") -> None:
        self.code, self.message, self.operation = code, message, operation
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f" when calling {self.operation}" if self.operation else ""
        return f"{self.code}{where}: {self.message}"


class NotSimulatedError(Exception):
    """The simulation does not know this; the message names what."""


class PassedOnError(AwsError):
    """A refusal by moto or botocore, in their own words."""
