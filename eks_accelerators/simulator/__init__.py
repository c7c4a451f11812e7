"""Simulated AWS behind the real Pulumi engine, and a local Kubernetes control plane."""
