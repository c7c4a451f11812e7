"""While an account is open the environment is nobody's, and afterwards it is what it was."""

import os

from eks_accelerators.simulator.aws.environment import environment_of_nobody


def test_whoever_one_is_stays_outside(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_ENDPOINT_URL_EKS", "https://eks.example.com")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "my key")
    monkeypatch.delenv("AWS_CONFIG_FILE", raising=False)
    before = dict(os.environ)

    with environment_of_nobody():
        assert not {"AWS_PROFILE", "AWS_ENDPOINT_URL_EKS"} & set(os.environ)
        assert (os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_CONFIG_FILE"]) == ("simulated", os.devnull)
        assert os.environ["PATH"] == before["PATH"]

    assert dict(os.environ) == before


def test_what_others_set_meanwhile_stays(monkeypatch):
    monkeypatch.delenv("EKS_ACCELERATORS_TEST", raising=False)

    with environment_of_nobody():
        monkeypatch.setenv("EKS_ACCELERATORS_TEST", "here")

    assert os.environ["EKS_ACCELERATORS_TEST"] == "here"
