"""The language model that this installation is configured with, if any, and what is known of its uses.

The only module that reads the model's API key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from django.conf import settings

from analytics.errors import LanguageModelError
from analytics.language_model.endpoint import EndpointModel, RateLimit
from questionbank.core.public_addresses import is_public_host
from questionbank.models import LanguageModelExclusion, LanguageModelUse, Run

_PACKAGED_NAME = "SmolLM2-135M-Instruct"


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A language model, as pages describe it.

    Attributes:
        host: the host that texts are sent to; empty if they stay on this installation.
    """

    name: str
    host: str
    note: str

    @property
    def queue(self) -> str:
        """The queue of jobs that call the model: a local model takes long to load."""
        return "light" if self.host else "default"


def configured_language_model() -> ConfiguredModel | None:
    """Return the model behind an endpoint, else the local one; None if neither is configured."""
    if settings.LANGUAGE_MODEL_URL and settings.LANGUAGE_MODEL_NAME:
        host = urlsplit(settings.LANGUAGE_MODEL_URL).hostname or settings.LANGUAGE_MODEL_URL
        note = f"The questions’ texts, equations and answers are sent to {host}."
        return ConfiguredModel(settings.LANGUAGE_MODEL_NAME, host, note)
    if local := local_model_folder():
        return ConfiguredModel(PurePath(local).name, "", "A model on this installation.")
    return None


@cache
def _rate_limit(per_minute: int) -> RateLimit:
    """Return the rate limit that all jobs of this process share."""
    return RateLimit(per_minute)


def endpoint_model() -> EndpointModel | None:
    """Return the model behind `LANGUAGE_MODEL_URL`, to be closed after use; None if there is none.

    Raises:
        LanguageModelError: the address is not an HTTP address, or one that is not allowed, or the key cannot be sent.
    """
    if not (settings.LANGUAGE_MODEL_URL and settings.LANGUAGE_MODEL_NAME):
        return None
    model = EndpointModel(
        settings.LANGUAGE_MODEL_URL,
        settings.LANGUAGE_MODEL_NAME,
        key=settings.LANGUAGE_MODEL_KEY,
        seconds=settings.LANGUAGE_MODEL_SECONDS,
        rate_limit=_rate_limit(settings.LANGUAGE_MODEL_PER_MINUTE),
    )
    refuse_private_address(model.host)
    return model


def refuse_private_address(host: str) -> None:
    """Check that texts may be sent to a host, looking its name up if `LANGUAGE_MODEL_PRIVATE_ADDRESS` is false.

    Raises:
        LanguageModelError: one of its addresses is private, or its name is not known.
    """
    if settings.LANGUAGE_MODEL_PRIVATE_ADDRESS:
        return
    try:
        is_allowed = is_public_host(host)
    except OSError as error:
        raise LanguageModelError(f"The language model at {host} cannot be reached: {error}.") from error
    if not is_allowed:
        raise LanguageModelError(
            f"The language model at {host} has a private address, and LANGUAGE_MODEL_PRIVATE_ADDRESS forbids these."
            " Set it to true, or LANGUAGE_MODEL_URL to a public address."
        )


def local_model_folder() -> str:
    """Return the folder or hub id of the local model; empty if there is none.

    The configured one, else the packaged one once it is ready.
    """
    if settings.LANGUAGE_MODEL:
        return settings.LANGUAGE_MODEL
    return str(packaged_model_folder()) if packaged_model_is_ready() else ""


def packaged_model_folder() -> Path:
    """Return the folder where workers put the packaged model."""
    return Path(settings.VAR_DIR) / "language-models" / _PACKAGED_NAME


def packaged_model_is_ready() -> bool:
    """Return whether a worker has put the packaged model into its folder."""
    return (packaged_model_folder() / "config.json").is_file()


def packaged_model_run() -> Run | None:
    """Return the last job that prepared the packaged model, whatever its outcome."""
    return Run.objects.filter(kind=Run.Kind.PREPARE).order_by("-pk").first()


def language_model_use(use: str) -> LanguageModelUse | None:
    """Return the row of a use; None if its exam was never taken."""
    return LanguageModelUse.objects.select_related("switched_on_by", "run").filter(use=use).first()


def language_model_uses() -> list[LanguageModelUse]:
    """Return the uses whose exam was taken, in the order in which pages show them."""
    rows = {row.use: row for row in LanguageModelUse.objects.select_related("switched_on_by", "run")}
    return [rows[use] for use in LanguageModelUse.Use.values if use in rows]


def may_be_sent(*, question_id: int) -> bool:
    """Return whether a question may be sent to the language model: nobody has excluded it."""
    return not LanguageModelExclusion.objects.filter(question=question_id).exists()


def lapsed_reason() -> str:
    """Return why the verdicts no longer count; empty if they do, or if there are none."""
    for row in LanguageModelUse.objects.all():
        configured = configured_language_model()
        if row.lapsed:
            return row.lapsed
        if configured is None or (configured.name, configured.host) != (row.name, row.host):
            return f"The exam was taken by {row.name} at {row.host}, which is no longer configured."
    return ""
