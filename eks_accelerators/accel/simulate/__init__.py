"""`accel simulate`: a stack under the real Pulumi engine, on simulated AWS and in a real Kubernetes cluster."""
