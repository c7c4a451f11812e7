"""`accel blocks`: Capacity Blocks found, bought, extended and shown."""
