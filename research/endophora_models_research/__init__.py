"""Annotators for endophora whose training texts forbid commercial use: ``pipelines/XX``, found by their entry points."""
