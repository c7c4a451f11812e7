"""Typed models of the stack file, one file per part."""

from eks_accelerators.settings.model.settings import Settings

__all__ = ["Settings"]
