"""Change the numbers of the demo bank's questions many times, and count the drawings that cannot be.

    python -m tests.bench.variants [--drawings N] [--seed N] [--sample FILE]

A drawing is checked by what its pattern means (`variants.toml`), never by the code that made it: the numbers are read
off the drawn text by the places that they have in the original, and the answer is computed from them by the pattern's
formula. `--sample` writes 60 drawings as JSON Lines (original, drawn, answer) for a reader to judge.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import gcd
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.benchmark import BASE_DIR, gate, read_options

BANK = BASE_DIR / "questionbank" / "demo" / "bank.jsonl.gz"
SAMPLE = 60
MOST_REDRAWN = 4  # times its size, up to which a number may grow or shrink
VERSIONS = 3
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_NAME = re.compile(r"[a-z]+")
_PRICE = re.compile(r"[$£€]\d+\.(\d+)")
_NOTES = frozenset(map(Fraction, (1, 2, 5, 10, 20, 50, 100, 200, 500)))
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?)\s?%")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A question of the bank with other numbers."""

    row: Row
    text: str
    answer: str


def main() -> int:
    """Print how many drawings there are of each pattern, and those that are impossible."""
    options = read_options(drawings=1_000, seed=1, sample="")
    drawings, kept = drawn(options.drawings, options.seed)
    print(f"{len(drawings):,} drawings; numbers kept: {dict(kept)}")
    impossible = [(drawing, fault) for drawing in drawings if (fault := fault_of(drawing))]
    for drawing, fault in impossible:
        print(f"\n{drawing.row['id']}: {fault}\n  was {drawing.row['text']} = {drawing.row['answer']}")
        print(f"  now {drawing.text} = {drawing.answer}")
    if options.sample:
        write_sample(Path(options.sample), drawings, options.seed)
    missed = gate(f"{options.drawings:,} drawings were made", len(drawings) == options.drawings)
    return missed or gate(f"no drawing is impossible ({len(impossible)} are)", not impossible)


