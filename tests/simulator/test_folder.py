"""The folder of a simulation is one command's at a time."""

import pytest

from eks_accelerators.simulator.folder import SimulationError, own


def test_a_second_command_is_told_to_wait(tmp_path):
    folder = tmp_path / "state"
    told_to_wait = pytest.raises(SimulationError, match=f"another command is at work in {folder}; wait for it")
    with own(folder), told_to_wait, own(folder):
        pytest.fail("two are at work")

    with own(folder):
        assert folder.is_dir()


@pytest.mark.parametrize(("made", "why"), [("below-a-file", "Not a directory"), ("lock-is-a-folder", "Is a directory")])
def test_where_it_cannot_be_locked_another_folder_is_asked_for(tmp_path, made, why):
    folder = tmp_path / "state"
    if made == "below-a-file":
        folder.write_text("")
        folder /= "deeper"
    else:
        (folder / "lock").mkdir(parents=True)

    with pytest.raises(SimulationError, match=f"{tmp_path}.*: {why}; choose another --state"), own(folder):
        pytest.fail("nothing was locked")
