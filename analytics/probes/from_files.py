"""Train and evaluate probes on question files without a database, for the command line.

The questions are encoded by the default encoder, or by character n-grams if it does not know their language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from analytics.artifacts import Manifest
from analytics.configuration import training_command
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, HashedNgramEncoder
from analytics.metrics import rounded
from analytics.probes.data import ProbeData, ProbesConfig
from analytics.probes.order import LANGUAGE, ladder_texts
from analytics.probes.train import measured_both_ways, train_probes
from analytics.question_files import QuestionRow, read_rows
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, Say, TrainingContext

NGRAMS = "char-ngrams"
_SAMPLE = 500  # texts per language for checking how much of it an encoder knows


def train_from_files(
    data: Path,
    output: Path,
    config: ProbesConfig,
    files: FileOptions = DEFAULT_FILES,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Manifest:
    """Train probes on the questions of a file or folder; see `train_probes`.

    Args:
        data: JSON Lines file, or a folder of them.
        output: the artifact's folder.
        config: the settings.
        files: the backbone may also be ``char-ngrams``, and is by default chosen to suit the language; the
            hierarchy's name defaults to that of the folder or file.
        context: provenance and progress callbacks.

    Raises:
        AnalyticsError: the data cannot be used, the encoder cannot be loaded, or the folder cannot be
            written.
    """
    rows = _of_language(read_rows(data), files.language)
    vectors, encoder = encode_rows(rows, backbone=files.backbone, say=context.say)
    name = files.hierarchy or (data.name if data.is_dir() else data.name.partition(".")[0])
    backbone = Path(files.backbone).name if Path(files.backbone).is_dir() else files.backbone
    options = {
        "--backbone": backbone,
        "--language": files.language,
        "--hierarchy": files.hierarchy,
        "--license-note": context.license_note,
    }
    context = replace(
        context,
        command=training_command("probes", data.name, config, options),
        progress=lambda done, total, what: context.say(f"{done + 1} of {total}: {what}"),
    )
    questions = replace(probe_data(rows, vectors), ladders=_ladders(encoder, files.backbone))
    return train_probes(questions, config, output, context, encoder=encoder, hierarchy=name)


def probe_data(rows: Sequence[QuestionRow], vectors: np.ndarray) -> ProbeData:
    """Return probe data from a file's rows and their vectors (questions, dimension)."""
    return ProbeData.of(
        vectors,
        [row.paths for row in rows],
        [row.difficulty for row in rows],
        texts=[row.text for row in rows],
        scales=[row.scale for row in rows],
        sources=[row.source for row in rows],
    )


def evaluate_from_files(
    data: Path,
    config: ProbesConfig,
    *,
    backbone: str = "",
    language: str = "",
    seeds: int = 3,
    say: Say = lambda _line: None,
) -> dict[str, Any]:
    """Evaluate probes on repeated grouped splits of the questions, with seeds from ``config.seed`` on.

    Returns:
        The metrics of each run, and their mean and standard deviation over the runs.
    """
    rows = _of_language(read_rows(data), language)
    vectors, encoder = encode_rows(rows, backbone=backbone, say=say)
    questions = probe_data(rows, vectors)
    runs = []
    for seed in range(config.seed, config.seed + seeds):
        say(f"Split {seed - config.seed + 1} of {seeds}")
        runs.append(measured_both_ways(questions, replace(config, seed=seed), encoder=encoder))
    return {
        "data": data.name,
        "encoder": encoder,
        "seeds": list(range(config.seed, config.seed + seeds)),
        "test_share": config.test_share,
        "mean": _over_runs(runs, np.mean),
        "standard_deviation": _over_runs(runs, np.std),
        "runs": rounded(runs),
    }


def encode_rows(
    rows: list[QuestionRow], *, backbone: str = "", say: Say = lambda _line: None
) -> tuple[np.ndarray, str]:
    """Return the vectors of the questions, and the name of the encoder that made them.

    Raises:
        DataError: the default encoder knows some of the languages and not others.
    """
    texts = [row.text for row in rows]
    if backbone == NGRAMS:
        return _encode_by_ngrams(texts)
    from analytics.backbone.bert import encode_bulk, load_backbone
    from analytics.backbone.sources import DEFAULT_BACKBONE

    encoder = load_backbone(backbone or DEFAULT_BACKBONE)
    if not backbone:
        unknown = {}
        for language in sorted({row.language for row in rows}):
            sample = [row.text for row in rows if row.language == language][:_SAMPLE]
            if (share := encoder.unknown_share(sample)) > UNKNOWN_SHARE_LIMIT:
                unknown[language] = share
        if unknown and len(unknown) < len({row.language for row in rows}):
            raise DataError(
                f"{encoder.name} does not know {', '.join(unknown)}, the language of some of the questions;"
                " choose one language."
            )
        if unknown:
            for language, share in unknown.items():
                say(f"{encoder.name} does not know {share:.0%} of the tokens in {language}; n-grams are used.")
            return _encode_by_ngrams(texts)
    say(f"Encoding {len(texts):,} questions with {encoder.name}")
    return encode_bulk(encoder, texts), encoder.name


def _ladders(encoder: str, backbone: str) -> np.ndarray | None:
    """Return the ladders' vectors from the questions' encoder; None if it does not know their language."""
    if encoder == HashedNgramEncoder().name:
        return None
    rows = [QuestionRow(text, LANGUAGE, (), None, "") for text in ladder_texts()]
    vectors, ladder_encoder = encode_rows(rows, backbone=backbone)
    return vectors if ladder_encoder == encoder else None


def _encode_by_ngrams(texts: list[str]) -> tuple[np.ndarray, str]:
    encoder = HashedNgramEncoder()
    return encoder.encode(texts), encoder.name


def _of_language(rows: list[QuestionRow], language: str) -> list[QuestionRow]:
    chosen = [row for row in rows if language in ("", row.language)]
    if not chosen:
        raise DataError(f"No question is in the language {language!r}.")
    return chosen


def _over_runs(runs: list[Any], summary: Callable[[list[float]], Any]) -> Any:
    """Return the structure of a single run, with each number replaced by a summary over the runs."""
    first = runs[0]
    if isinstance(first, dict):
        shared = [key for key in first if all(key in run for run in runs)]
        return {key: _over_runs([run[key] for run in runs], summary) for key in shared}
    if isinstance(first, int | float):
        return round(float(summary([float(run) for run in runs])), 4)
    return first
