"""Trainings need torch and its companions; where they are not installed, what needs them is not collected."""

from __future__ import annotations

from importlib.util import find_spec

LIBRARIES = ("torch", "transformers", "sentencepiece", "safetensors")

# What is left out here is named by the skip of test_training_libraries.py.
if any(find_spec(name) is None for name in LIBRARIES):
    collect_ignore = [
        "test_context_learned.py",
        "test_exact_resume.py",
        "test_several_devices.py",
        "test_stopped_training.py",
        "test_token_text.py",
        "test_train_model_command.py",
        "test_training_arithmetic.py",
        "test_transformers_read_it.py",
    ]
