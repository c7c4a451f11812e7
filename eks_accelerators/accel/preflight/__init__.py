"""`accel preflight`: whether AWS will let a deployment through."""
