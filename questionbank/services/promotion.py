"""Which model serves: asking for a comparison or a promotion, the swap itself, and rolling it back.

An encoder serves together with its vectors and the probes that read them. A job builds what is missing
beside what is in use; then one transaction swaps all of it, and readers see either the old or the new
(`questionbank.selectors.serving` reads everything by one statement). Decision 0022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from questionbank.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import EmbeddingSet, Lens, ModelArtifact, ModelComparison, ModelEvent, Run, User
from questionbank.selectors.artifacts import artifact_champion
from questionbank.selectors.models import (
    Gate,
    GateOutcome,
    comparison_latest,
    gate,
    probes_can_serve,
    roll_back_target,
)
from questionbank.services.artifacts import artifact_archive, artifact_promote, serving_lock
from questionbank.services.embeddings import embedding_request
from questionbank.services.paraphrase import paraphrase_rescore
from questionbank.services.runs import run_create, run_is_held, run_under_way
from questionbank.services.training import probes_request_missing

__all__ = [
    "GATED",
    "comparison_request",
    "comparison_save",
    "encoder_swap",
    "gate_verdict",
    "model_promote",
    "model_roll_back",
    "probes_promote",
    "promotion_request",
]

GATED = ("encoder", "paraphrase", "probes")  # capabilities that have a fixed suite
COMPARISON_QUEUES = {
    "encoder": "default",
    "paraphrase": "light",
    "probes": "light",
}  # an encoder's computes the vectors of the bank


def comparison_request(*, candidate: ModelArtifact, user: User | None = None, send: bool = True) -> Run:
    """Ask for a candidate to be measured against the champion on the fixed questions.

    Without `send` it is not handed to a worker: a command does it itself.

    Raises:
        ValidationFailed: its capability has no fixed questions, or it is the champion itself.
        Conflict: there is no champion, or the same comparison is under way.
    """
    if candidate.capability not in GATED:
        raise ValidationFailed(_("Models of this kind have no fixed questions to be compared on."))
    champion = artifact_champion(capability=candidate.capability, scope=candidate.scope)
    if champion is None:
        raise Conflict(_("There is no champion to compare with."))
    if champion.pk == candidate.pk:
        raise ValidationFailed(_("This model is the champion; choose another one to compare with it."))
    with transaction.atomic():
        wanted: dict[str, Any] = {
            "kind": Run.Kind.EVALUATE,
            "capability": candidate.capability,
            "parameters": {"candidate": candidate.pk, "champion": champion.pk},
        }
        if run_under_way(**wanted) is not None:
            raise Conflict(_("This comparison is under way already."))
        return run_create(
            **wanted,
            title=f"Compare {candidate.name} with {champion.name}"[:200],
            queue=COMPARISON_QUEUES[candidate.capability],
            requested_by=user,
            send=send,
        )


def comparison_save(
    *, candidate: ModelArtifact, champion: ModelArtifact, run: Run, figures: Mapping[str, Any]
) -> ModelComparison:
    """Keep what a comparison found; `questionbank.selectors.models` says what the figures are."""
    return ModelComparison.objects.create(
        candidate=candidate, champion=champion, run=run, figures=dict(figures)
    )


def gate_verdict(*, artifact: ModelArtifact, override: bool = False) -> dict[str, Any]:
    """The gate's verdict on a model as its history keeps it.

    Returns:
        ``{"passes", "outcome", "reasons", "overridden", "comparison"}``, the outcome a `GateOutcome`; empty where
        the capability has no gate. Without a champion every candidate passes.

    Raises:
        Conflict: it does not pass, and nobody overrides that.
    """
    if artifact.capability not in GATED:
        return {}
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    comparison = comparison_latest(candidate=artifact, champion=champion) if champion else None
    if champion is None:
        verdict = Gate(
            GateOutcome.BETTER,
            [_("No model of this kind serves, so there is none that it could be worse than.")],
        )
    elif comparison is None:
        verdict = Gate(GateOutcome.REFUSED, [_("It was not compared with the champion yet.")])
    else:
        verdict = gate(comparison)
    if not verdict.passes and not override:
        raise Conflict(_refusal(verdict) % {"reasons": " ".join(verdict.reasons)})
    return {
        "passes": verdict.passes,
        "outcome": verdict.outcome.value,
        "reasons": verdict.reasons,
        "overridden": not verdict.passes,
        "comparison": comparison.pk if comparison else None,
    }


def _refusal(verdict: Gate) -> str:
    if verdict.outcome == GateOutcome.NOT_BETTER:
        return _(
            "The model is not better than the champion, so it serves only if you override that. %(reasons)s"
        )
    return _("The model may not serve: %(reasons)s")


def promotion_request(
    *,
    artifact: ModelArtifact,
    reason: str,
    user: User | None = None,
    override: bool = False,
    send: bool = True,
) -> Run:
    """Ask for a model to become champion; vectors and probes are built first, then all is swapped at once.

    Args:
        artifact: a candidate, or an archived model.
        reason: kept in the history.
        user: None for the command line.
        override: promote although the gate does not pass; for admins, and kept in the history.
        send: hand the run to a worker; a command that runs it itself does not.

    Raises:
        ValidationFailed: no reason is given.
        NotAllowed: who overrides the gate is no admin.
        Conflict: the gate does not pass, it is the champion already, or a promotion is under way.
    """
    if not reason.strip():
        raise ValidationFailed(
            _("A promotion needs a reason."), fields={"reason": [_("Say why this model shall serve.")]}
        )
    if override and user is not None and not user.has_perm("questionbank.models_manage"):
        raise NotAllowed(_("Only an admin may promote a model that does not pass the gate."))
    if artifact.state == ModelArtifact.State.CHAMPION:
        raise Conflict(_("This model is the champion already."))
    gate_verdict(artifact=artifact, override=override)
    with transaction.atomic():
        wanted: dict[str, Any] = {
            "kind": Run.Kind.PROMOTE,
            "capability": artifact.capability,
            "parameters": {
                "model": artifact.pk,
                "scope": artifact.scope,
                "reason": reason.strip(),
                "override": override,
            },
        }
        if run_under_way(**wanted) is not None:
            raise Conflict(_("Another promotion of this kind is under way."))
        return run_create(**wanted, title=f"Promote {artifact.name}"[:200], requested_by=user, send=send)


@transaction.atomic
def model_promote(*, run: Run, artifact: ModelArtifact) -> Run | None:
    """Let a model serve that needs no vectors of its own: probes for the vectors in use, or a scorer.

    Returns:
        The job that scores the undecided pairs anew, where a scorer was promoted and there are some.

    Raises:
        Conflict: it reads vectors that do not serve, or the run was given to another worker.
    """
    serving_lock()
    if not run_is_held(run=run):
        raise Conflict(_("Another worker goes on with this promotion."))
    verdict = gate_verdict(artifact=artifact, override=run.parameters["override"])
    if artifact.capability == "probes" and not probes_can_serve(artifact):
        raise Conflict(
            _("These probes read vectors by “%(name)s”, which does not serve.")
            % {"name": artifact.manifest["extra"]["encoder"]}
        )
    artifact_promote(artifact=artifact, reason=run.parameters["reason"], user=run.requested_by, gate=verdict)
    return paraphrase_rescore(user=run.requested_by) if artifact.capability == "paraphrase" else None


@transaction.atomic
def encoder_swap(
    *, run: Run, artifact: ModelArtifact, embedding_set: EmbeddingSet, probes: Sequence[ModelArtifact]
) -> None:
    """Let an encoder, its vectors and its probes serve, all at once.

    Champion probes that read the vectors which leave, and have no successor among `probes`, are archived.

    Args:
        run: the promotion, with ``{"reason", "override"}``; its worker must hold it.
        artifact: the encoder.
        embedding_set: its set, complete.
        probes: candidates trained on that set, one a hierarchy.

    Raises:
        Conflict: the gate does not pass (any more), or the run was given to another worker.
    """
    serving_lock()
    if not run_is_held(run=run):
        raise Conflict(_("Another worker goes on with this promotion."))
    reason, person = run.parameters["reason"], run.requested_by
    verdict = gate_verdict(artifact=artifact, override=run.parameters["override"])
    former = (
        EmbeddingSet.objects.filter(lens=Lens.PURPOSE, is_current=True).exclude(pk=embedding_set.pk).first()
    )
    _serve(embedding_set, former)
    artifact_promote(artifact=artifact, reason=reason, user=person, gate=verdict)
    with_encoder = _("With the encoder %(name)s.") % {"name": artifact.name}
    for one in probes:
        artifact_promote(artifact=one, reason=with_encoder, user=person)
    if former is not None:
        for one in _champion_probes_reading(former):
            artifact_archive(artifact=one, reason=with_encoder, user=person)
    embedding_request()  # what was edited since the set was completed


@transaction.atomic
def model_roll_back(
    *, capability: str = "encoder", reason: str, user: User | None = None, scope: str = ""
) -> ModelArtifact:
    """Let the former champion serve again, with the vectors and probes that it had; at once.

    Questions that were edited or added meanwhile get their vectors by a job that this asks for; hierarchies
    that have no probes for those vectors get some, likewise. After a scorer's the undecided pairs are scored anew.

    Raises:
        ValidationFailed: no reason is given.
        Conflict: there is no former model to go back to.
    """
    if not reason.strip():
        raise ValidationFailed(
            _("A roll back needs a reason."), fields={"reason": [_("Say why the former model shall serve.")]}
        )
    serving_lock()
    target = roll_back_target(capability, scope)
    if target is None:
        raise Conflict(_("There is no former model to go back to."))
    if capability != "encoder":
        artifact_promote(artifact=target, reason=reason.strip(), user=user, kind=ModelEvent.Kind.ROLLED_BACK)
        if capability == "paraphrase":
            paraphrase_rescore(user=user)
        return target
    back = EmbeddingSet.objects.filter(artifact=target, lens=Lens.PURPOSE).order_by("-pk").get()
    leaving = EmbeddingSet.objects.filter(lens=Lens.PURPOSE, is_current=True).first()
    _serve(back, leaving)
    artifact_promote(artifact=target, reason=reason.strip(), user=user, kind=ModelEvent.Kind.ROLLED_BACK)
    with_encoder = _("With the encoder %(name)s.") % {"name": target.name}
    for one in _former_probes(back, leaving).values():
        artifact_promote(artifact=one, reason=with_encoder, user=user, kind=ModelEvent.Kind.ROLLED_BACK)
    if leaving is not None:
        for one in _champion_probes_reading(leaving):
            artifact_archive(artifact=one, reason=with_encoder, user=user)
    embedding_request()
    transaction.on_commit(probes_request_missing)
    return target


@transaction.atomic
def probes_promote(
    *, artifact: ModelArtifact, embedding_set: EmbeddingSet, reason: str = "", user: User | None = None
) -> bool:
    """Let newly trained probes serve if the vectors that they read do; False: the encoder changed meanwhile.

    Where probes of the same hierarchy serve, the new ones must have been compared with them and not be worse: they
    need not be better, because they know what the bank was taught since.

    Raises:
        Conflict: the gate refuses them.
    """
    serving_lock()
    if not EmbeddingSet.objects.filter(pk=embedding_set.pk, is_current=True).exists():
        return False
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    replaces = champion is not None and probes_can_serve(champion)
    verdict = gate_verdict(artifact=artifact, override=True) if replaces else {}
    if verdict.get("outcome") == GateOutcome.REFUSED:
        raise Conflict(" ".join(verdict["reasons"]))
    if verdict:
        verdict["overridden"] = False
    artifact_promote(artifact=artifact, reason=reason, user=user, gate=verdict)
    return True


def _serve(embedding_set: EmbeddingSet, former: EmbeddingSet | None) -> None:
    if former is not None and former.pk != embedding_set.pk:
        former.is_current, former.state = False, EmbeddingSet.State.RETIRED
        former.save(update_fields=["is_current", "state"])
    embedding_set.is_current, embedding_set.state = True, EmbeddingSet.State.READY
    embedding_set.save(update_fields=["is_current", "state"])


def _champion_probes_reading(embedding_set: EmbeddingSet) -> list[ModelArtifact]:
    return list(
        ModelArtifact.objects.filter(
            capability="probes",
            state=ModelArtifact.State.CHAMPION,
            manifest__extra__encoder=embedding_set.encoder_name,
        )
    )


def _former_probes(back: EmbeddingSet, leaving: EmbeddingSet | None) -> dict[str, ModelArtifact]:
    """By hierarchy the newest archived probes that can read `back` or the n-grams.

    Of those hierarchies only whose champion reads the vectors that leave, or that have none.
    """
    gone = {one.scope for one in _champion_probes_reading(leaving)} if leaving else set()
    probes = ModelArtifact.objects.filter(capability="probes")
    kept = set(probes.filter(state=ModelArtifact.State.CHAMPION).values_list("scope", flat=True)) - gone
    names = [
        back.encoder_name,
        *EmbeddingSet.objects.filter(lens=Lens.WORDING, is_current=True).values_list(
            "encoder_name", flat=True
        ),
    ]
    rows = probes.filter(state=ModelArtifact.State.ARCHIVED, manifest__extra__encoder__in=names)
    return {one.scope: one for one in rows.exclude(scope__in=kept).order_by("created_at", "pk")}
