"""The exam in reading test papers by strangers: by the model, by the rules, and by the more coherent of the two.

The authors had not seen the code; what is read is compared with what they say their papers contain. A folder holds the
papers, in any format that is read (Word, PDF and so on), and `truth.jsonl`, one line per question. A question is whole
if its text, options, answer, number of parts, pictures and points are right.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from rapidfuzz import fuzz

from analytics.language_model.papers import read_paper
from analytics.language_model.protocol import LanguageModel
from analytics.text.meaning import same_answer as mean_the_same
from questionbank.core.errors import DocumentRefused
from questionbank.papers.documents import read_document
from questionbank.papers.paper_lines import FoundQuestion, Line
from questionbank.papers.question_assembly import Reading, assemble, read_lines
from questionbank.papers.second_reading_services import empty_question, pointed_reading, shown_lines
from questionbank.papers.tasks import truth_of
from questionbank.registry.language_model_services import ExamOutcome
from worker.exam.contract import Array, Example, UseExam, at, compared, figures_of, folds, verdict_of
from worker.reporting import RunReporter

MARGINS = (-1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 1_000.0)
"""How much more coherent the model's reading must be to be preferred to that of the rules."""


@dataclass(frozen=True, slots=True)
class _Marks:
    """How many of a paper's questions are read whole, by the rules and by the model.

    Attributes:
        gain: how much more coherent the model's reading is; minus infinity if it cannot be used.
    """

    total: int
    rules: int
    model: int
    gain: float

    def both(self, margin: float) -> int:
        return self.model if self.gain > margin else self.rules


class PapersExam(UseExam):
    """Reading test papers."""

    use = "papers"
    measure = "Questions read whole: text, options, answer, parts, pictures and points"
    answer_tokens = 800

    def examples(self, folder: Path) -> list[Example]:
        """Return the papers named in ``SET/papers/truth.jsonl``, each with what its author says about its questions."""
        return [
            Example(file.parent.parent.name, {"file": str(file.parent / name), "truths": truths})
            for file in sorted(folder.glob("*/papers/truth.jsonl"))
            for name, truths in truths_of(file.parent).items()
        ]

    def prompt(self, example: Example) -> str:
        lines = shown_lines(_lines(example))
        return json.dumps([settings.LANGUAGE_MODEL_WINDOW, *([line.number, line.text] for line in lines)])

    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        found = read_paper(model, shown_lines(_lines(example)), window=settings.LANGUAGE_MODEL_WINDOW)
        return {"roles": found.roles, "reason": found.reason, "unusable": float(found.roles is None)}

    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        marks = []
        for number, (example, answer) in enumerate(zip(examples, answers, strict=True), 1):
            reporter.check()
            reporter.progress(number, len(examples), f"Kindred reads paper {number:,} of {len(examples):,}")
            marks.append(_marked(_lines(example), example.data["truths"], answer["roles"]))
        both = np.zeros(len(marks))
        for measured in folds([example.source for example in examples]):
            margin = fit_margin(at(np.flatnonzero(~measured), marks))
            for place in np.flatnonzero(measured):
                both[place] = marks[place].both(margin)
        total, rules, model = np.array([(each.total, each.rules, each.model) for each in marks], float).T
        arms = compared(_share, model, rules, both, total)
        lines = [
            f"{total.sum():,.0f} questions: {rules.sum():,.0f} are read whole by the rules, {model.sum():,.0f} by the"
            f" model, {both.sum():,.0f} by the more coherent reading."
        ]
        return ExamOutcome(
            verdict_of(arms[-1:], len(examples)),
            figures_of(self, examples, answers, arms, lines),
            {"margin": fit_margin(marks)},
        )


def whole(lines: Sequence[Line], reading: Reading, truths: Sequence[Truth]) -> int:
    """Return how many of the author's questions a reading has whole."""
    pairs, _left = matched(assemble(lines, reading.roles).questions, truths)
    return sum(question is not None and not faults(truth, question) for truth, question in pairs)


def fit_margin(marks: Sequence[_Marks]) -> float:
    """Return the margin with which most questions are read whole; the largest if several are equal."""
    return max(MARGINS, key=lambda margin: (sum(each.both(margin) for each in marks), margin))


def _marked(lines: Sequence[Line], truths: Sequence[Truth], said: Sequence[str] | None) -> _Marks:
    rules = read_lines(lines)
    ours = whole(lines, rules, truths)
    pointed = None if said is None else pointed_reading(lines, said)
    if pointed is None or empty_question(lines, pointed.roles):
        return _Marks(len(truths), ours, 0, -float("inf"))
    gain = pointed.coherence - rules.coherence
    return _Marks(len(truths), ours, whole(lines, pointed, truths), gain)


