"""CXMI and P-CXMI, thematic analysis, perturbation, contrast, attribution: does a model use its context?"""
