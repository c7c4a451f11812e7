"""`accel mig`: MIG layouts, judged before a node has them."""
