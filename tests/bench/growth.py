# ruff: noqa: E501 - files as attackers write them
"""How the processor time of each reader of question files grows with the file: doubled input, at most 2.3 times the time.

    python -m tests.bench.growth [--only READER] [--shape SHAPE]

Each reader gets files that repeat one piece, at a size and at twice that size. Files that are read in less than `LEAST` seconds are
too fast to compare; one that takes longer than `MOST` is missed. The shapes are those that make a careless reader scan again
what it has scanned: openers that are never closed, and separators that say nothing.
"""

from __future__ import annotations

import json
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from tests.bench.benchmark import gate, read_options
from tests.bench.hostile import ITEM, QUIZ

MOST_RATIO, LEAST, MOST = 2.3, 0.15, 20.0  # times; seconds
ROW, FILE = 12_000, 60_000  # characters: a text of a row has 50,000 at most

SHAPES = {
    "dollars": "$", "dollars apart": "$x ", "backslashes": "\\", "inline formulas open": "\\(", "displayed ones open": "\\[",
    "braces open": "{", "braces": "{}", "braces close": "}", "less than": "<", "bold open": "<b>", "paragraphs": "<p>", "cells": "<td>",
    "comments open": "<!--", "formulas open": "<math>", "sources open": '<annotation encoding="tex">', "attributes open": '<a href="',
    "raised": "<sup>a ", "lowered in HTML": "<sub>", "cells with words": "<tr><td>a ", "lists": "<ul><li>", "pictures": "<img src=x>", "ampersands": "&", "entities": "&lt;", "pictures open": "![",
    "links": "[x](", "gaps": "[[1]] ", "stars": "**", "emphasis": "*a ", "quotation marks": '"', "quoted cells": '",', "lines": "\n",
    "short lines": "a\n", "blanks": " ", "words": " a", "tabs": "\t", "tab and line": "\t\n", "options": "A) ", "hashes": "#", "signs": "=~",
    "weights": "~=%50%", "pairs": "=a->", "colons": "::", "titles": "::a\n", "digits": "9", "exponents": "1e", "commas": ", ",
    "parentheses": "(", "semicolons": ";", "underscores": "_", "languages": "{mlang en}", "WIRIS": "«math»", "gaps open": "{1:MC:",
    "numbers open": "{:NM:=", "ranges": "..", "lowered": "x_{", "fractions": "\\frac", "environments": "\\begin{a}", "ends": "\\end{a}",
    "items": "\\item ", "questions": "\\question ", "parts": "\\part ", "verbatim": "\\verb|", "percent": "%", "answers": "ANSWER: A\n",
    "lettered lines": "A. x\n", "categories": "$CATEGORY: a\n", "bars": "|", "numbers": "is 3 ", "form feeds": "a\f", "backticks": "`",
    "fences": "```\n", "Chinese numbering": "第一、", "definitions": "\\def\\a{",
}  # fmt: skip


def _moodle(inner: str, type: str = "essay", format: str = "html") -> str:
    shown = f'<questiontext format="{format}"><text>{inner}</text></questiontext>'
    return QUIZ.format(
        f'<question type="{type}"><name><text>{inner}</text></name>{shown}<answer fraction="100"><text>{inner}</text></answer></question>'
    )


def _exam(inner: str) -> str:
    return f"\\documentclass{{exam}}\n\\begin{{document}}\n\\begin{{questions}}\n\\question Two {inner}\n\\end{{questions}}\n\\end{{document}}\n"


def _row(inner: str) -> str:
    fields = ("text", "answer", "options", "concepts", "solution", "difficulty", "equation")
    return json.dumps(dict.fromkeys(fields, inner)) + "\n"


