from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, Options
from eks_accelerators.accel.stacks import locate
from eks_accelerators.simulator import engines
from tests.docs.pages import ROOT


def test_helm_that_is_not_there_is_said_before_anything_is_started(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(engines, "find", lambda *_: {})
    monkeypatch.setattr(engines, "optional", lambda *_: None)
    state = tmp_path / "state"

    done = simulate(locate(str(ROOT / "stacks" / "Pulumi.dev.yaml")), Options(Action.UP, state, helm=True))

    assert done == ExitStatus.REFUSED
    assert capsys.readouterr().err == "missing helm. Run `make engines HELM=1`, or put it on PATH\n"
    assert not state.exists()
