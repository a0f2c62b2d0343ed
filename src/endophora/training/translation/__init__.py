"""Trains translation models: sentence-level, concatenation and multi-encoder (Mohammed and Niculae 2024, section 3)."""
