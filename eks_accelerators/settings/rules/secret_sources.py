"""What every rule about a secret asks: that it has one source."""

from collections.abc import Iterator

from eks_accelerators.settings.model.secrets import SecretSource
from eks_accelerators.settings.rules.registry import RuleFinding

SOURCES = "configSecret, existingSecret or secretsManager"


def one_source(path: str, source: SecretSource | None) -> Iterator[RuleFinding]:
    """A secret that is named has one source, and not two."""
    if source and len(source.given) != 1:
        yield RuleFinding(
            path, "a secret has one source", ", ".join(source.given) or "none", SOURCES, "write one of the three"
        )
