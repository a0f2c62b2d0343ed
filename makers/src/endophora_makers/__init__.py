"""Makes what endophora ships: annotators, aligner priors and the resolver, and measures them against treebanks."""
