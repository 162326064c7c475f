"""Training a retriever of analogous problems on the bank: questions with an equation -> a candidate."""

from __future__ import annotations

from functools import partial
from typing import Any

from analytics.analogy.train import train_retriever
from analytics.backbone.bert import load_backbone
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.languages import primary_language
from analytics.problem_files import Problems
from questionbank.bank.vector_selectors import embedding_set_sample
from questionbank.models import ModelArtifact
from questionbank.training.analogy import analogy_material, equation_languages
from worker.candidates import Beginning, Train, kept_problems, log_equations, train_candidate
from worker.reporting import RunReporter


def train_retriever_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"known_only": bool, "hierarchies": [names] or absent}``.

    The held-out problems are tested at the end. Equations that only the solver found are used for training if
    ``known_only`` is false, and never for evaluation.
    """
    scope = _scope(reporter)

    def begin(beginning: Beginning) -> Train:
        read = partial(_read_problems, reporter, beginning.start, scope)
        problems = kept_problems(beginning.folder, read)
        return partial(train_retriever, problems, beginning.config, start=beginning.start)

    return train_candidate(reporter, "analogy", begin, scope=scope)


def _scope(reporter: RunReporter) -> str:
    """Return the language of the retriever to train further, if it is for a single language."""
    start = ModelArtifact.objects.filter(pk=reporter.run.parameters.get("start")).first()
    return start.scope if start is not None else ""


def _read_problems(reporter: RunReporter, start: str, scope: str) -> Problems:
    parameters = reporter.run.parameters
    hierarchies = parameters.get("hierarchies")
    reporter.progress(0, 0, "Reading the problems")
    left_out = _left_out_languages(reporter, start, scope, hierarchies)
    material = analogy_material(
        hierarchies=hierarchies, left_out=left_out, predicted=not parameters.get("known_only", True)
    )
    problems = material.problems
    log_equations(reporter, material, foreign="in a language that it does not learn")
    if material.predicted:
        reporter.log(f"{len(material.predicted):,} problems are learned with the equation that the solver found.")
    if not material.learned:
        raise DataError("No ready question has an equation to learn from.")
    parts = (material.learned, problems.validation, problems.held_out)
    return Problems(*(tuple(entry.problem for entry in part) for part in parts))


def _left_out_languages(reporter: RunReporter, start: str, scope: str, hierarchies: list[str] | None) -> list[str]:
    """Return languages that the retriever is not for, or in which the backbone does not know one token in ten."""
    backbone = load_backbone(start, device="cpu")
    left_out = []
    for language in equation_languages(hierarchies=hierarchies):
        if scope not in ("", primary_language(language)):
            left_out.append(language)
            continue
        share = backbone.unknown_share(embedding_set_sample(language=language))
        if share > UNKNOWN_SHARE_LIMIT:
            left_out.append(language)
            reporter.log(
                f"{backbone.name} does not know {share:.0%} of the tokens in language {language!r}:"
                " its problems are left out.",
                level="warning",
            )
    return left_out
