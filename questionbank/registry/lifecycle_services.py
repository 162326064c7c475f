"""A model's life after its training: compared, promoted, rolled back, retired and deleted.

A model whose capability has a lens serves together with its vectors and the models that read them. A job builds what
is missing while the old model serves; then one transaction swaps everything, and readers see either the old or the
new state (`questionbank.registry.serving` reads everything in one statement). Decisions 0022 and 0048.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import structlog
from django.db import transaction

from analytics.catalog import CAPABILITIES, lenses
from questionbank.bank.concept_services import hierarchy_lock
from questionbank.bank.vector_services import embedding_request
from questionbank.core import task_queue
from questionbank.core.capability_catalog import bank_capability, fixed_suite, scope_name
from questionbank.core.capability_figures import Figures
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.jobs.run_services import run_cancel, run_create_alone, run_is_held
from questionbank.models import (
    EmbeddingSet,
    KnowledgeHierarchy,
    ModelArtifact,
    ModelComparison,
    ModelEvent,
    ModelRetention,
    QuestionTag,
    Run,
    User,
)
from questionbank.people.permissions import require
from questionbank.registry.artifact_selectors import artifact_champion, general_champion
from questionbank.registry.artifact_services import artifact_archive, artifact_delete, artifact_promote, serving_lock
from questionbank.registry.model_selectors import (
    Gate,
    GateOutcome,
    comparison_latest,
    gate,
    model_retentions,
    old_models,
    roll_back_target,
    serving_problem,
)


def comparison_request(*, candidate: ModelArtifact, user: User | None = None, send: bool = True) -> Run:
    """Request a comparison of a candidate with the champion on the held-out questions.

    Without `send` the run is not sent to a worker: a command runs it itself.

    Raises:
        ValidationFailed: the capability has no held-out questions, or the candidate is the champion itself.
        Conflict: there is no champion, or the same comparison is under way.
    """
    suite = fixed_suite(candidate.capability)
    if suite is None:
        raise ValidationFailed("Models of this kind have no held-out questions to be compared on.")
    champion = artifact_champion(capability=candidate.capability, scope=candidate.scope)
    if champion is None:
        raise Conflict("No model is in use to compare with.")
    if champion.pk == candidate.pk:
        raise ValidationFailed("This model is the one in use. Choose another one to compare with it.")
    return run_create_alone(
        "This comparison is under way already.",
        kind=Run.Kind.EVALUATE,
        capability=candidate.capability,
        parameters={"candidate": candidate.pk, "champion": champion.pk},
        title=f"Compare {candidate.numbered_name} with {champion.numbered_name}"[:200],
        queue=suite.queue,
        requested_by=user,
        send=send,
    )


def comparison_save(
    *, candidate: ModelArtifact, champion: ModelArtifact, run: Run, figures: Figures
) -> ModelComparison:
    """Store the figures of a comparison."""
    return ModelComparison.objects.create(candidate=candidate, champion=champion, run=run, figures=dict(figures))


def gate_verdict(*, artifact: ModelArtifact, override: bool = False) -> dict[str, Any]:
    """Return the gate's verdict on a model as stored in the history.

    Returns:
        ``{"passes", "outcome", "reasons", "overridden", "comparison"}`` with a `GateOutcome` as outcome; empty if
        the capability has no gate. Without a champion every candidate passes.

    Raises:
        Conflict: it does not pass, and the gate is not overridden.
    """
    if fixed_suite(artifact.capability) is None:
        return {}
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    comparison = comparison_latest(candidate=artifact, champion=champion) if champion else None
    if champion is None:
        verdict = Gate(GateOutcome.BETTER, [_why_not_compared(artifact)])
    elif comparison is None:
        verdict = Gate(GateOutcome.REFUSED, ["It has not been compared with the model in use yet."])
    else:
        verdict = gate(comparison)
    if not verdict.passes and not override:
        raise Conflict(_refusal(verdict))
    return {
        "passes": verdict.passes,
        "outcome": verdict.outcome.value,
        "reasons": verdict.reasons,
        "overridden": not verdict.passes,
        "comparison": comparison.pk if comparison else None,
    }


def _why_not_compared(artifact: ModelArtifact) -> str:
    """Explain why a model that replaces no model of its scope is not compared."""
    if general_champion(artifact) is None:
        return "No model of this kind is in use, so there is nothing to compare it with."
    return (
        f"The general model serves {scope_name(artifact)} now. A model for one language is compared only with"
        " another for that language, and none is in use."
    )


def _refusal(verdict: Gate) -> str:
    reasons = " ".join(verdict.reasons)
    if verdict.outcome == GateOutcome.NOT_BETTER:
        return f"The model is not better than the one in use. You can promote it only by overriding the gate. {reasons}"
    return f"The model cannot be promoted: {reasons}"


def promotion_request(
    *, artifact: ModelArtifact, reason: str, user: User | None = None, override: bool = False, send: bool = True
) -> Run:
    """Request a promotion; a job first builds vectors and probes, then swaps everything at once.

    Args:
        artifact: a candidate, or an archived model.
        reason: stored in the history.
        user: None for the command line.
        override: promote although the gate does not pass; for admins only, and recorded in the history.
        send: send the run to a worker; a command that runs it itself does not.

    Raises:
        ValidationFailed: no reason is given.
        NotAllowed: the person who overrides the gate is not an admin.
        Conflict: the gate does not pass, the model is the champion already, or a promotion is under way.
    """
    reason = reason.strip()
    if not reason:
        raise ValidationFailed.beside("reason", "Say why you want to promote this model.")
    if override and user is not None and not user.has_perm("questionbank.models_manage"):
        raise NotAllowed("Only an admin may promote a model that does not pass the gate.")
    if artifact.state == ModelArtifact.State.CHAMPION:
        raise Conflict("This model is in use already.")
    gate_verdict(artifact=artifact, override=override)
    return run_create_alone(
        "Another promotion of this kind is under way.",
        kind=Run.Kind.PROMOTE,
        capability=artifact.capability,
        parameters={"model": artifact.pk, "scope": artifact.scope, "reason": reason, "override": override},
        title=f"Promote {artifact.name}"[:200],
        requested_by=user,
        send=send,
    )


@transaction.atomic
def model_promote(*, run: Run, artifact: ModelArtifact) -> str:
    """Put a model into use whose capability has no lens.

    Returns:
        A sentence on the jobs that follow, as the capability requests them; empty if there are none.

    Raises:
        Conflict: the model cannot serve now, or the run was given to another worker.
    """
    serving_lock()
    if not run_is_held(run=run):
        raise Conflict("Another worker has taken over this promotion.")
    verdict = gate_verdict(artifact=artifact, override=run.parameters["override"])
    if problem := serving_problem(artifact):
        raise Conflict(problem)
    artifact_promote(artifact=artifact, reason=run.parameters["reason"], user=run.requested_by, gate=verdict)
    return _consequences(artifact, run.requested_by)


def _consequences(artifact: ModelArtifact, user: User | None) -> str:
    """Request the jobs that follow when a model starts serving, and return a sentence about them."""
    return bank_capability(artifact.capability).after_promotion(user=user)


@transaction.atomic
def model_swap(
    *, run: Run, artifact: ModelArtifact, embedding_set: EmbeddingSet, beside: Sequence[ModelArtifact]
) -> str:
    """Put a model with a lens into use together with its vectors and the models that read them, all at once.

    Champions that read the outgoing vectors and have no successor in `beside` are archived.

    Args:
        run: the promotion, with ``{"reason", "override"}``; its worker must hold it.
        artifact: the model.
        embedding_set: its complete set.
        beside: candidates trained on that set, one per scope; for probes, one per hierarchy.

    Returns:
        A sentence on the jobs that follow, as the capability requests them; empty if there are none.

    Raises:
        Conflict: the gate does not (or no longer) pass, or the run was given to another worker.
    """
    serving_lock()
    if not run_is_held(run=run):
        raise Conflict("Another worker has taken over this promotion.")
    reason, person = run.parameters["reason"], run.requested_by
    verdict = gate_verdict(artifact=artifact, override=run.parameters["override"])
    leaving = _serve(embedding_set)
    artifact_promote(artifact=artifact, reason=reason, user=person, gate=verdict)
    _swap_readers(artifact, beside, leaving, user=person)
    embedding_request()  # questions edited since the set was completed
    return _consequences(artifact, person)


@transaction.atomic
def model_roll_back(*, capability: str, reason: str, user: User | None = None, scope: str = "") -> ModelArtifact:
    """Restore the former champion at once, with the vectors of its lens and the models that read them.

    Jobs requested here compute vectors of questions edited or added meanwhile, and do whatever else the capability
    requires.

    Raises:
        ValidationFailed: no reason is given.
        Conflict: there is no former model to go back to.
    """
    reason = reason.strip()
    if not reason:
        raise ValidationFailed.beside("reason", "Say why you want to go back to the former model.")
    serving_lock()
    target = roll_back_target(capability, scope)
    if target is None:
        raise Conflict("There is no former model to go back to.")
    if target.scope != scope:
        return _go_back_to_general(target, scope, reason=reason, user=user)
    lens = CAPABILITIES[capability].lens
    artifact_promote(artifact=target, reason=reason, user=user, kind=ModelEvent.Kind.ROLLED_BACK)
    if lens is not None:
        back = EmbeddingSet.objects.filter(artifact=target, lens=lens.word).order_by("-pk").get()
        leaving = _serve(back)
        readers = list(_former_readers(back, leaving).values())
        _swap_readers(target, readers, leaving, user=user, kind=ModelEvent.Kind.ROLLED_BACK)
        embedding_request()
    _consequences(target, user)
    bank_capability(capability).after_roll_back()
    return target


def _go_back_to_general(general: ModelArtifact, scope: str, *, reason: str, user: User | None) -> ModelArtifact:
    """Take a language's own model and its vectors out of use, so that the general model serves the language."""
    language_champion = artifact_champion(capability=general.capability, scope=scope)
    if language_champion is None:
        raise Conflict("There is no former model to go back to.")
    EmbeddingSet.objects.filter(artifact=language_champion, is_current=True).update(
        is_current=False, state=EmbeddingSet.State.RETIRED
    )
    artifact_archive(artifact=language_champion, reason=reason, user=user)
    embedding_request()
    _consequences(general, user)
    return general


