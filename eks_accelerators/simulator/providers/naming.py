"""Names: generated ones, and the spelling of keys."""

import hashlib


def pascal(name: str) -> str:
    """`cidrBlock` as `CidrBlock`. Pydantic's `to_pascal` takes snake case only, and makes `Cidrblock` of it."""
    return name[0].upper() + name[1:]


def generated(name: str, seed: bytes, longest: int, digits: int = 7) -> str:
    """``name`` with random hexadecimal digits, at most ``longest`` characters; the same for the same seed.

    Source: Pulumi documentation, automatic naming: the logical name, a hyphen and random digits.
    """
    suffix = hashlib.sha256(seed).hexdigest()[:digits]
    return f"{name[: longest - digits - 1]}-{suffix}"
