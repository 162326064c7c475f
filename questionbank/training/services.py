"""Requests to train models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings, labelled_problems
from analytics.errors import ConfigurationError
from questionbank.core.capability_catalog import training_of
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.jobs.run_services import run_create, run_create_alone, run_under_way
from questionbank.models import KnowledgeHierarchy, ModelArtifact, Question, Run, User
from questionbank.registry.model_selectors import FEWEST_TAGGED
from questionbank.training.start import backbone_problem

GROWTH = 2  # a hierarchy is retrained when it has this many times the questions of its last training


@transaction.atomic
def report_request(*, capability: str, hierarchies: Sequence[str] | None = None, user: User | None = None) -> Run:
    """Request a count of the training data; an unfinished run with the same count is returned."""
    parameters = {"hierarchies": sorted(hierarchies or ())}
    under_way = run_under_way(kind=Run.Kind.REPORT, capability=capability, parameters=parameters)
    if under_way is not None:
        return under_way
    return run_create(
        kind=Run.Kind.REPORT,
        capability=capability,
        parameters=parameters,
        title="Count the training data",
        queue="light",
        requested_by=user,
    )


def _checked_hierarchies(names: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the parameter ``hierarchies`` of a training run; empty if it uses all questions."""
    if names is None:
        return {}
    existing_names = KnowledgeHierarchy.objects.filter(name__in=names).values_list("name", flat=True)
    unknown = sorted({*names} - {*existing_names})
    if unknown or not names:
        problem = f"There is no hierarchy “{unknown[0]}”." if unknown else "Choose a hierarchy at least."
        raise ValidationFailed.beside("hierarchies", problem)
    return {"hierarchies": sorted({*names})}


@transaction.atomic
def training_request(
    *,
    capability: str,
    settings: Mapping[str, str] | None = None,
    hierarchies: Sequence[str] | None = None,
    answers: Mapping[str, Any] | None = None,
    user: User | None = None,
    send: bool = True,
) -> Run:
    """Request the training of a capability's model on the bank's questions.

    Args:
        capability: its word.
        settings: values by configuration field name.
        hierarchies: use only questions tagged in the hierarchies with these names. By default all questions.
        answers: values of the capability's form options; by default the first choice, or true.
        user: the person who requests it.
        send: send the run to a worker; a command that runs it itself does not.

    Raises:
        NotFound: the capability is not trained on the bank.
        ValidationFailed: a setting, an option or a hierarchy is invalid; `fields` has all problems by field.
        Conflict: a training run that must not run at the same time is waiting or running.
    """
    training = training_of(capability)
    if training is None:
        raise NotFound("Models of this kind are not trained on the bank.")
    row, settings = CAPABILITIES[capability], dict(settings or {})
    _check_settings(row.config, settings)
    answers = {**{option.name: option.default for option in training.options}, **(answers or {})}
    for option in training.options:
        if option.choices and answers[option.name] not in option.choices:
            problem = f"“{answers[option.name]}” cannot be chosen; the choices are {', '.join(option.choices)}."
            raise ValidationFailed.beside(option.name, problem)
    chosen = {} if training.scope == "hierarchy" else _checked_hierarchies(hierarchies)
    parameters = {"set": settings, **chosen, **training.job_parameters(settings, hierarchies, answers)}
    learned_scope = str(parameters.get(training.scope, "")) if training.scope in ("hierarchy", "language") else ""
    parameters["data"] = training.report.data(learned_scope)
    return run_create_alone(
        f"“{row.title}” is being trained already: wait for that job, or stop it first.",
        kind=Run.Kind.TRAIN,
        capability=capability,
        title=training.title_of(parameters)[:200],
        parameters=parameters,
        queue="train",
        requested_by=user,
        send=send,
    )


def _check_settings(config_class: type, settings: Mapping[str, str]) -> None:
    try:
        config_from_strings(config_class, settings)
    except ConfigurationError as error:
        raise ValidationFailed(str(error), fields=labelled_problems(config_class, error)) from error
    if problem := backbone_problem(settings.get("backbone", "")):
        raise ValidationFailed.beside("backbone", problem)


def probes_request(*, hierarchy: KnowledgeHierarchy) -> Run | None:
    """Request the training of a hierarchy's probes; None if it is requested already."""
    try:
        return training_request(capability="probes", hierarchies=[hierarchy.name])
    except Conflict:
        return None


def probes_hierarchies() -> list[KnowledgeHierarchy]:
    """Return hierarchies that have probes or enough questions to train some, by name."""
    champions = ModelArtifact.objects.filter(capability="probes", state=ModelArtifact.State.CHAMPION)
    with_probes = set(champions.values_list("scope", flat=True))
    return [
        hierarchy
        for hierarchy in _tagged_hierarchies().order_by("name")
        if hierarchy.name in with_probes or hierarchy.tagged >= FEWEST_TAGGED
    ]


def probes_request_missing() -> list[Run]:
    """Request probes for hierarchies that have none in use or have outgrown their last training.

    A candidate that the gate refused counts as trained, even after its deletion: only more questions trigger another
    request.
    """
    trained = _trained_questions()
    requested = []
    for hierarchy in _tagged_hierarchies():
        enough = max(FEWEST_TAGGED, GROWTH * trained.get(hierarchy.name, 0))
        if hierarchy.tagged >= enough and (run := probes_request(hierarchy=hierarchy)):
            requested.append(run)
    return requested


def _trained_questions() -> dict[str, int]:
    """Return the largest number of training questions, for each hierarchy that has probes in use."""
    probes = ModelArtifact.objects.filter(capability="probes")
    in_use = set(probes.filter(state=ModelArtifact.State.CHAMPION).values_list("scope", flat=True))
    counts = [(probe.scope, probes_questions(probe.manifest)) for probe in probes if probe.scope in in_use]
    finished = Run.objects.filter(kind=Run.Kind.TRAIN, capability="probes", state=Run.State.SUCCEEDED)
    counts += [
        (name, questions)
        for name, questions in finished.values_list("parameters__hierarchy", "result__questions")
        if questions and name in in_use
    ]
    most: dict[str, int] = {}
    for name, questions in counts:
        most[name] = max(questions, most.get(name, 0))
    return most


def probes_questions(manifest: Mapping[str, Any]) -> int:
    """Return the number of labelled questions behind some probes, including those held out of their training."""
    extra = manifest.get("extra", {})
    return int(extra.get("questions", 0)) + int(extra.get("questions_held_out", 0))


def _tagged_hierarchies() -> QuerySet[KnowledgeHierarchy, Any]:
    """Return hierarchies with ready questions, each with their number as `tagged`."""
    return KnowledgeHierarchy.objects.filter(
        concepts__question_tags__question__status=Question.Status.READY,
        concepts__question_tags__question__paraphrase_of__isnull=True,
    ).annotate(tagged=Count("concepts__question_tags__question", distinct=True))
