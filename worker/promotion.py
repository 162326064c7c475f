"""Promoting a model: everything it needs is built while the old one serves, then swapped in one transaction.

A killed promotion resumes where it stopped: stored vectors are not computed again, and probes already trained for it
are reused. Until the swap, what serves does not change.
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
    """Execute a run of kind ``promote`` with the parameters ``{"model": id, "reason", "override"}``.

    Raises:
        NotFound: the model no longer exists.
        Conflict: it does not (or no longer) pass the gate.
        Cancelled: the run was stopped; what serves has not changed.
    """
    run = reporter.run
    artifact = ModelArtifact.objects.filter(pk=run.parameters["model"]).first()
    if artifact is None:
        raise NotFound("The model is no longer there.")
    if artifact.state == ModelArtifact.State.CHAMPION:  # killed between the swap and the end of the run
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
    embed_pending(reporter, sets=[embedding_set])  # questions edited during the build
    reporter.check()
    consequences = model_swap(run=run, artifact=artifact, embedding_set=embedding_set, beside=beside)
    reporter.log(f"{artifact.name} is now in use.")
    if consequences:
        reporter.log(consequences)
    return {"model": artifact.pk, "served_with": [model.pk for model in beside]}