_CANVAS = (
    '<questestinterop><assessment title="t"><section><item ident="i"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type'
    "</fieldlabel><fieldentry>essay_question</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><material>"
    '<mattext texttype="text/html">{}</mattext></material></presentation></item></section></assessment></questestinterop>'
)
READERS: dict[str, tuple[str, int, Callable[[str], str | bytes]]] = {  # name -> file, size of N, what it holds
    "JSON Lines": ("a.jsonl", ROW, _row),
    "JSON Lines, cut off": ("a.jsonl", FILE, lambda inner: f'{{"text": "a{inner}'),
    "CSV": ("a.csv", FILE, lambda inner: f"text,answer\n2 + 2?,4\n{inner}"),
    "CSV, quotation mark open": ("a.csv", FILE, lambda inner: f'text,answer\n2 + 2?,4\n"{inner}'),
    "CSV, a cell": ("a.csv", ROW, lambda inner: 'text,answer\n"{0}","{0}"\n'.format(inner.replace('"', '""'))),
    "CSV, no header": ("a.csv", FILE, lambda inner: inner),
    "GIFT, answers": ("a.gift", FILE, lambda inner: f"::a:: What is 2 + 2? {{{inner}}}"),
    "GIFT, text": ("a.gift", FILE, lambda inner: f"::a:: What {inner}? {{=4 ~5}}"),
    "Moodle XML": ("a.xml", FILE, lambda inner: _moodle(escape(inner))),
    "Moodle XML, auto format": ("a.xml", FILE, lambda inner: _moodle(escape(inner), "multichoice", "moodle_auto_format")),
    "Moodle XML, cloze": ("a.xml", FILE, lambda inner: _moodle(escape(inner), "cloze")),
    "Moodle XML, broken": ("a.xml", FILE, lambda inner: QUIZ.format(f'<question type="essay">{inner}')),
    "QTI": ("a.xml", FILE, lambda inner: ITEM.format(escape(inner))),
    "QTI, broken": ("a.xml", FILE, lambda inner: ITEM.format(inner)),
    "Canvas": ("a.xml", FILE, lambda inner: _CANVAS.format(escape(escape(inner)) if "<" not in inner else escape(inner))),
    "Aiken": ("a.txt", FILE, lambda inner: f"Two?\nA. 3\nB. 4\nANSWER: B\n\nWhat {inner}\nA. {inner}\nB. 4\nANSWER: B\n"),
    "Cloze text": ("a.txt", FILE, lambda inner: f"Two {{1:SHORTANSWER:=4~{inner}}} and {inner}"),
    "LaTeX (exam)": ("a.tex", FILE, _exam),
    "LaTeX (exam), preamble": ("a.tex", FILE, lambda inner: f"\\documentclass{{exam}}\n{inner}{_exam('x')}"),
    "no format": ("a.txt", FILE, lambda inner: inner),
}  # fmt: skip


class _TooSlow(BaseException):
    """The processor time of one read is over."""


def _stop(_signal: int, _frame: object) -> None:
    raise _TooSlow


def seconds(path: Path, content: str | bytes) -> float:
    """Return the processor time of a read; `MOST` where it takes longer."""
    from questionbank.core.errors import ImportRefused
    from questionbank.formats import read

    path.write_bytes(content.encode() if isinstance(content, str) else content)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
        for _line in read(path):
            pass
    except ImportRefused:
        pass
    except _TooSlow:
        return MOST
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def growth(reader: str, shape: str, folder: Path) -> tuple[float, float]:
    """Return the seconds of a read at twice the size, and how many times those at the size they are; 0 where too fast."""
    name, size, make = READERS[reader]
    piece = SHAPES[shape]

    def content(length: int) -> str | bytes:
        return make((piece * (length // len(piece) + 1))[:length])

    twice = seconds(folder / name, content(2 * size))
    if not LEAST <= twice < MOST:
        return twice, 0.0
    ratio = float("inf")
    for _again in range(3):  # the least disturbed of some
        once = seconds(folder / name, content(size))
        ratio = min(ratio, twice / max(once, 1e-9))
        if ratio <= MOST_RATIO:
            break
        twice = min(twice, seconds(folder / name, content(2 * size)))
        if twice < LEAST:  # the first one was disturbed
            return twice, 0.0
    return twice, ratio


def main() -> int:
    """Print a line for each reader and for each shape that is missed; the exit code is 1 where one is."""
    options = read_options(only="", shape="")
    signal.signal(signal.SIGVTALRM, _stop)
    missed = 0
    print(f"{'reader':26} {'compared':>8} {'worst':>6} {'shape':24} {'slowest':>9} shape")
    with tempfile.TemporaryDirectory() as scratch:
        for reader in READERS:
            if options.only not in reader:
                continue
            found = {shape: growth(reader, shape, Path(scratch)) for shape in SHAPES if options.shape in shape}
            wrong = {
                shape: (took, ratio) for shape, (took, ratio) in found.items() if ratio > MOST_RATIO or took >= MOST
            }
            missed += len(wrong)
            worst = max(found, key=lambda shape: found[shape][1])
            slowest = max(found, key=lambda shape: found[shape][0])
            compared = sum(ratio > 0 for _took, ratio in found.values())
            print(
                f"{reader:26} {compared:8} {found[worst][1]:6.2f} {worst if found[worst][1] else '-':24} {found[slowest][0]:7.2f} s {slowest}",
                flush=True,
            )
            for shape, (took, ratio) in wrong.items():
                print(f"   MISSED {shape}: {took:.2f} s, {ratio:.2f} times", flush=True)
    return gate(f"doubled input takes at most {MOST_RATIO} times the time", not missed)


if __name__ == "__main__":
    raise SystemExit(main())
