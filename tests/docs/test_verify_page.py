"""The page about verifications: its output, its codes, its levels."""

import re

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.verification.codes import CODES
from eks_accelerators.verification.device_checks import Level
from tests.accel.test_verify import BROKEN
from tests.docs.pages import ROOT, blocks, is_shown_of, text

PAGE = ROOT / "docs" / "verify.md"


def test_the_output_is_what_is_printed(capsys):
    emit(BROKEN, Format.TEXT)

    (shown,) = blocks(PAGE, "text")
    assert is_shown_of(shown, capsys.readouterr().out)


def test_every_level_is_there():
    assert re.findall(r"^\| `(\w+)`", text(PAGE), re.M) == list(Level)


def test_codes_in_its_output_are_codes():
    (shown,) = blocks(PAGE, "text")
    assert set(re.findall(r"\[([\w-]+)\]$", shown, re.M)) <= set(CODES)
