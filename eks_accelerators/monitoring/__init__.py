"""What is measured of a stack, and which rules Prometheus judges it by: data and text, no Pulumi and no AWS."""
