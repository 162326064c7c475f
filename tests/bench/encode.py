"""Bulk encoding of questions, beside `SentenceTransformer.encode` of the same model with its defaults.

    python -m tests.bench.encode [--data FOLDER] [--questions N] [--rounds N]

Both encode the same texts in turns in one process, so that other load on the machine falls on both; medians
are compared. The gate: at least 2.5 times as fast at a cosine of at least 0.999. Also measured: one query
in ONNX Runtime, as the web process encodes it, and character n-grams.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from analytics.json_lines import read_objects
from analytics.training.context import wait_passively
from tests.bench.benchmark import gate, in_turns, read_options, timed

os.environ.setdefault("HF_HUB_OFFLINE", "1")
wait_passively()

LEAST_SPEEDUP, LEAST_COSINE = 2.5, 0.999


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(questions=1000, rounds=3)

    from sentence_transformers import SentenceTransformer

    from analytics.backbone.bert import DEFAULT_BACKBONE, encode_bulk, load_backbone
    from analytics.backbone.export import export_onnx
    from analytics.backbone.sources import find_source
    from analytics.inference.encode import HashedNgramEncoder, load_encoder

    texts, origin = questions(options.data, options.questions)
    print(f"{len(texts)} questions ({origin}), {np.mean([len(one) for one in texts]):.0f} characters on average")
    backbone = load_backbone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = SentenceTransformer(find_source(DEFAULT_BACKBONE).location, device=str(backbone.device))
    ngrams = HashedNgramEncoder()
    ways: dict[str, Callable[[], np.ndarray]] = {
        "SentenceTransformer.encode": lambda: np.asarray(reference.encode(texts)),
        "encode_bulk": lambda: encode_bulk(backbone, texts),
        "char-ngrams-512": lambda: ngrams.encode(texts),
    }
    for way in ways.values():
        way()  # first calls compile kernels and fill caches
    seconds, vectors = in_turns(ways, options.rounds)

    base = statistics.median(seconds["SentenceTransformer.encode"])
    cosine = (vectors["SentenceTransformer.encode"] * vectors["encode_bulk"]).sum(axis=1)
    print(f"{'':28}{'questions/s':>12}{'speed-up':>10}{'lowest cosine':>15}")
    for name in ways:
        median = statistics.median(seconds[name])
        shown = f"{cosine.min():15.5f}" if name == "encode_bulk" else ""
        print(f"{name:28}{len(texts) / median:12.0f}{base / median:10.2f}{shown}")
    speedup = base / statistics.median(seconds["encode_bulk"])

    with tempfile.TemporaryDirectory() as scratch:
        export_onnx(backbone, Path(scratch) / "encoder")
        encoder = load_encoder(Path(scratch) / "encoder")
        times = sorted(timed(lambda text=text: encoder.encode([text]))[0] for text in texts[:200])
    print(f"one query in ONNX Runtime: median {times[len(times) // 2] * 1e3:.1f} ms,", end=" ")
    print(f"p95 {times[int(len(times) * 0.95)] * 1e3:.1f} ms")
    return gate(
        f"{speedup:.2f} >= {LEAST_SPEEDUP} at cosine {cosine.min():.5f} >= {LEAST_COSINE}",
        speedup >= LEAST_SPEEDUP and cosine.min() >= LEAST_COSINE,
    )


def questions(folder: Path, count: int) -> tuple[list[str], str]:
    """Return the questions of several public sets in turns, else generated ones of a like length."""
    names = ("math/train", "opl/all", "gsm8k/train", "tal_scq_en/train")
    files = [folder / f"{name}.jsonl.gz" for name in names]
    if all(file.is_file() for file in files):
        each = -(-count // len(files))
        texts = [row["text"] for file in files for _number, row in islice(read_objects(file), each)]
        random.Random(0).shuffle(texts)
        return texts[:count], "public data sets"
    rng = random.Random(0)
    words = "find the value of a train travels for hours if each side has area and sum twice number".split()
    return [
        " ".join(rng.choice([*words, f"${rng.randint(2, 999)}x$"]) for _ in range(rng.randint(8, 70))) + "?"
        for _ in range(count)
    ], "generated"


if __name__ == "__main__":
    sys.exit(main())
