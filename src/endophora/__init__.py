"""endophora: does a translation get right the words that need context?"""

from endophora.version import __version__

__all__ = ["__version__"]
