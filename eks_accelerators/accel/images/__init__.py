"""`accel images`: the container images and charts that the package pins, and the newer ones that their registries have."""
