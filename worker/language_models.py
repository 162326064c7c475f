"""The language model of this installation, opened for a job. The only place that reads its key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from analytics.errors import BackboneError
from analytics.language_model.endpoint import EndpointModel
from analytics.language_model.packaged import is_packaged_installed, prepare_packaged_model
from analytics.language_model.protocol import LanguageModel
from analytics.language_model.rate_limit import RateLimit
from questionbank.errors import ValidationFailed
from questionbank.selectors.registry.language_models import (
    local_model_folder,
    packaged_model,
    packaged_model_folder,
)


@cache
def _rate_limit(per_minute: int) -> RateLimit:
    """Return the rate limit that all jobs of this process share."""
    return RateLimit(per_minute)


def prepare_language_model() -> bool:
    """Write the packaged model where workers and pages find it, and say for the health page why that fails.

    Returns:
        Whether it is there. Nothing is done where it is, or where the package is not installed.
    """
    folder = packaged_model_folder()
    problem = folder.with_suffix(".problem")
    if packaged_model().is_ready or not is_packaged_installed():
        return packaged_model().is_ready
    try:
        prepare_packaged_model(folder)
    except BackboneError as error:
        problem.parent.mkdir(parents=True, exist_ok=True)
        problem.write_text(str(error), encoding="utf-8")
        return False
    problem.unlink(missing_ok=True)
    return True


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
    elif local := local_model_folder():
        from analytics.language_model.local import load_local_model  # PyTorch

        yield load_local_model(local, seconds=settings.LANGUAGE_MODEL_SECONDS)
    else:
        raise ValidationFailed("No language model is configured.")
