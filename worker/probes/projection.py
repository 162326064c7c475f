"""Computing the map: vectors in use -> coordinates -> the stored map."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from analytics.configuration import config_from_strings
from analytics.errors import DataError
from analytics.probes.projection import ProjectionConfig, project_vectors
from questionbank.bank.map_services import projection_store
from questionbank.bank.vector_selectors import map_set
from worker.feeds import set_vectors
from worker.reporting import RunReporter


def project_run(reporter: RunReporter) -> dict[str, Any]:
    """Compute the map of the encoder in use; parameters ``{"set": {field: value}}`` of `ProjectionConfig`.

    Raises:
        DataError: the bank has no vectors.
        ConfigurationError: a setting is unknown or out of bounds.
        GaveWay: other work waits for this worker; the job starts over later.
    """
    config = config_from_strings(ProjectionConfig, reporter.run.parameters.get("set", {}))
    embedding_set = map_set()
    if embedding_set is None:
        raise DataError("The bank has no vectors yet.")
    reporter.progress(0, 0, "Reading vectors")
    vectors = set_vectors(embedding_set)
    if not vectors:
        raise DataError("The bank has no vectors yet.")
    ids = sorted(vectors)  # the map depends on the order

    def tell(done: int, total: int, message: str) -> None:
        reporter.progress(done, total, message)
        reporter.give_way(begins_again=True)

    made = project_vectors(np.stack([vectors[pk] for pk in ids]), config, progress=tell, cancel=reporter.should_stop)
    reporter.check()
    projection_store(
        embedding_set=embedding_set,
        question_ids=np.array(ids, dtype=np.int64),
        coordinates=made.coordinates,
        method=made.method,
        settings=asdict(config) | {"sampled": made.sampled},
    )
    reporter.log(
        f"{len(ids):,} questions by {made.method}, {made.sampled:,} of them laid out together;"
        f" vectors by {embedding_set.encoder_name}."
    )
    return {"questions": len(ids), "method": made.method}
