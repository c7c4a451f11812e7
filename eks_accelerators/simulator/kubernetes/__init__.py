"""A real Kubernetes control plane on this machine, with nodes that are not there."""