@transaction.atomic
def probes_promote(
    *, artifact: ModelArtifact, embedding_set: EmbeddingSet, reason: str = "", user: User | None = None
) -> bool:
    """Put newly trained probes into use if the vectors that they read serve; False if the encoder changed meanwhile.

    If probes of the same hierarchy serve, the new ones must have been compared with them and pass the gate.

    Raises:
        Conflict: the gate refuses them.
    """
    serving_lock()
    if not EmbeddingSet.objects.filter(pk=embedding_set.pk, is_current=True).exists():
        return False
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    replaces = champion is not None and not serving_problem(champion)
    verdict = gate_verdict(artifact=artifact) if replaces else {}
    reason = " ".join([reason, *verdict.get("reasons", ())])
    artifact_promote(artifact=artifact, reason=reason, user=user, gate=verdict)
    return True


def _serve(embedding_set: EmbeddingSet) -> EmbeddingSet | None:
    """Make a set the current one of its lens and scope, and return the set that it replaces, if any."""
    rows = EmbeddingSet.objects.filter(lens=embedding_set.lens, scope=embedding_set.scope, is_current=True)
    former = rows.exclude(pk=embedding_set.pk).first()
    if former is not None:
        former.is_current, former.state = False, EmbeddingSet.State.RETIRED
        former.save(update_fields=["is_current", "state"])
    embedding_set.is_current, embedding_set.state = True, EmbeddingSet.State.READY
    embedding_set.save(update_fields=["is_current", "state"])
    return former


