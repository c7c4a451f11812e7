"""`accel fit`: which instance type and which sharing serve a model, and at which price."""
