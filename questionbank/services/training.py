"""Asking for models to be trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from analytics.configuration import config_from_strings, field_specs
from analytics.encoder.config import EncoderConfig
from analytics.errors import ConfigurationError
from questionbank.errors import Conflict, ValidationFailed
from questionbank.models import KnowledgeHierarchy, ModelArtifact, Question, Run, User
from questionbank.services.runs import run_create

__all__ = [
    "FEWEST_TAGGED",
    "encoder_request",
    "probes_hierarchies",
    "probes_request",
    "probes_request_missing",
]

FEWEST_TAGGED = 100  # below it a new hierarchy waits: neighbours vote instead
GROWTH = 2  # a hierarchy is trained anew when it has so many times the questions of its last training


@transaction.atomic
def encoder_request(
    *,
    settings: Mapping[str, str] | None = None,
    hierarchies: Sequence[str] | None = None,
    user: User | None = None,
    send: bool = True,
) -> Run:
    """Ask for an encoder to be trained on the bank's questions.

    Args:
        settings: values by the names of the fields of `EncoderConfig`.
        hierarchies: names; only questions tagged in these. By default all questions.
        user: who asks.
        send: hand the run to a worker; a command that runs it itself does not.

    Raises:
        ValidationFailed: a setting or a hierarchy is wrong; `fields` has all problems by field.
        Conflict: another encoder training waits or runs.
    """
    _check_settings(EncoderConfig, settings or {})
    parameters: dict[str, Any] = {"set": dict(settings or {})}
    if hierarchies is not None:
        known = KnowledgeHierarchy.objects.filter(name__in=hierarchies).values_list("name", flat=True)
        unknown = sorted({*hierarchies} - {*known})
        if unknown or not hierarchies:
            problem = (
                _("There is no hierarchy “%(name)s”.") % {"name": unknown[0]}
                if unknown
                else _("Choose a hierarchy at least.")
            )
            raise ValidationFailed(problem, fields={"hierarchies": [problem]})
        parameters["hierarchies"] = sorted({*hierarchies})
    with connection.cursor() as cursor:  # two people press the button at once
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kindred/train encoder'))")
    unfinished = Run.objects.exclude(state__in=Run.FINISHED).filter(kind=Run.Kind.TRAIN, capability="encoder")
    if unfinished.exists():
        raise Conflict(_("An encoder is being trained already: wait for it, or stop it first."))
    return run_create(
        kind=Run.Kind.TRAIN,
        capability="encoder",
        title="Train the encoder",
        parameters=parameters,
        queue="train",
        requested_by=user,
        send=send,
    )


def _check_settings(config_class: type, settings: Mapping[str, str]) -> None:
    try:
        config_from_strings(config_class, settings)
    except ConfigurationError as error:
        names = {spec.name for spec in field_specs(config_class)}
        fields: dict[str, list[str]] = {}
        for problem in error.problems:  # each begins with the name of its field
            name = problem.partition(" ")[0]
            fields.setdefault(name if name in names else "", []).append(problem)
        raise ValidationFailed(str(error), fields=fields) from error


@transaction.atomic
def probes_request(
    *, hierarchy: KnowledgeHierarchy, settings: Mapping[str, str] | None = None, user: User | None = None
) -> Run | None:
    """Ask for a hierarchy's probes to be trained; None where that is asked for already."""
    KnowledgeHierarchy.objects.select_for_update().get(pk=hierarchy.pk)
    unfinished = Run.objects.exclude(state__in=Run.FINISHED).filter(
        kind=Run.Kind.TRAIN, capability="probes", parameters__hierarchy=hierarchy.name
    )
    if unfinished.exists():
        return None
    return run_create(
        kind=Run.Kind.TRAIN,
        capability="probes",
        title=f"Train probes: {hierarchy.name}"[:200],
        parameters={"hierarchy": hierarchy.name, "set": dict(settings or {})},
        queue="train",
        requested_by=user,
    )


def probes_hierarchies() -> list[KnowledgeHierarchy]:
    """Hierarchies that have probes, or questions enough for some, by name."""
    champions = ModelArtifact.objects.filter(capability="probes", state=ModelArtifact.State.CHAMPION)
    with_probes = set(champions.values_list("scope", flat=True))
    return [
        hierarchy
        for hierarchy in _tagged_hierarchies().order_by("name")
        if hierarchy.name in with_probes or hierarchy.tagged >= FEWEST_TAGGED
    ]


def probes_request_missing() -> list[Run]:
    """Ask for probes where a hierarchy has none yet, or has outgrown those it has."""
    trained = {
        one.scope: one.manifest.get("extra", {}).get("questions", 0)
        for one in ModelArtifact.objects.filter(capability="probes", state=ModelArtifact.State.CHAMPION)
    }
    requested = []
    for hierarchy in _tagged_hierarchies():
        enough = max(FEWEST_TAGGED, GROWTH * trained.get(hierarchy.name, 0))
        if hierarchy.tagged >= enough and (run := probes_request(hierarchy=hierarchy)):
            requested.append(run)
    return requested


def _tagged_hierarchies() -> QuerySet[KnowledgeHierarchy, Any]:
    """Hierarchies with ready questions, each with their number as `tagged`."""
    return KnowledgeHierarchy.objects.filter(
        concepts__question_tags__question__status=Question.Status.READY
    ).annotate(tagged=Count("concepts__question_tags__question", distinct=True))
