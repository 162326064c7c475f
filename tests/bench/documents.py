"""Test papers read from documents: questions found whole, wrong ones doubted, and how long a paper of 20 pages takes.

    python -m tests.bench.documents [--data ../shared/data] [--questions 200]

The gates: of the papers in `tests/questionbank/papers/papers.py` at least 95 % of the questions whole and 90 % of
the wrong ones doubted; 20 pages (80 questions) from file to questions in at most 5 s. Public questions (TAL-SCQ5K,
English and Chinese) are laid out in three ways: Word's own numbering with the key at the end, typed numbers with a star
before the right option, and options on one line with the key at the end.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from analytics.json_lines import read_objects
from questionbank.papers.documents import read_document
from questionbank.papers.pandoc import run_pandoc
from questionbank.papers.paper_lines import Paper
from questionbank.papers.question_assembly import assemble, guess_roles
from tests.bench.benchmark import read_options, timed
from tests.questionbank.papers.agreement import Agreement, agreement, words
from tests.questionbank.papers.papers import CHOICES, LETTERS, TestPaper, Truth, papers
from tests.questionbank.papers.word_files import WordFile

LEAST_WHOLE, LEAST_DOUBTED, MOST_SECONDS = 0.95, 0.9, 5
LONG_PAPER = 80  # questions: about 20 pages
SETS = ("tal_scq_en", "tal_scq_zh")
WAYS = ("automatic", "typed", "one line")
_LEFT_OUT = re.compile(  # what laying out in Markdown would change
    r"\\(begin|underline|hline|textbf|includegraphics|noindent|quad|uline|parbox|emph|ldots|text)"
    r"|\\[$%\\]|_{2,}|\||!\[|\n|~|`|\$\$\d[^$]*\\?\$(?!\$)|[(（]\d分"
)


def main() -> int:
    """Print the figures; the exit code is 1 where a gate is missed."""
    options = read_options(questions=200)
    found = [(len(paper.questions), agreement(read(paper), paper.questions)) for paper in papers()]
    whole, doubted = _print("papers of ours", [found_one for _, found_one in found])
    seconds = _long_paper()
    print(f"{LONG_PAPER} questions (20 pages): {seconds:.2f} s from file to questions")
    for name in SETS:
        if not (options.data / name).is_dir():
            print(f"{name}: not in {options.data}")
            continue
        truths = list(public_questions(options.data / name / "train.jsonl.gz", options.questions))
        for way in WAYS:
            _print(f"{name}, {way}", [agreement(read(laid_out(truths, way)), truths, words)])
    return int(whole < LEAST_WHOLE or doubted < LEAST_DOUBTED or seconds > MOST_SECONDS)


def read(paper: TestPaper) -> Paper:
    """Return what is found in a paper."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper"
        path.write_bytes(paper.data)
        lines = read_document(path, paper.name).lines
    return assemble(lines, guess_roles(lines))


def _print(name: str, found: Sequence[Agreement]) -> tuple[float, float]:
    whole, wrong = sum(one.whole for one in found), sum(len(one.wrong) for one in found)
    doubted, needless = sum(one.doubted for one in found), sum(one.needless for one in found)
    share = doubted / wrong if wrong else 1.0
    print(
        f"{name}: {whole} of {whole + wrong} whole ({whole / (whole + wrong):.1%}),"
        f" {doubted} of {wrong} wrong ones doubted,"
        f" {needless} whole ones doubted"
    )
    for one in found:
        for reason in one.wrong[:3]:
            print(f"    {reason[:200]}")
    return whole / (whole + wrong), share


def _long_paper() -> float:
    file = WordFile()
    for number in range(1, LONG_PAPER + 1):
        truth = CHOICES[number % len(CHOICES)]
        file.add(f"{number}. {truth.text}")
        for letter, option in zip(LETTERS, truth.options, strict=False):
            file.add(f"{letter}. {option}")
    paper = TestPaper("long.docx", file.bytes(), ())
    seconds, found = timed(lambda: read(paper))
    assert len(found.questions) == LONG_PAPER
    return seconds


def public_questions(path: Path, count: int) -> Iterator[Truth]:
    """Yield questions of a public set that fit on lines of text."""
    rows = [row for _number, row in read_objects(path)]
    random.Random(5).shuffle(rows)
    for row in rows:
        options = tuple(_tidy(option["text"]) for option in row.get("options") or ())
        text = _tidy(row["text"])
        if (
            count
            and len(text) > 20
            and 3 <= len(options) <= 5
            and not _LEFT_OUT.search(row["text"] + str(row["options"]))
        ):
            count -= 1
            yield Truth(text, options, row["answer"])


def _tidy(text: str) -> str:
    text = text.replace("\\textless", "<").replace("\\textgreater", ">")
    text = re.sub(r"\$\$(.+?)\$\$", r"$\1$", text)
    return " ".join(re.sub(r"\$ *([^$]+?) *\$", r"$\1$", text).split())


def laid_out(truths: Sequence[Truth], way: str) -> TestPaper:
    """Return a Word file of questions."""
    lines: list[str] = []
    for number, truth in enumerate(truths, start=1):
        lettered = list(zip(LETTERS, truth.options, strict=False))
        if way == "automatic":
            lines.append(
                f"{number}. {truth.text}\n\n" + "".join(f"    {letter}.  {option}\n" for letter, option in lettered)
            )
        elif way == "typed":
            lines.append(f"{number}\\. {truth.text}")
            lines += [
                f"{chr(92) + '*' if letter == truth.answer else ''}{letter}\\. {option}" for letter, option in lettered
            ]
        else:
            lines.append(f"{number}\\) {truth.text}")
            lines.append(" \u2003 ".join(f"\\({letter}\\) {option}" for letter, option in lettered))
    if way != "typed":
        lines += ["Answers", *(f"{number}\\. {truth.answer}" for number, truth in enumerate(truths, start=1))]
    return TestPaper("public.docx", run_pandoc("\n\n".join(lines).encode(), "markdown-smart", "docx"), tuple(truths))


if __name__ == "__main__":
    raise SystemExit(main())
