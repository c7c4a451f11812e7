"""Which GPU, shared how, or which Neuron device serves a model at which price: every way to do it, what each gives and what limits it."""

from eks_accelerators.accelerators.fit.candidates import Candidate, ServerNeeds, candidates
from eks_accelerators.accelerators.fit.choice import ORDER_OF_ISOLATION, best_of_each, in_order
from eks_accelerators.accelerators.fit.neuron_candidates import neuron_candidates
from eks_accelerators.accelerators.fit.refusals import not_considered, refusal
from eks_accelerators.accelerators.fit.ways import ISOLATION, MOST_SHARES, Isolation, Kind, Way, ways

__all__ = [
    "ISOLATION",
    "MOST_SHARES",
    "ORDER_OF_ISOLATION",
    "Candidate",
    "Isolation",
    "Kind",
    "ServerNeeds",
    "Way",
    "best_of_each",
    "candidates",
    "in_order",
    "neuron_candidates",
    "not_considered",
    "refusal",
    "ways",
]
