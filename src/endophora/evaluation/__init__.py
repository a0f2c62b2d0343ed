"""The main job: which system breaks which phenomenon, with significance and examples."""

from endophora.evaluation.evaluate import Evaluation, evaluate
from endophora.evaluation.result import Result
from endophora.evaluation.setup import EvaluationOptions, Setup

__all__ = ["Evaluation", "EvaluationOptions", "Result", "Setup", "evaluate"]
