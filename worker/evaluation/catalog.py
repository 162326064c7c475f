"""What `manage.py evaluate` can measure; a literal table from its word to its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from analytics.records import QuestionRecord
from questionbank.errors import NotFound, ValidationFailed
from questionbank.formats import read
from questionbank.models import ModelArtifact
from questionbank.selectors.artifacts import artifact_champion
from questionbank.selectors.paraphrase_files import scorer_by_number
from questionbank.selectors.questions import content_hash
from questionbank.selectors.serving import serving
from worker.embedding import artifact_backbone
from worker.evaluation.encoder import evaluate_encoder
from worker.evaluation.paraphrase import evaluate_paraphrase
from worker.evaluation.probes import evaluate_probes
from worker.evaluation.search import evaluate_search

__all__ = ["EVALUATIONS"]


def _probes(options: Mapping[str, Any]) -> dict[str, Any]:
    if options["data"] is None:
        raise ValidationFailed("evaluate probes needs --data, a file or a folder of labelled questions.")
    return evaluate_probes(data=options["data"], serving=serving(), model=options["model"])


def _search(options: Mapping[str, Any]) -> dict[str, Any]:
    return evaluate_search(
        serving=serving(),
        queries=options["queries"],
        seed=options["seed"],
        split=options["split"],
        language=options["language"],
        among=_content_hashes(options["data"]) if options["data"] else None,
    )


def _content_hashes(data: Path) -> set[bytes]:
    """The questions of a file, or of every question file of a folder, as the bank knows them."""
    files = [data]
    if data.is_dir():
        files = sorted(
            file for file in data.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz", ".csv"))
        )
    hashes: set[bytes] = set()
    for file in files:
        for _line, entry in read(file):
            if isinstance(entry, QuestionRecord):
                hashes.add(content_hash(text=entry.text, options=entry.options))
    return hashes


def _encoder(options: Mapping[str, Any]) -> dict[str, Any]:
    if options["data"] is None:
        raise ValidationFailed("evaluate encoder needs --data: a question file, or a folder of sets.")
    from analytics.backbone.bert import encode_bulk

    artifact = _encoder_artifact(options["model"])
    backbone = artifact_backbone(artifact)
    return evaluate_encoder(
        options["data"],
        lambda texts: encode_bulk(backbone, texts),
        name=artifact.name,
        language=options["language"],
        pairs=options["pairs"],
    )


def _encoder_artifact(model: str) -> ModelArtifact:
    if model == "default":
        artifact = artifact_champion(capability="encoder")
    else:
        artifact = ModelArtifact.objects.filter(
            capability="encoder", pk=model if model.isdecimal() else 0
        ).first()
    if artifact is None:
        raise NotFound(f"There is no encoder with the id {model}.")
    return artifact


def _paraphrase(options: Mapping[str, Any]) -> dict[str, Any]:
    if options["data"] is None:
        raise ValidationFailed("evaluate paraphrase needs --data: a file or a folder of labelled pairs.")
    from analytics.backbone.bert import encode_bulk, load_backbone

    scorer = scorer_by_number(options["model"])
    return evaluate_paraphrase(
        options["data"],
        scorer,
        frozen=partial(encode_bulk, load_backbone()),
        without=options.get("without") or (),
    )


EVALUATIONS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "encoder": _encoder,
    "paraphrase": _paraphrase,
    "probes": _probes,
    "search": _search,
}
