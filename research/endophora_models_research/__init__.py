"""Annotators for endophora whose training texts forbid commercial use: ``pipelines/XX``, by entry points."""
