"""The command line: one command a file; each parses, calls the API and renders."""

from endophora.cli.starting import main

__all__ = ["main"]
