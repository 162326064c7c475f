"""Training material for the cross-encoder, from public sets and our own: python -m analytics.paraphrase.pairs.material.

    python -m analytics.paraphrase.pairs.material --data shared/data --output FOLDER [--scenes 250000] [--texts 150000]

Questions come from GSM8K, MAWPS and MATH, wordings from ParaMAWPS and from the demo bank's pairs; what a test set of
ParaQD holds is left out. The files hold both texts as the cross-encoder reads them: equal quantities in equal words.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from zlib import crc32

from analytics.json_lines import read_objects
from analytics.paraphrase.pairs.making import MadePair, Span, matched, scene_pairs, text_pairs
from analytics.paraphrase.pairs.scenes import scenes
from analytics.paraphrase.words.equal_quantities import canonical_quantities, in_words_of
from analytics.splits import KeptOut

_LONGEST = 420  # characters: the window of the cross-encoder holds two such texts
_GLUED = re.compile(r"\s+(?=[.,;:?!%](?:\s|$))")
_FIGURE = re.compile(
    r"\d[\d.,:/]*|%|\b(?:half|quarter|dozen|twice|double|third|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)\b",
    re.IGNORECASE,
)
_TOGETHER = 10_000  # pairs that are matched at a time
_HELD_OUT = 7  # every so manieth scene is for development


def held_out_scenes() -> frozenset[str]:
    """Return the names of the scenes that development pairs are made of."""
    return frozenset(scene.name for scene in scenes() if crc32(scene.name.encode()) % _HELD_OUT == 0)


def as_row(pair: MadePair, rng: random.Random) -> dict[str, object]:
    """Return a pair as the training reads it, in one of its two orders."""
    sides = [(pair.original, pair.original_marks), (pair.paraphrase, pair.paraphrase_marks)]
    if rng.random() < 0.5:
        sides.reverse()
    (first, marks), (second, new_marks) = sides
    one, two = canonical_quantities(first), canonical_quantities(second)
    row: dict[str, object] = {"a": one.text, "b": two.text, "y": pair.label, "s": pair.source[0]}
    if pair.kind:
        row["k"] = pair.kind
    marks, new_marks = (
        tuple(text.span_now(*span) for span in spans) for text, spans in ((one, marks), (two, new_marks))
    )
    if sorted(_FIGURE.findall(one.text.lower())) != sorted(_FIGURE.findall(two.text.lower())):
        final = in_words_of(one.text, two.text)
        row["b"] = final.text
        new_marks = tuple(final.span_now(*span) for span in new_marks)
    if marks or new_marks:
        row["m"] = [_joined(marks), _joined(new_marks)]
    return row


def _joined(spans: Iterable[Span]) -> list[list[int]]:
    return [list(span) for span in sorted(set(spans))]


def questions_and_wordings(data: Path, demo: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return questions and pairs of wordings, less what ParaQD's test sets hold."""
    kept_out = KeptOut.of(
        text
        for name in ("aquarat_test", "aquarat_val", "sawp_test")
        for _, row in read_objects(data / "paraqd" / f"{name}.jsonl.gz")
        for text in (row["original"], row["paraphrase"])
    )
    texts = [
        _GLUED.sub("", row["text"])
        for name in ("gsm8k/train", "mawps/cv", "math/train")
        for _, row in read_objects(data / f"{name}.jsonl.gz")
    ]
    by_seed: dict[tuple[object, str], list[str]] = defaultdict(list)
    last: dict[object, object] = {}
    rows = [row for _, row in read_objects(data / "paramawps" / "train_part.jsonl.gz")]
    for row in rows:
        last[row["seed"]] = row["variant"]
    for row in rows:
        if row["variant"] != last[row["seed"]]:
            by_seed[row["seed"], str(row.get("equation") or row.get("formula"))].append(
                _GLUED.sub("", row["text"])
            )
    wordings = [
        (first, second)
        for group in by_seed.values()
        if not any(map(kept_out.holds, group))
        for at, first in enumerate(group)
        for second in group[at + 1 :]
        if first != second
    ]
    wordings += [
        (row["original"], row["paraphrase"]) for _, row in read_objects(demo) if row["label"] == 1
    ] * 2
    texts += [
        row["text"]
        for _, row in read_objects(demo.with_name("bank.jsonl.gz"))
        if row.get("language", "en") == "en"
    ]
    usable = [
        text
        for text in texts
        if 20 < len(text) <= _LONGEST and "[asy]" not in text and not kept_out.holds(text)
    ]
    return usable, [pair for pair in wordings if max(map(len, pair)) <= _LONGEST]


def write_rows(path: Path, pairs: Iterator[MadePair], count: int, rng: random.Random) -> int:
    """Write matched pairs of so many drawn ones as the training reads them, and return their number."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, count, _TOGETHER):
            for pair in matched(islice(pairs, min(_TOGETHER, count - start)), rng):
                file.write(json.dumps(as_row(pair, rng), ensure_ascii=False, separators=(",", ":")) + "\n")
                written += 1
            file.flush()
    return written


def main() -> None:
    """Write ``scenes.jsonl``, ``texts.jsonl`` and ``dev.jsonl``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--demo", type=Path, default=Path("questionbank/demo/pairs.jsonl.gz"))
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--scenes", type=int, default=250_000)
    parser.add_argument("--texts", type=int, default=150_000)
    parser.add_argument("--held-scenes", type=int, default=40_000)
    parser.add_argument("--dev", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=3407)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    held = held_out_scenes()
    rest = frozenset(scene.name for scene in scenes()) - held
    texts, wordings = questions_and_wordings(options.data, options.demo)
    rng.shuffle(texts)
    rng.shuffle(wordings)
    apart, apart_wordings = len(texts) // 20, len(wordings) // 20
    for name, pairs, count in (
        ("dev_scenes", scene_pairs(rng, without=rest), options.dev),
        ("dev_texts", text_pairs(texts[:apart], wordings[:apart_wordings], rng), options.dev),
        ("held_scenes", scene_pairs(rng, without=rest), options.held_scenes),
        ("scenes", scene_pairs(rng, without=held), options.scenes),
        ("texts", text_pairs(texts[apart:], wordings[apart_wordings:], rng), options.texts),
    ):
        written = write_rows(options.output / f"{name}.jsonl", pairs, count, rng)
        sys.stdout.write(f"{name}: {written:,} pairs\n")


if __name__ == "__main__":
    main()