def _lines(example: Example) -> tuple[Line, ...]:
    return _read(Path(example.data["file"]))


@lru_cache(maxsize=512)
def _read(file: Path) -> tuple[Line, ...]:
    """Return the lines of a document; none if it cannot be read, so that all of its questions count as not found."""
    try:
        return read_document(file, file.name).lines
    except (DocumentRefused, FileNotFoundError):
        return ()


def _share(found: Array, total: Array) -> float:
    return float(found.sum() / total.sum())


Truth = dict[str, Any]
_ALIKE = 70  # per cent of the letters and digits that two texts of the same question share at least
_SAME = 90  # the same for a text to count as read whole
_PART_LABEL = re.compile(
    r"(?:(?<=[\s;,；。.])|^)(?:[(（]([a-h]|[ivx]{1,4}|[IVX]{1,4}|\d)[)）]|([a-h])[.)])(?=[\s$\w])\s*"
)
_NOTATION = re.compile(  # "sqrt(2)" and "√2", "sin x" and r"\sin x" are written alike
    r"(?<!\\)\b(?:sqrt|lim|sin|cos|tan|ln|log|lg|pi|theta|mu|sigma|alpha|lambda)(?=[\W\d_₀-₉]|$)|[α-ωΑ-Ω∞]",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|y|et|und)\b|[,;，；]")
_NAMED = re.compile(r"\$?\s*(?:[a-zA-Z]\w{0,2}(?:\([a-z]\))?|[A-Z]\s*\\c[au]p\s*[A-Z])\s*=\s*")


def plain(text: str) -> str:
    """Return the letters and digits of a text, however its formulas and pictures are written."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = _NOTATION.sub(" ", text)
    text = re.sub(r"\\(?:begin|end)\s*\{[a-zA-Z*]+\}(?:\{[lcr| ]+\})?|\\[a-zA-Z]+", " ", text)
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in text if character.isalnum())


def asked(truth: Truth) -> str:
    """Return the text of the author's question without the letters of its parts."""
    return _PART_LABEL.sub(" ", truth["text"]) if truth["parts"] else truth["text"]


def whole_text(found: FoundQuestion) -> str:
    """Return the text of a question with that of its parts."""
    parts = [part.text for part in found.record.content.parts]
    stem = found.record.text.removesuffix("Answer each part.")  # which is inserted where the paper gives no instruction
    return "\n".join([stem, *(part for part in parts if plain(part) not in plain(stem))])


def likeness(truth: Truth, found: FoundQuestion) -> float:
    """Return what percentage of the author's text is in a question, which may include shared texts and tables."""
    text, expected, shared = whole_text(found), plain(asked(truth)), plain(truth.get("shared") or "")
    without_tables = "\n".join(line for line in text.split("\n") if not line.startswith("|"))
    readings = [plain(text), plain(without_tables)]
    ratios = [fuzz.ratio(reading, one) for reading in readings for one in (expected, shared + expected)]
    if truth.get("shared") or truth.get("has_table"):
        ratios += [fuzz.partial_ratio(expected, reading) for reading in readings if len(reading) > len(expected)]
    return max(ratios)


def has_numbers(truth: Truth, text: str) -> bool:
    """Return whether a text has the digits of the author's question, in their order or at least as often."""
    wanted, found = (re.sub(r"\D", "", plain(one)) for one in (asked(truth), text))
    return wanted in found or not Counter(wanted) - Counter(found)


def faults(truth: Truth, found: FoundQuestion) -> list[str]:
    """Return what parts of a question are not as its author says."""
    wrong = []
    record = found.record
    if likeness(truth, found) < _SAME:
        wrong.append("text")
    elif not has_numbers(truth, whole_text(found)) and not truth.get("has_table"):
        wrong.append("numbers")
    if not has_options(truth, found):
        wrong.append("options")
    if not same_answer(truth, found):
        wrong.append("answer")
    if truth["parts"] != len(record.content.parts):
        wrong.append("parts")
    if truth["has_picture"] and "![" not in "".join([whole_text(found), *(option.text for option in record.options)]):
        wrong.append("picture")
    if truth["points"] != record.content.points:
        wrong.append("points")
    return wrong


