"""Files of load: what can be written, and all that is said of what cannot; the snapshots are to be read as a user reads them."""

import pytest

from eks_accelerators.simulator.load.profile_file import read_profile
from eks_accelerators.simulator.written_file import WrittenFileError

DAY = """
for: 30m
steps:
  - {at: 0, requests: 8}
  - {at: 5m, requests: 40, promptTokens: 1024, outputTokens: 128}
  - {at: 20m, perSecond: 0.5}
"""

WRONG = {
    "empty": "",
    "only a comment": "# tomorrow\n",
    "a list": "- {at: 0, requests: 8}\n",
    "text": "busy",
    "no YAML": "for: 30m\nsteps: [{requests: 8}\n",
    "a tab": "for: 30m\nsteps:\n\t- {requests: 8}\n",
    "a key twice": "for: 30m\nfor: 40m\nsteps: [{requests: 8}]\n",
    "no UTF-8": b"for: \xff",
    "nested deeply": "[" * 2000,
    "no keys that are needed": "{}",
    "nothing behind them": "for:\nsteps:\n",
    "no steps": "for: 30m\nsteps: []\n",
    "keys for steps": "for: 30m\nsteps: {requests: 8}\n",
    "misspelt keys": "fro: 30m\nsteps: [{request: 8}, {at: 5m, per_second: 8}]\n",
    "an unknown key beside no load": "for: 30m\nsteps: [{at: 0, model: llama}]\n",
    "no duration": "for: soon\nsteps: [{at: -5m, requests: 8}, {at: [5], requests: 8}, {at: true, requests: 8}]\n",
    "other types": 'for: 30m\nsteps: [{requests: "8"}, {at: 5m, perSecond: many}, {at: 6m, requests: 1.5}, 8]\n',
    "out of bounds": "for: 25h\nsteps: [{requests: -1}, {at: -5, perSecond: 5001}, {at: 86401, requests: 5001, promptTokens: 0}]\n",
    "no number": "for: 30m\nsteps: [{perSecond: .nan}]\n",
    "enormous numbers": f"for: {'9' * 5000}\nsteps: [{{at: {'9' * 5000}h, requests: {'9' * 5000}, perSecond: 1e308}}]\n",
    "both kinds of load": "for: 30m\nsteps: [{requests: 8, perSecond: 1}]\n",
    "no load": "for: 30m\nsteps: [{}, {at: 5m, requests: null}]\n",
    "begins late": "for: 30m\nsteps: [{at: 1m, requests: 8}]\n",
    "out of order": "for: 30m\nsteps: [{requests: 8}, {at: 10m, requests: 9}, {at: 5m, requests: 9}, {at: 300, requests: 9}]\n",
    "ends before it begins": "for: 0\nsteps: [{requests: 8}]\n",
    "ends before its last step": "for: 5m\nsteps: [{requests: 8}, {at: 5m, requests: 9}]\n",
    "a secret": "for: 30m\nsteps: [{requests: hf_abcdefghijklmnopqrstuvwxyzabcdefgh}]\n",
    "all at once": "for: 5m\nsteps:\n  - {at: 1m, requests: 8}\n  - {at: 7m, requests: 8, tokens: 1}\n  - {at: 6m, perSecond: fast}\n  - {at: 8m}\n",
}  # fmt: skip


def test_a_file_of_steps(tmp_path):
    file = tmp_path / "day.yaml"
    file.write_text(DAY)

    profile = read_profile(file)

    assert [str(step) for step in profile.steps] == [
        "8 requests in flight",
        "40 requests in flight",
        "0.5 requests per second",
    ]
    assert [profile.step_at(moment).at for moment in (0, 299, 300, 1199, 1200, 9999)] == [0, 0, 300, 300, 1200, 1200]
    assert [profile.end_of(step) for step in profile.steps] == [300, 1200, 1800]
    assert profile.steps[1].longest == 1536 + 192


def test_json_is_read_too(tmp_path):
    file = tmp_path / "day.json"
    file.write_text('{"for": "24h", "steps": [{"requests": 5000}, {"at": 60, "perSecond": 5000}]}')

    profile = read_profile(file)

    assert (profile.lasts, [step.at for step in profile.steps]) == (86400, [0, 60])


@pytest.mark.parametrize("case", WRONG)
def test_everything_wrong_is_said_at_once(tmp_path, case, snapshot):
    file, text = tmp_path / "day.yaml", WRONG[case]
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(WrittenFileError) as raised:
        read_profile(file)

    assert str(raised.value).replace(str(file), "day.yaml") == snapshot


@pytest.mark.parametrize(("name", "reason"), [("none.yaml", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read(tmp_path, name, reason):
    with pytest.raises(WrittenFileError, match=f"the profile cannot be read: {reason}"):
        read_profile(tmp_path / name)
