"""Perturbation: does a model translate worse if its context is not the right one (Mohammed and Niculae 2024, §4.1)?"""
