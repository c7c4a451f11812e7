"""What is known of each type of resource, a file for each: see `eks_accelerators.accelerators.resource_types`."""
