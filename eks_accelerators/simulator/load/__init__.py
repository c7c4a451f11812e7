"""Load on simulated model servers, and how fast they answer: a queueing model of vLLM."""
