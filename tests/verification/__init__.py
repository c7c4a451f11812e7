"""Parsers of what tools print, and what is expected of it."""
