"""The real node autoscalers, which think that the simulated account is AWS and the simulated cluster EKS."""
