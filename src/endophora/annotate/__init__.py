"""Text → annotated tokens: a spaCy ``Language``, whichever model is behind it; the annotation store."""
