"""The one table of what workers do for a capability: train, compare, build beside. Functions are named, not imported.

So importing the table costs nothing: PyTorch is loaded by the process whose job needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from questionbank.errors import NotFound


@dataclass(frozen=True, slots=True)
class WorkerCapability:
    """What a worker does for one capability, and where the functions are (``module:function``).

    Attributes:
        train: ``(reporter) -> {"model": id, "metrics": figures}``, for a run of kind ``train``.
        compare: ``(reporter, *, candidate, champion) -> figures``, which `questionbank.selectors.models.models`
            describes.
        encode: ``(artifact, reporter) -> encode``, for a capability with a lens: the function that encodes thousands
            of texts, where that is not the one that `analytics.catalog` loads.
        build: ``(reporter, *, run, embedding_set) -> candidates``, for a capability with a lens: what is built beside
            the vectors in use, and starts serving together with the new ones.
        evaluate: ``(options) -> figures``, for `manage.py evaluate`.
        reproduce: ``(output, options, say) -> table``, for `manage.py reproduce`.
        jobs: ``(reporter) -> result`` by kind of run, for what else the capability does in the background.
    """

    train: str = ""
    compare: str = ""
    encode: str = ""
    build: str = ""
    evaluate: str = ""
    reproduce: str = ""
    jobs: Mapping[str, str] = field(default_factory=dict)

    @property
    def functions(self) -> dict[str, str]:
        """Every function that the row names, by what it is for."""
        named = {
            "train": self.train,
            "compare": self.compare,
            "encode": self.encode,
            "build": self.build,
            "evaluate": self.evaluate,
            "reproduce": self.reproduce,
            **self.jobs,
        }
        return {name: dotted for name, dotted in named.items() if dotted}


WORKER_CAPABILITIES: dict[str, WorkerCapability] = {
    "encoder": WorkerCapability(
        train="worker.encoder.training:train_encoder_run",
        compare="worker.encoder.comparison:encoder_comparison_figures",
        encode="worker.encoder.encoding:bulk_encode",
        build="worker.probes.beside:probes_beside",
        evaluate="worker.encoder.evaluation:evaluate_encoder_model",
        reproduce="worker.encoder.reproduction.paper_tables:encoder_paper_tables",
    ),
    "paraphrase": WorkerCapability(
        train="worker.paraphrase.training:train_scorer_run",
        compare="worker.paraphrase.comparison:scorer_comparison_figures",
        evaluate="worker.paraphrase.evaluation:evaluate_scorer",
        reproduce="worker.paraphrase.reproduction.paper_tables:paraphrase_paper_tables",
        jobs={
            "propose": "worker.paraphrase.proposals:propose_run",
            "score": "worker.paraphrase.scoring:score_run",
        },
    ),
    "solver": WorkerCapability(
        train="worker.solver.training:train_solver_run",
        compare="worker.solver.comparison:solver_comparison_figures",
        evaluate="worker.solver.evaluation:evaluate_solver_model",
        reproduce="worker.solver.reproduction.paper_tables:solver_paper_tables",
        jobs={"solve": "worker.solver.solving:solve_run"},
    ),
    "analogy": WorkerCapability(
        train="worker.analogy.training:train_retriever_run",
        compare="worker.analogy.comparison:analogy_comparison_figures",
        encode="worker.analogy.encoding:bulk_encode",
        evaluate="worker.analogy.evaluation:evaluate_analogy_model",
        reproduce="worker.analogy.reproduction.paper_tables:analogy_paper_tables",
        jobs={"ask": "worker.analogy.answering:answer_run", "retell": "worker.analogy.retelling:retell_run"},
    ),
    "probes": WorkerCapability(
        train="worker.probes.training:train_probes_run",
        compare="worker.probes.comparison:probes_comparison_figures",
        evaluate="worker.probes.evaluation:evaluate_probe_model",
        jobs={"project": "worker.probes.projection:project_run"},
    ),
}


def worker_capability(word: str) -> WorkerCapability:
    """Return the row of a capability.

    Raises:
        NotFound: this program has no such capability; a newer one may have queued the job.
    """
    row = WORKER_CAPABILITIES.get(word)
    if row is None:
        raise NotFound(f"This version of Kindred cannot do jobs for “{word}”.")
    return row
