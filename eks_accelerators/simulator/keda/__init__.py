"""A real KEDA beside the simulated cluster: it scales Deployments by way of the real HPA controller."""
