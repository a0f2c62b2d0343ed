"""Executors: the same pure function over many items, on one core or on several, with the same results."""

from endophora.engine.executors import map_ordered, useful_workers

__all__ = ["map_ordered", "useful_workers"]