def has_options(truth: Truth, found: FoundQuestion) -> bool:
    """Return whether a question has the author's options, or enough pairs if it asks to match."""
    record = found.record
    if truth["kind"] == "matching":
        pairs = len(record.content.pairs) or len(record.options)
        return pairs >= len(truth.get("match_left") or truth["options"])
    if truth["kind"] == "true_false":
        return True
    options = [plain(option.text) for option in record.options]
    wanted = ["" if option == "(picture)" else plain(option) for option in truth["options"]]
    return len(options) == len(wanted) and all(
        fuzz.ratio(one, other) >= _SAME for one, other in zip(options, wanted, strict=True)
    )


def same_answer(truth: Truth, found: FoundQuestion) -> bool:
    """Return whether the answer is the author's; that of a question in parts is that of its parts, one by one."""
    parts, pairs = found.record.content.parts, found.record.content.pairs
    if pairs and truth.get("match_left"):
        right = dict(zip("ABCDEFGHIJKL", map(plain, truth["options"]), strict=False))
        left = {str(place): plain(text) for place, text in enumerate(truth["match_left"], start=1)}
        left |= {text: text for text in left.values()} | {  # "i-C" and "median – B" name the left side in other ways
            numeral: left[place]
            for place, numeral in zip("123456", ["i", "ii", "iii", "iv", "v", "vi"], strict=True)
            if place in left
        }
        named = [re.split(r"\s*[-–]\s*", item.strip()) for item in truth["answer"].split(",")]
        wanted_pairs = {(left.get(plain(one[0])), right.get(one[-1].upper())) for one in named}
        return wanted_pairs == {(plain(pair.left), plain(pair.right)) for pair in pairs if pair.left}
    if not (truth["parts"] and parts):
        return is_same(truth["answer"], by_letters(found))
    labelled = [*_PART_LABEL.finditer(truth["answer"])]
    ends = [*(label.start() for label in labelled[1:]), len(truth["answer"])]
    wanted = {
        (label[1] or label[2]): truth["answer"][label.end() : end].strip(" ;,；")
        for label, end in zip(labelled, ends, strict=False)
    }
    given = [part.answer for part in parts]
    if len(wanted) == len(given):
        return all(map(is_same, wanted.values(), given))
    if not wanted or {*wanted} - {*"abcdefghijklmnop"}:
        return is_same(truth["answer"], found.record.answer or "; ".join(filter(None, given)))
    return all(
        is_same(wanted.get(letter, ""), answer) for letter, answer in zip("abcdefghijklmnop", given, strict=False)
    )


def by_letters(found: FoundQuestion) -> str:
    """Return the answer of a question, with its options named A, B and so on in order, whatever their labels are."""
    letters = dict(zip((option.label for option in found.record.options), "ABCDEFGHIJKLMNOP", strict=False))
    named = [label.strip() for label in found.record.answer.split(",")]
    return ", ".join(letters[label] for label in named) if {*named} <= {*letters} else found.record.answer


def is_same(wanted: str, given: str) -> bool:
    """Return whether two answers mean the same: by their letters and digits, by their values, or without "x ="."""
    if not wanted or not given:
        return not wanted and not given
    wanted, given = (re.sub(r"_\{(\w)\}", r"_\1", one) for one in (wanted, given))
    if truth_of(wanted) and truth_of(wanted) == truth_of(given):  # "V" and "True"
        return True
    named = [_NAMED.match(one) for one in (wanted, given)]
    if bool(named[0]) != bool(named[1]):  # "C(m) = 20 + 0.15m" for "20 + 0.15m"
        wanted, given = (one[name.end() :] if name else one for one, name in zip((wanted, given), named, strict=True))
    wanted, given = (_AND.sub(" ", one) for one in (wanted, given))
    return plain(wanted) == plain(given) or mean_the_same(wanted, given) == "same"


def truths_of(folder: Path) -> dict[str, list[Truth]]:
    """Return what the authors of a folder's papers say about each question, by the name of the paper."""
    papers: dict[str, list[Truth]] = defaultdict(list)
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        papers[truth["paper"]].append(truth)
    return papers


def matched(
    questions: Sequence[FoundQuestion], expected: Sequence[Truth]
) -> tuple[list[tuple[Truth, FoundQuestion | None]], list[FoundQuestion]]:
    """Return the question that is most like each of the author's, or None, and the questions that are left."""
    left = list(questions)
    pairs: list[tuple[Truth, FoundQuestion | None]] = []
    for truth in expected:
        nearest = max(left, key=lambda one: likeness(truth, one), default=None)
        if nearest is None or likeness(truth, nearest) < _ALIKE:
            pairs.append((truth, None))
            continue
        left.remove(nearest)
        pairs.append((truth, nearest))
    return pairs, left
