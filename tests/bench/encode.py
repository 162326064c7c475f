# ruff: noqa: T201 - a benchmark prints
"""Bulk encoding of questions, beside `SentenceTransformer.encode` of the same model with its defaults.

    python -m tests.bench.encode [--data FOLDER] [--questions N] [--rounds N]

Both encode the same texts in turns in one process, so that other load on the machine falls on both; medians
are compared. The gate: at least 2.5 times as fast at a cosine of at least 0.999. Also measured: one query
in ONNX Runtime, as the web process encodes it, and character n-grams.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from analytics.training.threads import wait_passively

os.environ.setdefault("HF_HUB_OFFLINE", "1")
wait_passively()

LEAST_SPEEDUP, LEAST_COSINE = 2.5, 0.999
SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.encode", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=SHARED_DATA, help="folder of the public data sets")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options, _ = parser.parse_known_args()  # `python -m tests.bench` hands every benchmark all options

    from sentence_transformers import SentenceTransformer

    from analytics.backbone.bert import DEFAULT_BACKBONE, encode_bulk, load_backbone
    from analytics.backbone.export import export_onnx
    from analytics.backbone.sources import find_source
    from analytics.inference.encode import load_encoder
    from analytics.inference.ngrams import HashedNgramEncoder

    texts, origin = questions(options.data, options.questions)
    print(
        f"{len(texts)} questions ({origin}), {np.mean([len(one) for one in texts]):.0f} characters on average"
    )
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
    seconds, vectors = measure(ways, options.rounds)

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
    passed = speedup >= LEAST_SPEEDUP and cosine.min() >= LEAST_COSINE
    print(f"gate: {speedup:.2f} >= {LEAST_SPEEDUP} at cosine {cosine.min():.5f} >= {LEAST_COSINE}:", end=" ")
    print("passed" if passed else "MISSED")
    return 0 if passed else 1


def measure(
    ways: dict[str, Callable[[], np.ndarray]], rounds: int
) -> tuple[dict[str, list[float]], dict[str, np.ndarray]]:
    """Return the seconds of each way, in turns, and its last vectors."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    vectors = {}
    for _ in range(rounds):
        for name, way in ways.items():
            spent, vectors[name] = timed(way)
            seconds[name].append(spent)
    return seconds, vectors


def timed(way: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Wall-clock seconds and the result."""
    began = time.perf_counter()
    result = way()
    return time.perf_counter() - began, result


def questions(folder: Path, count: int) -> tuple[list[str], str]:
    """Return the questions of several public sets in turns, else generated ones of a like length."""
    names = ("math/train", "opl/all", "gsm8k/train", "tal_scq_en/train")
    files = [folder / f"{name}.jsonl.gz" for name in names]
    if all(file.is_file() for file in files):
        each = -(-count // len(files))
        texts = [text for file in files for text in _first_texts(file, each)]
        random.Random(0).shuffle(texts)
        return texts[:count], "public data sets"
    rng = random.Random(0)
    words = "find the value of a train travels for hours if each side has area and sum twice number".split()
    return [
        " ".join(rng.choice([*words, f"${rng.randint(2, 999)}x$"]) for _ in range(rng.randint(8, 70))) + "?"
        for _ in range(count)
    ], "generated"


def _first_texts(file: Path, count: int) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return [json.loads(line)["text"] for line, _ in zip(stream, range(count), strict=False)]


if __name__ == "__main__":
    sys.exit(main())
