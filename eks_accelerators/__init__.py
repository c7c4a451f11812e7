"""Pulumi components for NVIDIA GPUs and AWS Trainium on Amazon EKS, and the tools that check them before you pay."""
