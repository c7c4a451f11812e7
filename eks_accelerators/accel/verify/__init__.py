"""`accel verify`: whether the nodes of a stack do what was paid for."""
