"""Translation services behind the protocol of models: DeepL, Google Cloud Translation, OpenAI-compatible endpoints."""

from endophora.models.services.cache import default_cache_path
from endophora.models.services.opening import open_service
from endophora.models.services.records import Cost, Progress
from endophora.models.services.translator import ServiceTranslator

__all__ = [
    "Cost",
    "Progress",
    "ServiceTranslator",
    "default_cache_path",
    "open_service",
]
