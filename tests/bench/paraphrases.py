"""Scoring paraphrases in bulk, beside the cosine of `SentenceTransformer.encode` of the same model with its defaults.

    python -m tests.bench.paraphrases [--data FOLDER] [--pairs N] [--rounds N]

Both score the same pairs in turns in one process, so that other load on the machine falls on both; medians are
compared. Originals differ, as in a queue of one paraphrase a question. The gate: the starter scorer gives score,
findings and verdict, of which that library has the first alone, of at least 2.5 times as many pairs a second; and
cosines by the same weights differ by less than 0.01. Also measured: the cosine alone, and a few pairs in ONNX Runtime,
as the web process scores them.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from analytics.training.context import wait_passively
from tests.bench.benchmark import gate, in_turns, read_options, timed
from tests.bench.encode import questions

os.environ.setdefault("HF_HUB_OFFLINE", "1")
wait_passively()

LEAST_SPEEDUP, LARGEST_DIFFERENCE = 2.5, 0.01
FEW = 50


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(pairs=400, rounds=3)

    from sentence_transformers import SentenceTransformer

    from analytics.backbone.bert import DEFAULT_BACKBONE, encode_bulk, load_backbone
    from analytics.backbone.sources import find_source
    from analytics.paraphrase.operators.catalog import operator
    from analytics.paraphrase.scorer import cosines, load_scorer
    from analytics.paraphrase.train import STARTER_FOLDER, export_scorer
    from analytics.text.remembered import forget_everything

    texts, origin = questions(options.data, options.pairs)
    edit, rng = operator("random_deletion"), random.Random(0)
    pairs = [(text, edit.apply(text, rng) or f"{text} Why?") for text in texts]
    print(f"{len(pairs)} pairs ({origin}), {np.mean([len(text) for text in texts]):.0f} characters on average")
    backbone = load_backbone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = SentenceTransformer(find_source(DEFAULT_BACKBONE).location, device=str(backbone.device))
    with tempfile.TemporaryDirectory() as scratch:
        export_scorer(Path(scratch) / "scorer")
        served = load_scorer(Path(scratch) / "scorer")
        served.score(pairs[:1])
        spent = [timed(lambda pair=pair: served.score([pair]))[0] for pair in pairs[:FEW]]
    starter = load_backbone(str(STARTER_FOLDER), max_tokens=backbone.max_tokens)
    scorer = served.with_encode(lambda some: encode_bulk(starter, some))

    def plain() -> list[float]:
        first = np.asarray(reference.encode([original for original, _ in pairs], normalize_embeddings=True))
        second = np.asarray(reference.encode([paraphrase for _, paraphrase in pairs], normalize_embeddings=True))
        return [float(cosine) for cosine in (first * second).sum(axis=1)]

    ways: dict[str, Callable[[], list[float]]] = {
        "SentenceTransformer.encode": plain,
        "cosine alone": lambda: cosines(pairs, lambda some: encode_bulk(backbone, some)),
        "score, findings and verdict": lambda: [pair_score.score for pair_score in scorer.score(pairs)],
    }
    for way in ways.values():
        way()  # first calls compile kernels and fill caches
    seconds, scores = in_turns(ways, options.rounds, forget_everything)  # a queue holds other texts every time

    base = statistics.median(seconds["SentenceTransformer.encode"])
    print(f"{'':30}{'pairs/s':>10}{'speed-up':>10}")
    for name in ways:
        median = statistics.median(seconds[name])
        print(f"{name:30}{len(pairs) / median:10.0f}{base / median:10.2f}")
    print(f"one pair with findings in ONNX Runtime: median {1e3 * statistics.median(spent):.1f} ms")
    difference = np.abs(np.subtract(scores["SentenceTransformer.encode"], scores["cosine alone"])).max()
    speedup = base / statistics.median(seconds["score, findings and verdict"])
    return gate(
        f"{speedup:.2f} >= {LEAST_SPEEDUP} at scores that differ by at most {difference:.4f} < {LARGEST_DIFFERENCE}",
        speedup >= LEAST_SPEEDUP and difference < LARGEST_DIFFERENCE,
    )


if __name__ == "__main__":
    sys.exit(main())
