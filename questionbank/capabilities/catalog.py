"""The one table of what the bank's pages and services know about each capability; a row a module.

The other two tables are `analytics.catalog` (what can be computed) and `worker.catalog` (what jobs do). Whatever is
derived from this one is derived when it is asked for, so a row is all that a capability needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from django.utils.translation import gettext_lazy as _

from analytics.artifacts import Manifest
from analytics.catalog import CAPABILITIES, WORDING
from analytics.languages import primary_language
from questionbank.capabilities import analogy, encoder, paraphrase, probes, solver
from questionbank.capabilities.rows import BankCapability, FixedSuite, KinshipRow, LensTexts, Training
from questionbank.wording import language_name

BANK_CAPABILITIES: dict[str, BankCapability] = {
    "encoder": encoder.ROW,
    "paraphrase": paraphrase.ROW,
    "solver": solver.ROW,
    "analogy": analogy.ROW,
    "probes": probes.ROW,
}

WORDING_TEXTS = LensTexts(
    name=_("Wording"),
    explanation=_("Reads alike, whether or not it is solved alike."),
    kinships=(
        KinshipRow("wording", WORDING.word, "", _("Same wording"), _("Questions that read alike.")),
        KinshipRow(
            "solved-differently",
            WORDING.word,
            "looks-alike-solved-differently",
            _("Looks alike, solved differently"),
            _("Questions that read alike but need another idea: for teaching the difference."),
            place=2,
        ),
    ),
)


def bank_capability(word: str) -> BankCapability | None:
    """Return the row of a capability; None for a model of a kind that this program does not know."""
    return BANK_CAPABILITIES.get(word)


class ScopedModel(Protocol):
    """A model, or what its history says of it."""

    capability: str
    scope: str


def training_of(word: str) -> Training | None:
    """Return how a capability is trained on the bank; None where it is not."""
    row = BANK_CAPABILITIES.get(word)
    return row.training if row else None


def has_general_model(word: str) -> bool:
    """Return whether a model without a scope serves every language that has none of its own."""
    training = training_of(word)
    return training is not None and training.scope == "one language or all"


def model_scope(manifest: Manifest) -> str:
    """Return what a model is for, where its capability has a model in use for each hierarchy or language; else empty.

    Empty also where its manifest does not say so.
    """
    training = training_of(manifest.capability)
    if training is None or not training.scope or has_general_model(manifest.capability):
        return ""
    if training.scope == "hierarchy":
        return str(manifest.extra.get("hierarchy", ""))
    return primary_language(next(iter(manifest.extra.get("languages") or [""])))


def trainable() -> list[str]:
    """Return the capabilities that are trained on the bank."""
    return [word for word, row in BANK_CAPABILITIES.items() if row.training is not None]


def fixed_suite(word: str) -> FixedSuite | None:
    """Return what a capability's candidates are compared on; None where it has no gate."""
    row = BANK_CAPABILITIES.get(word)
    return row.suite if row else None


def lens_texts() -> Mapping[str, LensTexts]:
    """Return what pages say of each lens, in the order of `analytics.catalog.lenses`."""
    texts = {
        capability.lens.word: row.lens
        for word, capability in CAPABILITIES.items()
        if capability.lens and (row := BANK_CAPABILITIES.get(word)) and row.lens
    }
    return {**texts, WORDING.word: WORDING_TEXTS}


def lens_name(word: str) -> str:
    """Return what pages call a lens."""
    texts = lens_texts().get(word)
    return str(texts.name) if texts else word


def set_name(lens: str, scope: str) -> str:
    """Return the display name of a vector set: its lens, and its language if it has one."""
    return f"{lens_name(lens)}, {language_name(scope)}" if scope else lens_name(lens)


def scope_name(model: ScopedModel) -> str:
    """Return the display name of a model's scope: a hierarchy, a language or all languages; empty if it has none."""
    if not model.scope and has_general_model(model.capability):
        return str(_("All languages"))
    training = training_of(model.capability)
    if training is not None and training.scope == "hierarchy":
        return model.scope
    return language_name(model.scope)


def kinship_rows() -> Mapping[str, KinshipRow]:
    """Return every kind of similar questions by the last part of its address.

    First all that a lens finds, then those kinds that are read off the lists.
    """
    rows = [row for texts in lens_texts().values() for row in texts.kinships]
    return {row.slug: row for row in sorted(rows, key=lambda row: (bool(row.kind), row.place))}
