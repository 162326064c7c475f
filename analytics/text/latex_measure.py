"""How many real formulas parse: a seeded sample of the public data sets, by set and reason of failure."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analytics.errors import LatexError
from analytics.text.formulas import segment_text
from analytics.text.latex import parse_latex_many
from analytics.text.latex_pool import ParserPool


@dataclass(slots=True)
class ParseShares:
    """What came of a sample of formulas."""

    drawn: Counter[str] = field(default_factory=Counter)
    parsed: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """Share of all drawn formulas that parsed."""
        return self.parsed.total() / max(self.drawn.total(), 1)


def read_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (name of the set, text) for every question of the public data sets, in a fixed order."""
    for path in sorted(folder.glob("*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield path.parent.name, json.loads(line).get("text") or ""


def read_formulas(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (name of the set, formula) for every formula of every question text, in a fixed order."""
    for name, text in read_texts(folder):
        for segment in segment_text(text):
            if segment.kind == "formula":
                yield name, segment.body


def sample_formulas(folder: Path, size: int, seed: int) -> list[tuple[str, str]]:
    """Draw formulas uniformly from all that there are; none is left out for being simple or broken."""
    everything = list(read_formulas(folder))
    return random.Random(seed).sample(everything, min(size, len(everything)))  # noqa: S311 - a sample, not a secret


def parse_sample(sample: list[tuple[str, str]]) -> ParseShares:
    """Parse a sample, on as many children as there are cores."""
    shares = ParseShares(drawn=Counter(name for name, _ in sample))
    pool = ParserPool(size=os.cpu_count() or 1)
    began = time.perf_counter()
    try:
        results = parse_latex_many([latex for _, latex in sample], pool=pool)
    finally:
        pool.close()
    shares.seconds = time.perf_counter() - began
    for (name, _), result in zip(sample, results, strict=True):
        if isinstance(result, LatexError):
            shares.reasons[re.sub(r"\d+", "n", str(result))] += 1
        else:
            shares.parsed[name] += 1
    return shares


def measure(folder: Path, size: int, seed: int) -> ParseShares:
    """Print the share of a sample that parses, by set, and the commonest reasons why others do not."""
    shares = parse_sample(sample_formulas(folder, size, seed))
    write = sys.stdout.write
    write(f"{'set':<18}{'drawn':>8}{'parsed':>8}{'share':>8}\n")
    for name, drawn in shares.drawn.most_common():
        write(f"{name:<18}{drawn:>8}{shares.parsed[name]:>8}{shares.parsed[name] / drawn:>8.1%}\n")
    total = shares.drawn.total()
    write(f"{'all':<18}{total:>8}{shares.parsed.total():>8}{shares.share:>8.1%}\n")
    write(f"{shares.seconds:.1f} s, {1000 * shares.seconds / max(total, 1):.1f} ms a formula; seed {seed}\n")
    for reason, count in shares.reasons.most_common(12):
        write(f"  {count:>5}  {reason}\n")
    return shares


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line of the module."""
    parser = argparse.ArgumentParser(
        prog="python -m analytics.text.latex_measure", description="Measure how many formulas parse."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder of public data sets")
    parser.add_argument("--sample", type=int, default=2_000, help="formulas to draw, by a fixed seed")
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args(arguments)
    measure(options.folder, options.sample, options.seed)


if __name__ == "__main__":
    main()
