"""Simulated exporters: what a real Prometheus reads of the simulated cluster."""
