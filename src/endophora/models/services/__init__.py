"""Translation services behind the protocol of models: DeepL, Google Cloud Translation, OpenAI-compatible endpoints."""

from endophora.models.services.cache import default_cache_path
from endophora.models.services.opening import open_deepl, open_google, open_openai, open_service
from endophora.models.services.records import Cost, Progress
from endophora.models.services.translator import ServiceTranslator

__all__ = [
    "Cost",
    "Progress",
    "ServiceTranslator",
    "default_cache_path",
    "open_deepl",
    "open_google",
    "open_openai",
    "open_service",
]
