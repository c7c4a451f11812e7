"""Programs that look at devices, as they would print in a pod of a simulated node."""
