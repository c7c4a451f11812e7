"""How an add-on refuses the configuration that it is given."""


class AddonConfigurationError(ValueError):
    """Configuration that the add-on's schema does not allow, or that its stand-in does not know."""

    def __init__(self, addon: str, problem: str) -> None:
        self.addon = addon
        super().__init__(f"{addon}: {problem}")
