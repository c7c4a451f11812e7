"""`accel sharing`: anybody's configuration of the NVIDIA device plugin, judged before a node has it."""