def _swap_readers(
    artifact: ModelArtifact,
    readers: Sequence[ModelArtifact],
    leaving: EmbeddingSet | None,
    *,
    user: User | None,
    kind: str = ModelEvent.Kind.PROMOTED,
) -> None:
    """Promote the models that read a model's vectors, and archive champions whose vectors left."""
    together = f"With the model {artifact.name}."
    for reader in readers:
        artifact_promote(artifact=reader, reason=together, user=user, kind=kind)
    if leaving is not None:
        for reader in _champions_reading(leaving):
            artifact_archive(artifact=reader, reason=together, user=user)


def _champions_reading(embedding_set: EmbeddingSet) -> list[ModelArtifact]:
    return list(
        ModelArtifact.objects.filter(
            state=ModelArtifact.State.CHAMPION, manifest__extra__encoder=embedding_set.encoder_name
        )
    )


def _former_readers(back: EmbeddingSet, leaving: EmbeddingSet | None) -> dict[tuple[str, str], ModelArtifact]:
    """Return the newest archived models that read `back` or the lens's stand-in, by capability and scope.

    Only for scopes that have no champion, or whose champion reads the outgoing vectors. Empty if no model reads the
    vectors of the lens.
    """
    lens = lenses()[back.lens]
    if not lens.is_main:
        return {}
    leave = _champions_reading(leaving) if leaving else []
    gone = {(model.capability, model.scope) for model in leave}
    champions = ModelArtifact.objects.filter(state=ModelArtifact.State.CHAMPION)
    remaining_scopes = set(champions.values_list("capability", "scope")) - gone
    stand_ins = EmbeddingSet.objects.filter(lens=lens.stand_in, is_current=True)
    names = [back.encoder_name, *stand_ins.values_list("encoder_name", flat=True)]
    rows = ModelArtifact.objects.filter(state=ModelArtifact.State.ARCHIVED, manifest__extra__encoder__in=names)
    return {
        (model.capability, model.scope): model
        for model in rows.order_by("created_at", "pk")
        if (model.capability, model.scope) not in remaining_scopes
    }