def drawn(number: int, seed: int) -> tuple[list[Drawing], Counter[str]]:
    """Return so many drawings, each question in turn, and how many questions of each pattern keep their numbers."""
    from analytics.records import QuestionRecord
    from questionbank.worksheets.question_variants import with_changed_numbers

    rows = [row for row in bank() if row.get("equation") and row["kind"] == "open"]
    drawings: list[Drawing] = []
    kept: Counter[str] = Counter()
    for turn in range(1 + 3 * number // (VERSIONS * len(rows))):
        for row in rows:
            record = QuestionRecord(
                row["id"], row["text"], row["language"], answer=row["answer"], equation=row["equation"]
            )
            changed = [with_changed_numbers(record, seed=f"{seed}/{turn}", place=place) for place in range(VERSIONS)]
            made = {each.text: each.answer for each in changed if each is not None}
            drawings += [Drawing(row, text, answer) for text, answer in made.items()]
            kept[pattern_of(row)] += turn == 0 and not made
            if len(drawings) >= number:
                return drawings[:number], +kept
    return drawings, +kept


def fault_of(drawing: Drawing) -> str:
    """Say what is wrong with a drawing; empty where it may be printed."""
    text, original = drawing.text, drawing.row["text"]
    if _masked(text) != _masked(original):
        return "its words are others"
    before, after = (list(map(_value, _NUMBER.findall(each))) for each in (original, text))
    if before == after:
        return "its numbers are the same"
    for old, new in zip(before, after, strict=True):
        if not old / MOST_REDRAWN <= new <= old * MOST_REDRAWN:
            return f"{old} became {new}"
    if any(len(cents) != 2 for cents in _PRICE.findall(text)):
        return "a price has no two decimals"
    if any(Fraction(rate) >= 100 for rate in _PER_CENT.findall(text)):
        return "a part is 100 % or more"
    return _pattern_fault(drawing, before, after)


def _masked(text: str) -> str:
    """Return a text without its numbers; the article before one follows it."""
    return re.sub(r"\b([Aa])n (?=#)", r"\1 ", _NUMBER.sub("#", text))


def _pattern_fault(drawing: Drawing, before: list[Fraction], after: list[Fraction]) -> str:
    pattern = patterns()[pattern_of(drawing.row)]
    for index, formula in enumerate(pattern["formulas"]):
        match = _formula(formula).fullmatch(drawing.row["equation"])
        if match is None:
            continue
        values = {name: _redrawn(number, before, after) for name, number in match.groupdict().items()}
        names: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        names["known"] = [value for name, value in names.items() if len(name) == 1 and name != "n"]
        names["listed"] = len(names["known"])
        for said, name in pattern.get("said", {}).items():
            found = re.search(said, drawing.text)
            names[name] = Fraction(found[1]) if found else names["listed"]
        names["answer"] = answer = _value(drawing.answer)
        if answer != _worth(formula, names):
            return f"its answer is not {formula}"
        conditions = [*pattern["holds"], *(pattern["each"][index] if "each" in pattern else ())]
        return next((f"not {condition}" for condition in conditions if not _worth(condition, names)), "")
    return f"no formula of {pattern_of(drawing.row)} fits {drawing.row['equation']}"


def _redrawn(number: str, before: list[Fraction], after: list[Fraction]) -> Fraction | None:
    """Return what a number of the equation became in the text; None where the text has no such number."""
    is_percent = number.endswith("%")
    value = _value(number.removesuffix("%"))
    became = {new for old, new in zip(before, after, strict=True) if old == value}
    assert len(became) <= 1, f"{number} became two numbers"
    return min(became) / (100 if is_percent else 1) if became else None


@cache
def _formula(formula: str) -> re.Pattern[str]:
    """Return a regular expression for the equations of a formula, with a group for each name."""
    named: set[str] = set()

    def group(match: re.Match[str]) -> str:
        name = match[0]
        if name in named:
            return f"(?P={name})"
        named.add(name)
        return rf"(?P<{name}>\d+(?:\.\d+)?%?)"

    return re.compile(_NAME.sub(group, re.sub(r"([()*+])", r"\\\1", formula)))


def _worth(expression: str, names: Mapping[str, Any]) -> Any:
    exact = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)", r"Fraction('\1')", expression)
    known = {"Fraction": Fraction, "min": min, "max": max, **_KNOWN, **names}
    return eval(exact, {"__builtins__": {}}, known)


_KNOWN = {
    "whole": lambda value: value > 0 and value.denominator == 1,
    "cents": lambda value: (value * 100).denominator == 1,
    "note": lambda value: value in _NOTES,
    "lowest": lambda above, below: gcd(int(above), int(below)) == 1,
}


def _value(written: str) -> Fraction:
    return Fraction(written.replace(",", ""))


def pattern_of(row: Row) -> str:
    """Return the pattern of a question of the demo bank."""
    return re.sub(r"^demo-|-\d+$", "", row["id"])


@cache
def patterns() -> dict[str, Any]:
    """Return the table of patterns."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def bank() -> Iterator[Row]:
    """Yield the questions of the demo bank."""
    with gzip.open(BANK, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def write_sample(path: Path, drawings: list[Drawing], seed: int) -> None:
    """Write some drawings for a reader, as many patterns as there are."""
    by_pattern: dict[str, list[Drawing]] = defaultdict(list)
    rng = Random(seed)
    for drawing in rng.sample(drawings, len(drawings)):
        by_pattern[pattern_of(drawing.row)].append(drawing)
    queues = list(by_pattern.values())
    sample = [queues[place % len(queues)].pop() for place in range(min(SAMPLE, len(queues)))]
    sample += rng.sample([each for queue in queues for each in queue], max(0, SAMPLE - len(sample)))
    lines = (
        json.dumps({"original": each.row["text"], "drawn": each.text, "answer": each.answer}, ensure_ascii=False)
        for each in sample
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
