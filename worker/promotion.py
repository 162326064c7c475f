"""Promoting a model: what it needs is built while the old one serves, then all is swapped by one transaction.

A killed promotion goes on where it was: vectors that are stored are not computed again, and probes that were
trained for it are found again. Until the swap nothing that serves has changed.
"""

from __future__ import annotations

from typing import Any

from analytics.catalog import CAPABILITIES
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.core.errors import NotFound
from questionbank.models import ModelArtifact
from questionbank.registry.promotion_services import gate_verdict, model_promote, model_swap
from worker.catalog import worker_capability
from worker.embedding import embed_pending
from worker.reporting import RunReporter


def promote_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``promote`` asks for: ``{"model": id, "reason", "override"}``.

    Raises:
        NotFound: the model is no longer there.
        Conflict: it does not pass the gate (any more).
        Cancelled: the run was stopped; what serves has not changed.
    """
    run = reporter.run
    artifact = ModelArtifact.objects.filter(pk=run.parameters["model"]).first()
    if artifact is None:
        raise NotFound("The model is no longer there.")
    if artifact.state == ModelArtifact.State.CHAMPION:  # killed between the swap and its own end
        return {"model": artifact.pk}
    if CAPABILITIES[artifact.capability].lens is None:
        consequences = model_promote(run=run, artifact=artifact)
        reporter.log(f"{artifact.name} is now in use.")
        if consequences:
            reporter.log(consequences)
        return {"model": artifact.pk}
    gate_verdict(artifact=artifact, override=run.parameters["override"])
    embedding_set = embedding_set_ensure(artifact=artifact)
    embed_pending(reporter, sets=[embedding_set])
    embedding_set.refresh_from_db()
    row = worker_capability(artifact.capability)
    beside = row.build(reporter, run=run, embedding_set=embedding_set)
    embed_pending(reporter, sets=[embedding_set])  # what was edited while that was built
    reporter.check()
    consequences = model_swap(run=run, artifact=artifact, embedding_set=embedding_set, beside=beside)
    reporter.log(f"{artifact.name} is now in use.")
    if consequences:
        reporter.log(consequences)
    return {"model": artifact.pk, "served_with": [model.pk for model in beside]}
