"""The language model that this installation names, if any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A language model, as pages speak of it.

    Attributes:
        host: where texts are sent; empty where they stay on this installation.
        note: what to know before using it.
    """

    name: str
    host: str
    note: str

    @property
    def queue(self) -> str:
        """Of the jobs that ask it: a model on this machine takes long to load."""
        return "light" if self.host else "default"


def configured_language_model() -> ConfiguredModel | None:
    """Return the model behind an endpoint, else the one on this machine; None where neither is configured."""
    if settings.LANGUAGE_MODEL_URL and settings.LANGUAGE_MODEL_NAME:
        host = urlsplit(settings.LANGUAGE_MODEL_URL).hostname or settings.LANGUAGE_MODEL_URL
        note = _("The questions’ texts, equations and answers are sent to %(host)s.") % {"host": host}
        return ConfiguredModel(settings.LANGUAGE_MODEL_NAME, host, note)
    if settings.LANGUAGE_MODEL:
        name = PurePath(settings.LANGUAGE_MODEL).name
        return ConfiguredModel(name, "", _("A model on this installation."))
    return None
