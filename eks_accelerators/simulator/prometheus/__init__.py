"""A real Prometheus beside the simulated cluster: it scrapes the simulated exporters, and evaluates the stack's own rules."""
