"""A small English–German translation model, as ``transformers`` and endophora read it."""
