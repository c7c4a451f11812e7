"""`accel facts`: instance types beyond those of the package, and the command that makes its data files."""
