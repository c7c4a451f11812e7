import pytest

from eks_accelerators.accelerators import data, mig
from eks_accelerators.accelerators.mig import bottlerocket

GPUS = [(gpu, bottlerocket.managed(gpu)) for gpu in mig.gpus()]
REFUSED = "its settings refuse such a text, and the node does not join"


@pytest.mark.parametrize(("gpu", "managed"), GPUS, ids=lambda one: getattr(one, "key", ""))
def test_what_its_manager_makes_is_what_a_gpu_takes_of_a_profile(gpu, managed):
    """Its list is another source for our own facts: profiles, and how many of each fit."""
    assert {name: gpu.profiles[name].maximum for name in managed.profiles} == managed.profiles
    assert all(mig.place(gpu, managed.made_of(name)) for name in managed.profiles)
    assert list(managed.profiles)[-1] == list(gpu.profiles)[-1]


@pytest.mark.parametrize(("gpu", "managed"), GPUS, ids=lambda one: getattr(one, "key", ""))
def test_every_profile_of_a_gpu_is_made_refused_or_taken_for_the_whole(gpu, managed):
    for name, profile in gpu.profiles.items():
        problem = bottlerocket.layout_problem(gpu, {name: profile.maximum})
        if name in managed.profiles:
            assert problem is None
        elif name.endswith("+me"):
            assert REFUSED in problem.message
        else:
            whole = list(gpu.profiles)[-1]
            assert (name[0], problem.path) == ("4", name)
            assert f"makes {whole}=1 of each GPU instead" in problem.message


@pytest.mark.parametrize(
    ("profile", "taken"),
    [
        ("1g.5gb", True),
        ("7g.141gb", True),
        ("4g.40gb", True),
        ("1g.10gb+me", False),
        ("1g.24gb+gfx", False),
        ("10g.100gb", False),
        ("1g.10GB", False),
        ("1g10gb", False),
        ("g.10gb", False),
        ("1g.gb", False),
        ("1c.3g.20gb", False),
    ],
)
def test_texts_that_its_settings_take_as_a_profile(profile, taken):
    """Most are the examples of its own tests (`modeled-types/src/kubernetes.rs`)."""
    assert bottlerocket.takes_profile(profile) == taken


def test_what_it_knows_is_called_so_by_the_manager_and_taken_by_the_settings():
    facts = data.load("bottlerocket-mig")["gpus"]

    assert {gpu["name"] for gpu in facts.values() if gpu["name"]} == {gpu.name for gpu in mig.gpus()}
    assert all(bottlerocket.takes_profile(profile) for gpu in facts.values() for profile in gpu["profiles"])
