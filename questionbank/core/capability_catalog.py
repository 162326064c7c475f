"""Queries about the bank's capabilities, for all layers, and checks that their rows are complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import URLPattern, URLResolver

from analytics.artifacts import Manifest
from analytics.capability import Capability
from analytics.catalog import CAPABILITIES, FALLBACK_LENS, lenses
from analytics.configuration import field_specs
from analytics.languages import primary_language
from questionbank.core.capability_contract import (
    BANK_CAPABILITIES,
    BankCapability,
    FixedSuite,
    JobKind,
    KinshipRow,
    LensTexts,
    Training,
)
from questionbank.core.wording import language_name
from questionbank.models import Run

_FALLBACK_TEXTS = LensTexts(
    name="Wording",
    explanation="Questions that read alike, whether or not they are solved alike.",
    kinships=(
        KinshipRow("wording", FALLBACK_LENS.word, "", "Same wording", "Questions that read alike."),
        KinshipRow(
            "solved-differently",
            FALLBACK_LENS.word,
            "looks-alike-solved-differently",
            "Looks alike, solved differently",
            "Questions that read alike but need a different idea, for teaching the difference.",
            place=2,
        ),
    ),
)


def bank_capability(word: str) -> BankCapability:
    """Return the row of a capability; an empty one for an unknown kind of model."""
    return BANK_CAPABILITIES.get(word) or BankCapability()


class ScopedModel(Protocol):
    """A model, or an entry of its history."""

    capability: str
    scope: str


def training_of(word: str) -> Training | None:
    """Return a capability as `Training`; None if it is not trained on the bank."""
    return bank_capability(word).training


def has_general_model(word: str) -> bool:
    """Return whether a model without a scope serves all languages that have no model of their own."""
    training = training_of(word)
    return training is not None and training.scope == "one language or all"


def model_scope(manifest: Manifest) -> str:
    """Return a model's hierarchy or language, if its capability has one model in use for each; otherwise empty.

    Also empty if the manifest does not state it.
    """
    training = training_of(manifest.capability)
    if training is None or not training.scope or has_general_model(manifest.capability):
        return ""
    if training.scope == "hierarchy":
        return str(manifest.extra.get("hierarchy", ""))
    return primary_language(next(iter(manifest.extra.get("languages") or [""])))


def trainable() -> list[str]:
    """Return the capabilities that can be trained on the bank."""
    return [word for word, row in BANK_CAPABILITIES.items() if row.training is not None]


def fixed_suite(word: str) -> FixedSuite | None:
    """Return a capability as `FixedSuite`; None if it has no gate."""
    return bank_capability(word).suite


def lens_texts() -> Mapping[str, LensTexts]:
    """Return the texts about each lens, in the order of `analytics.catalog.lenses`."""
    texts = {
        capability.lens.word: row_lens
        for word, capability in CAPABILITIES.items()
        if capability.lens and (row_lens := bank_capability(word).lens)
    }
    return {**texts, FALLBACK_LENS.word: _FALLBACK_TEXTS}


def lens_name(word: str) -> str:
    """Return the display name of a lens."""
    texts = lens_texts().get(word)
    return texts.name if texts else word


def set_name(lens: str, scope: str) -> str:
    """Return the display name of a vector set: its lens, and its language if it has one."""
    return f"{lens_name(lens)}, {language_name(scope)}" if scope else lens_name(lens)


def scope_name(model: ScopedModel) -> str:
    """Return the display name of a model's scope: a hierarchy, a language or all languages; empty if it has none."""
    if not model.scope and has_general_model(model.capability):
        return "All languages"
    training = training_of(model.capability)
    if training is not None and training.scope == "hierarchy":
        return model.scope
    return language_name(model.scope)


def kinship_rows() -> Mapping[str, KinshipRow]:
    """Return every kind of similar questions by the last part of its URL.

    The kinds that contain everything a lens finds come first, then those derived from such lists.
    """
    rows = [row for texts in lens_texts().values() for row in texts.kinships]
    return {row.slug: row for row in sorted(rows, key=lambda row: (bool(row.kind), row.place))}


def job_kinds() -> Mapping[str, JobKind]:
    """Return the kinds of jobs that belong to a single capability, by name."""
    return {job.word: job for row in BANK_CAPABILITIES.values() for job in row.jobs}


def bulk_kinds() -> Mapping[str, Run.Priority]:
    """Return the kinds of bulk jobs with their priorities; people wait for all other kinds."""
    requested, background = Run.Priority.REQUESTED, Run.Priority.BACKGROUND
    return {
        Run.Kind.EMBED.value: Run.Priority.VECTORS,
        Run.Kind.PROMOTE.value: requested,
        Run.Kind.EVALUATE.value: requested,
        Run.Kind.PREPARE.value: background,
        Run.Kind.EXAM.value: background,
        Run.Kind.FIGURES.value: requested,
        **{job.word: background if job.is_background else requested for job in job_kinds().values() if job.is_bulk},
    }


def job_kind_name(word: str) -> str:
    """Return the display name of a kind of job."""
    if word in Run.Kind:
        return str(Run.Kind(word).label)
    job = job_kinds().get(word)
    return job.name if job else word


def capability_pages() -> list[URLPattern | URLResolver]:
    """Return the URL patterns of pages that belong to a single capability."""
    return [page for row in BANK_CAPABILITIES.values() for page in row.pages()]


def capability_problems() -> list[str]:
    """Return a sentence for each thing that is missing but needed by a row in a table of `analytics` or of the bank."""
    problems = [
        f"The lens {lens.word!r} names the stand-in {lens.stand_in!r}, which does not exist."
        for lens in lenses().values()
        if lens.stand_in and lens.stand_in not in lenses()
    ]
    for word, row in BANK_CAPABILITIES.items():
        if word not in CAPABILITIES:
            problems.append(f"The capability {word!r} has no row in analytics/catalog.py.")
            continue
        capability = CAPABILITIES[word]
        problems += [
            f"The capability {word!r} has no template {path}." for path in row.template_paths if not _exists(path)
        ]
        if (row.lens is None) != (capability.lens is None):
            problems.append(f"The capability {word!r} has a lens in one of its rows and no lens in the other.")
        problems += _form_problems(word, row, capability)
    return problems


def _form_problems(word: str, row: BankCapability, capability: Capability[Any]) -> list[str]:
    if row.training is None:
        return []
    names = {spec.name for spec in field_specs(capability.config)}
    quick = row.training.quick.settings if row.training.quick else {}
    named = [*quick, *" ".join(row.training.groups.values()).split()]
    return [
        f"The form of the capability {word!r} names the setting {name!r}, which its configuration lacks."
        for name in named
        if name not in names
    ]


def _exists(path: str) -> bool:
    try:
        get_template(path)
    except TemplateDoesNotExist:
        return False
    return True
