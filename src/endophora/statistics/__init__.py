"""Resampling, significance, correlation and agreement; one matrix product for all systems and resamples."""
