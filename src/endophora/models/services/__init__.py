"""Translation services behind the protocol of models: DeepL, Google Cloud Translation, OpenAI-compatible endpoints."""

from endophora.models.services.asking import default_cache_path
from endophora.models.services.options import open_service
from endophora.models.services.records import Cost, ServiceProgress
from endophora.models.services.translator import ServiceTranslator

__all__ = ["Cost", "ServiceProgress", "ServiceTranslator", "default_cache_path", "open_service"]
