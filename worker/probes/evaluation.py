"""Evaluation of registered probes on labelled questions from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analytics.errors import DataError
from analytics.inference.heads import ProbeHeads, load_heads
from analytics.probes.from_files import probe_data
from analytics.probes.measure import measure_probes
from analytics.question_files import QuestionRow, read_rows
from analytics.splits import KeptOut
from questionbank.core.errors import NotFound
from questionbank.models import Question, QuestionTag
from questionbank.registry.artifact_selectors import artifact_folder, artifact_numbered
from questionbank.registry.serving import Serving, serving


def evaluate_probes(*, data: Path, serving: Serving, model: str = "default") -> dict[str, Any]:
    """Evaluate probes on all labelled questions of a file, or of a folder's test files if it has any.

    Nothing is trained. Questions in the bank's hierarchy that the probes were trained on, or that differ from such a
    question only in numbers, are left out and counted. The baselines (majority, median ...) use the evaluated
    questions' own labels.

    Raises:
        NotFound: there is no such model, or no set in use has the vectors that it reads.
        DataError: the data cannot be used, or the probes were trained on all of it.
    """
    heads, name, hierarchy = _heads(model, serving)
    encoder = next(
        (
            serving.encoder(lens)
            for lens, embedding_set in serving.sets.items()
            if embedding_set.encoder_name == heads.encoder
        ),
        None,
    )
    if encoder is None:
        raise NotFound(f"No set in use has the vectors of {heads.encoder}, which these probes read.")
    labelled_rows = _rows(data)
    seen = _seen(hierarchy)
    rows = [row for row in labelled_rows if not seen.holds(row.text)]
    if labelled_rows and not rows:
        raise DataError(f"The probes {name!r} were trained on every question of {data.name}.")
    questions = probe_data(rows, encoder.encode([row.text for row in rows]))
    figures = measure_probes(heads, questions, questions)
    del figures["training_questions"]  # here these are the baselines' own questions, the evaluated ones
    return {
        "data": data.name,
        "model": name,
        "encoder": heads.encoder,
        "left_out_as_seen_in_training": len(labelled_rows) - len(rows),
    } | figures


def _seen(hierarchy: str) -> KeptOut:
    """Return the questions that the bank tags in a hierarchy."""
    tagged = QuestionTag.objects.filter(concept__hierarchy__name=hierarchy).values("question_id")
    questions = Question.objects.filter(pk__in=tagged).only("text", "options", "content")
    return KeptOut.of(question.analysed_text for question in questions.iterator())


def _heads(model: str, serving: Serving) -> tuple[ProbeHeads, str, str]:
    if model == "default":
        served = serving.probes_for()
        if served is None:
            raise NotFound("The bank has no probes yet; train them with: manage.py train probes")
        return served.heads, serving.probe_artifacts[served.hierarchy].name, served.hierarchy
    artifact = artifact_numbered(capability="probes", number=model)
    return load_heads(artifact_folder(artifact)), artifact.name, artifact.scope


def _rows(data: Path) -> list[QuestionRow]:
    tests = sorted(data.glob("test*.jsonl*")) if data.is_dir() else []
    return [row for file in tests or [data] for row in read_rows(file)]


def evaluate_probe_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the probes in use, or those with the id ``model``, on ``data``.

    Raises:
        NotFound: there are no such probes.
    """
    return evaluate_probes(data=options["data"], serving=serving(), model=options["model"])
