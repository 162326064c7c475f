"""Fitting the starter's verdict again on labelled pairs, with its models as they are.

    python -m analytics.paraphrase.refit --pairs FOLDER

Every file of the folder (`analytics.paraphrase.pair_files.read_pairs`) is a source, and all sources weigh the same.
It is done after a rule of the findings or the pair reader has changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analytics.artifacts import artifact_amend, artifact_read
from analytics.command_line import run_command
from analytics.errors import DataError
from analytics.paraphrase.export import export_scorer
from analytics.paraphrase.pair_files import read_pairs
from analytics.paraphrase.scoring.fitting import fit_beside
from analytics.paraphrase.scoring.scorer import VERDICT_NAME, Scorer, load_scorer, weigh_pairs
from analytics.paraphrase.scoring.verdict import READING_CAP, Verdict
from analytics.paraphrase.starter import STARTER_FOLDER

FIXED = {"score": 0.7, "shorter": -4.0, "target": -3.0}
"""Weights that people's short pairs cannot tell, as no clause or question is lost in them: set on ParaQD's sets."""


def refit_verdict(pairs: Path) -> Verdict:
    """Write a new verdict into the starter's folder.

    Args:
        pairs: folder of files of labelled pairs.

    Raises:
        AnalyticsError: the pairs or the starter cannot be read, or the folder not written.
    """
    with tempfile.TemporaryDirectory() as place:
        export_scorer(Path(place) / "scorer", backbone="", adapter=STARTER_FOLDER)
        verdict = _fitted(load_scorer(Path(place) / "scorer"), pairs)
    manifest = artifact_read(STARTER_FOLDER)
    manifest = replace(manifest, extra=manifest.extra | {"verdict_pairs": verdict.pairs})

    def write_verdict(target: Path) -> None:
        (target / VERDICT_NAME).write_text(json.dumps(verdict.as_dict(), indent=2) + "\n", encoding="utf-8")

    artifact_amend(STARTER_FOLDER, manifest, write_verdict)
    return verdict


def _fitted(scorer: Scorer, folder: Path) -> Verdict:
    sources: list[str] = []
    labels: list[int] = []
    texts: list[tuple[str, str]] = []
    for file in sorted(folder.glob("*.jsonl*")):
        for pair in read_pairs(file):
            if pair.label is not None:
                sources.append(file.name)
                labels.append(pair.label)
                texts.append((pair.original, pair.paraphrase))
    if not texts:
        raise DataError(f"There are no labelled pairs in {folder}.")
    scores = [pair_score.score for pair_score in scorer.score(texts)]
    _findings, features = weigh_pairs(texts, scores, scorer.read(texts))
    return fit_beside(
        features, labels, FIXED, boundary=scorer.verdict.boundary, score_cap=READING_CAP, sources=sources
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with one sentence on standard error if it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m analytics.paraphrase.refit", description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="folder of labelled pairs")
    options = parser.parse_args(arguments)
    return run_command(lambda: json.dumps(refit_verdict(options.pairs).as_dict(), indent=2))


if __name__ == "__main__":
    sys.exit(main())
