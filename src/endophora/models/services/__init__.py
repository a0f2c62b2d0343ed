"""Translation services behind the protocol of models: DeepL, Google Cloud Translation, OpenAI-compatible endpoints."""

from endophora.models.services.options import open_service
from endophora.models.services.records import Cost, ServiceProgress
from endophora.models.services.translator import ServiceTranslator, default_cache_path

__all__ = ["Cost", "ServiceProgress", "ServiceTranslator", "default_cache_path", "open_service"]
