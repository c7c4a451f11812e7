"""The providers that the real Pulumi engine talks to: gRPC servers over the simulated account and cluster."""
