import pytest

from eks_accelerators.settings import generated_files
from eks_accelerators.settings.generated_files import write_or_check


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(generated_files, "ROOT", tmp_path)
    return tmp_path / "docs" / "page.md"


def test_writing_makes_the_folder(file):
    assert write_or_check(file, "text\n", [], "make page") == 0
    assert file.read_text(encoding="utf-8") == "text\n"


@pytest.mark.parametrize(("there", "status"), [("new", 0), ("old", 1), (None, 1)])
def test_checking_writes_nothing(file, capsys, there, status):
    if there is not None:
        write_or_check(file, there, [], "make page")

    assert write_or_check(file, "new", ["--check"], "make page") == status
    assert ("docs/page.md is stale: run `make page`" in capsys.readouterr().err) is bool(status)
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == there
