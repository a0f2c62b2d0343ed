"""Models that translate and score, behind one protocol."""
