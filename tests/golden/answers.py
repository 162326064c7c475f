"""What the commands that read and write files answer to 500 texts."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden.files import called
from tests.golden.texts import normalised, rounded

TEXTS, OWN, GENERATED = 500, 200, 100
OTHER_LENSES, OF_OTHER_LENSES = ("structure", "wording"), 50
_PROBLEMS = (  # text, equation
    ("{who} has {a} {what} and buys {b} more. How many {what} does {who} have now?", "{a}+{b}"),
    ("There are {a} boxes with {b} {what} in each. How many {what} are there?", "{a}*{b}"),
    ("{who} had {a} {what} and gave {b} away. How many are left?", "{a}-{b}"),
    ("{who} shares {a} {what} equally among {b} friends. How many does each get?", "{a}/{b}"),
    ("One of the {what} costs {b} dollars. {who} pays with a note of {a} dollars. What is the change?", "{a}-{b}"),
)
_EXERCISES = (
    "Solve ${b}x + {c} = {a}$ for $x$.",
    "Work out $\\frac{{{b}}}{{{a}}} + \\frac{{{c}}}{{{a}}}$.",
    "Find the area of a circle with radius {b} cm.",
    "Löse die Gleichung $x^2 - {b}x + {c} = 0$.",
    "一个长方形的长是{a}厘米，宽是{b}厘米，面积是多少平方厘米？",
    "What is {b} % of {a}?",
)
_WHO, _WHAT = ("Ann", "Omar", "Li", "Kwame", "Sofia"), ("pens", "apples", "stamps", "coins", "marbles")


def generated_problems(count: int) -> list[dict[str, str]]:
    """Return word problems with their equations."""
    drawn = random.Random(55)
    rows = []
    for number, (text, equation) in zip(range(count), itertools.cycle(_PROBLEMS), strict=False):
        b = drawn.randint(2, 9)
        values = {"a": b * drawn.randint(2, 12), "b": b, "who": drawn.choice(_WHO), "what": drawn.choice(_WHAT)}
        rows.append(
            {"id": f"g{number}", "text": text.format(**values), "equation": equation.format(**values), "language": "en"}
        )
    return rows


def _exercises(count: int) -> Iterator[str]:
    drawn = random.Random(56)
    for _number, text in zip(range(count), itertools.cycle(_EXERCISES), strict=False):
        yield text.format(a=drawn.randint(20, 99), b=drawn.randint(2, 9), c=drawn.randint(1, 9))


def _public(data: Path, count: int) -> Iterator[str]:
    """Yield texts of the public sets in turn, at most so many; none where they are not at hand."""
    turns = [_texts_of(path) for path in sorted(data.glob("*/*.jsonl.gz"))]
    yield from itertools.islice((text for row in itertools.zip_longest(*turns) for text in row if text), count)


def _texts_of(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, 100):
            row = json.loads(line)
            if isinstance(row.get("text"), str):
                yield row["text"]


def write_texts(inputs: Path, data: Path) -> None:
    """Write 500 texts: the bank's own, generated ones and public ones, or more of the bank's; pairs and a corpus."""
    bank = inputs / "bank.jsonl"
    called("export_questions", bank, format="jsonl")
    own = [row for row in _rows(bank) if row.get("text")]
    bank.unlink()
    problems = generated_problems(GENERATED)
    texts = [row["text"] for row in (*own[:: max(1, len(own) // OWN)][:OWN], *problems[: GENERATED // 2])]
    texts += _exercises(GENERATED // 2)
    texts += _public(data, TEXTS - len(texts))
    texts += [row["text"] for row in own[1::3]][: TEXTS - len(texts)]
    _write(inputs / "texts.jsonl", [{"id": str(number), "text": text} for number, text in enumerate(texts)])
    pairs = [
        {"id": f"{number}", "original": text, "paraphrase": _changed(text, number)} for number, text in enumerate(texts)
    ]
    _write(inputs / "pairs.jsonl", pairs)
    _write(inputs / "corpus.jsonl", problems + [row for row in own if row.get("equation")])


def _changed(text: str, number: int) -> str:
    """Return a text in other words, with another number, with its sentences in another order, or shortened."""
    words = text.replace("How many", "What number of").replace("Find", "Determine").replace("Solve", "Work out")
    another = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), text, count=1)
    reordered = " ".join(reversed(re.split(r"(?<=[.?!]) ", text)))
    changes = [words, another, reordered, text[: len(text) * 2 // 3]]
    turned = changes[number % 4 :] + changes[: number % 4]
    return next((change for change in turned if change != text), text)


def predict(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield concepts and difficulty of each text."""
    yield from _converted("predict", work, input=inputs / "texts.jsonl")


def solve(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the solution of each text."""
    yield from _converted("solve", work, input=inputs / "texts.jsonl")


def exemplars(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the exemplars of each text."""
    yield from _converted("exemplars", work, input=inputs / "texts.jsonl", corpus=inputs / "corpus.jsonl")


def score_paraphrases(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield score, verdict and findings of each pair."""
    yield from _converted("score_paraphrases", work, input=inputs / "pairs.jsonl")


def similar(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the questions of the bank that are similar to each text, and to some of them under the other lenses."""
    texts = [row["text"] for row in _rows(inputs / "texts.jsonl")]
    lenses = {"main": ({}, texts)} | {
        lens: ({"lens": lens}, texts[:: len(texts) // OF_OTHER_LENSES]) for lens in OTHER_LENSES
    }
    for name, (options, asked) in lenses.items():
        lines = [_precise(called("similar", text=text, json=True, **options)) for text in asked]
        yield name, normalised("\n".join(lines) + "\n", work)


def _converted(command: str, work: Path, **options: Path) -> Iterator[tuple[str, str]]:
    output = work / "output.jsonl"
    said = called(command, output=output, **options)
    lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    yield "answers", normalised("\n".join([said, *map(_precise, lines)]) + "\n", work)


def _precise(line: str) -> str:
    """Return a line of JSON with its fractions rounded; any other line as it is."""
    try:
        return json.dumps(rounded(json.loads(line)), ensure_ascii=False)
    except ValueError:
        return line


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
