"""How good registered probes are on labelled questions of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analytics.inference.heads import ProbeHeads, load_heads
from analytics.probes.data import ProbeData, QuestionRow, read_rows
from analytics.probes.measure import measure_probes
from questionbank.errors import NotFound
from questionbank.models import ModelArtifact
from questionbank.selectors.artifacts import artifact_folder
from questionbank.selectors.serving import Serving

__all__ = ["evaluate_probes"]


def evaluate_probes(*, data: Path, serving: Serving, model: str = "default") -> dict[str, Any]:
    """Measure probes on all labelled questions of a file, or of a folder's test files where it has some.

    Nothing is trained. The baselines (majority, median ...) know the measured questions' own labels.

    Raises:
        NotFound: there is no such model, or no set in use has the vectors that it reads.
        DataError: the data cannot be used.
    """
    heads, name = _heads(model, serving)
    encoder = next(
        (serving.encoder(lens) for lens, one in serving.sets.items() if one.encoder_name == heads.encoder),
        None,
    )
    if encoder is None:
        raise NotFound(f"No set in use has the vectors of {heads.encoder}, which these probes read.")
    rows = _rows(data)
    questions = ProbeData.of(
        encoder.encode([row.text for row in rows]),
        [row.paths for row in rows],
        [row.difficulty for row in rows],
        texts=[row.text for row in rows],
        scales=[row.scale for row in rows],
    )
    return {"data": data.name, "model": name, "encoder": heads.encoder} | measure_probes(
        heads, questions, questions
    )


def _heads(model: str, serving: Serving) -> tuple[ProbeHeads, str]:
    if model == "default":
        served = serving.probes_for()
        if served is None:
            raise NotFound("The bank has no probes yet; train them with: manage.py train probes")
        return served.heads, serving.probe_artifacts[served.hierarchy].name
    artifact = ModelArtifact.objects.filter(capability="probes", pk=model if model.isdecimal() else 0).first()
    if artifact is None:
        raise NotFound(f"There are no probes with the id {model}.")
    return load_heads(artifact_folder(artifact)), artifact.name


def _rows(data: Path) -> list[QuestionRow]:
    tests = sorted(data.glob("test*.jsonl*")) if data.is_dir() else []
    return [row for file in tests or [data] for row in read_rows(file)]