logger = structlog.get_logger(__name__)


@transaction.atomic
def retention_set(*, user: User, keep: Mapping[str, int | None]) -> None:
    """Set how many unused models of each capability to keep; None keeps all.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    ModelRetention.objects.filter(capability__in=[word for word, n in keep.items() if n is None]).delete()
    for word, number in keep.items():
        if number is not None:
            ModelRetention.objects.update_or_create(capability=word, defaults={"keep": number, "set_by": user})


def old_models_request(*, user: User) -> None:
    """Request the deletion of old models now instead of at the next scheduled time.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    task_queue.wake("delete_old_models", queue="default")


def old_models_delete() -> int:
    """Delete the models that are old by the current rules, record each in the history, and return their number."""
    keep = model_retentions()
    deleted = 0
    for artifact in old_models(keep=keep):
        number = keep[artifact.capability]
        limits = {0: "no unused model", 1: "the newest unused model"}
        reason = f"The rule keeps {limits.get(number, f'the newest {number} unused models')}."
        try:
            artifact_delete(artifact=artifact, reason=reason)
        except Conflict as error:  # a job or a rollback was faster
            logger.info("old_model_kept", model=artifact.pk, reason=str(error))
        else:
            deleted += 1
    return deleted


def hierarchy_models_retire(*, hierarchy_name: str, reason: str, user: User | None) -> tuple[list[ModelArtifact], int]:
    """Archive the models trained on a hierarchy, and cancel the jobs that train more of them.

    Call it in the transaction that deletes the hierarchy.

    Returns:
        The models, and the number of cancelled jobs.
    """
    cancelled = 0
    trainings = Run.objects.exclude(state__in=Run.FINISHED).filter(
        kind=Run.Kind.TRAIN, parameters__hierarchy=hierarchy_name
    )
    for training in trainings:
        with suppress(Conflict):  # it finished meanwhile
            run_cancel(run_id=training.pk)
            cancelled += 1
    models = list(ModelArtifact.objects.filter(scope=hierarchy_name))
    for model in models:
        if model.state != ModelArtifact.State.ARCHIVED:
            artifact_archive(artifact=model, reason=reason, user=user)
    return models, cancelled


def hierarchy_models_delete(models: Iterable[ModelArtifact], *, reason: str, user: User | None) -> None:
    """Delete retired models; one that a job still uses stays archived. Call it outside a transaction."""
    for model in models:
        with suppress(Conflict):
            artifact_delete(artifact=model, reason=reason, user=user)


def hierarchy_delete(*, user: User | None, hierarchy: KnowledgeHierarchy) -> None:
    """Delete a hierarchy without tagged questions, including its concepts and the models trained on it.

    Raises:
        Conflict: questions are tagged with its concepts.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    reason = "Its hierarchy was deleted."
    with transaction.atomic():
        fresh = hierarchy_lock(hierarchy.pk)
        used = QuestionTag.objects.filter(concept__hierarchy=fresh).values("question_id").distinct().count()
        if used:
            raise Conflict(f"{used:,} questions are tagged with concepts of {fresh.name!r}; it cannot be deleted.")
        models, _cancelled = hierarchy_models_retire(hierarchy_name=fresh.name, reason=reason, user=user)
        fresh.delete()
    hierarchy_models_delete(models, reason=reason, user=user)
