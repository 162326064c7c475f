"""The language model of this installation, opened for a job. The only place that reads its key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings
from django.utils.translation import gettext as _

from analytics.language_model.endpoint import EndpointModel
from analytics.language_model.protocol import LanguageModel
from analytics.language_model.rate_limit import RateLimit
from questionbank.errors import ValidationFailed


@cache
def _rate_limit(per_minute: int) -> RateLimit:
    """Return the rate limit that all jobs of this process share."""
    return RateLimit(per_minute)


@contextmanager
def open_language_model() -> Iterator[LanguageModel]:
    """Yield the model that `configured_language_model` describes.

    Raises:
        ValidationFailed: none is configured (any more).
        BackboneError, LanguageModelError: it cannot be loaded, or its address is none.
    """
    if settings.LANGUAGE_MODEL_URL and settings.LANGUAGE_MODEL_NAME:
        with EndpointModel(
            settings.LANGUAGE_MODEL_URL,
            settings.LANGUAGE_MODEL_NAME,
            key=settings.LANGUAGE_MODEL_KEY,
            seconds=settings.LANGUAGE_MODEL_SECONDS,
            rate_limit=_rate_limit(settings.LANGUAGE_MODEL_PER_MINUTE),
        ) as model:
            yield model
    elif settings.LANGUAGE_MODEL:
        from analytics.language_model.local import load_local_model  # PyTorch

        yield load_local_model(settings.LANGUAGE_MODEL, seconds=settings.LANGUAGE_MODEL_SECONDS)
    else:
        raise ValidationFailed(_("No language model is configured."))
