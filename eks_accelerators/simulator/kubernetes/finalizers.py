"""Objects that a program holds until it has done its part: nobody could delete them where the program runs no more."""

from collections.abc import Iterable

from eks_accelerators.simulator.kubernetes.api import Api


def let_go(api: Api, kinds: Iterable[tuple[str, str]], of: tuple[str, ...]) -> None:
    """Take the finalizers that begin as one ``of`` these from all objects of ``kinds``: API version and kind of each."""
    for api_version, kind in kinds:
        for obj in api.list(api_version, kind):
            metadata = obj["metadata"]
            held = metadata.get("finalizers", [])
            others = [each for each in held if not each.startswith(of)]
            if others != held:
                change = {"metadata": {"finalizers": others or None}}
                api.patch(api_version, kind, metadata["name"], metadata.get("namespace"), change)
