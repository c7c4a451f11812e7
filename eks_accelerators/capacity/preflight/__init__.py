"""Preflight: will AWS let this deployment through? Every check only reads."""
