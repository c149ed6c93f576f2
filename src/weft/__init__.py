"""Weft: a self-hosted agent runtime that compiles context, spends few calls and books every token."""

__version__ = "0.1.0"
