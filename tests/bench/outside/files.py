"""Question files of other systems by somebody who had not seen the code, read and compared with what is in them.

A question is whole if its text, kind, options, what is right, points, pictures, feedback, hints and concepts are as its
author says. What is not whole and came without a warning is wrong in silence.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from analytics.question_content import QuestionPart, own_text
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineWarning
from questionbank.formats import read
from questionbank.formats.kinds import COMPUTED, blank_answer, right_labels, right_options
from questionbank.formats.moodle.words import category_path
from worker.exam.papers_exam import is_same, plain

Truth = dict[str, Any]
_PICTURE = re.compile(r"!\[[^\]]*\]\([^()]*\)|\[picture[^\]]*\]")
_ALTERNATIVE = re.compile(r"!\[([^\]]*)\]\([^()]*\)")
_BRACED = re.compile(r"(?<=[\^_])\{(\w|\w[+-]\w)\}")
_MARK = re.compile(
    r"\[\[?[\w.:-]{1,20}\]\]?|_{3,}|\{@[^@]*@\}|\{\{[^{}]*\}\}|\{\w+\}|##\w+##|<[^<>]{1,60}>|\\begin\{multicols\}|\\end\{multicols\}"
)
_NUMBERED = re.compile(r"^[\[(]{0,2}\w{1,10}[\])]{0,2}: ")  # before what belongs into a gap
_RANGE = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)")
_ALIKE, _SAME = 60, 88
_TWINS = ({"true_false", "choice"}, {"parts", "blanks"}, {"number", "short"}, {"number", "blanks"}, {"short", "blanks"})


def words(text: str, *, is_named: bool = False) -> str:
    """Return the letters and digits of a text without marks of gaps and pictures, or with what describes these."""
    bare = _PICTURE.sub(" ", _ALTERNATIVE.sub(r"\1", text) if is_named else text)
    return plain(_MARK.sub(" ", _BRACED.sub(r"\1", bare)))


def whole_text(record: QuestionRecord | QuestionPart) -> str:
    """Return the text of a question with that of its parts."""
    return "\n".join([record.text, *map(whole_text, record.content.parts)])


def likeness(truth: Truth, record: QuestionRecord) -> float:
    """Return how alike both texts are, per cent; the file's may have a shared text before it."""
    from rapidfuzz import fuzz

    own = replace(record, text=own_text(record.text, record.content))
    return max(_ratio(words(truth["text"]), words(whole_text(one)), fuzz) for one in (record, own))


def _ratio(wanted: str, found: str, fuzz: Any) -> float:
    if not wanted or not found:
        return 100.0 * (wanted == found)
    contained = fuzz.partial_ratio(wanted, found) - 5 if len(found) > len(wanted) > 20 else 0
    return max(fuzz.ratio(wanted, found), contained)


def right_texts(record: QuestionRecord) -> list[str]:
    """Return what is right: texts of options, pairs, what belongs into gaps, an order, or the answer."""
    content = record.content
    if content.pairs:
        return [f"{pair.left} => {pair.right}" for pair in content.pairs if pair.left]
    if content.blanks:
        return [blank_answer(blank) for blank in content.blanks]
    if record.kind == "ordering":
        return [option.text for option in record.options]
    if record.options:
        labels = right_labels(record.answer, [option.label for option in record.options])
        labels = labels or right_options(record.options)
        return [option.text for option in record.options if option.label in labels]
    if content.parts:
        return [part.answer for part in content.parts]
    return [answer.text for answer in content.accepted if answer.weight == 1] or [record.answer]


def _is_right(truth: Truth, record: QuestionRecord) -> bool:
    found = right_texts(record)
    wanted = truth["right"] or [one for one in truth["answer"].split(" | ") if one]
    if record.kind == "opaque" or truth["draws_numbers"]:
        return bool(record.answer or record.content.settings.get(COMPUTED) or not wanted)
    if truth["kind"] in ("blanks", "parts"):
        accepted = [_NUMBERED.sub("", one).split(" | ") for one in wanted]
        return len(accepted) == len(found) and all(
            any(_is_same(one, given) for one in ones) for ones, given in zip(accepted, found, strict=True)
        )
    if truth["kind"] in ("number", "short"):
        if wanted and (between := _RANGE.fullmatch(wanted[0])):
            middle = (float(between[1]) + float(between[2])) / 2
            return any(abs(float(given) - middle) < 1e-9 for given in found)
        return not wanted or any(_is_same(one, given) for one in wanted for given in (*found, record.answer))
    if truth["kind"] == "true_false" and record.kind == "true_false":
        return plain(record.answer) == plain("".join(wanted))
    if truth["kind"] in ("open", "description"):
        return True
    return _is_listed(wanted, found, is_ordered=truth["kind"] == "ordering")


def _is_listed(wanted: list[str], found: list[str], *, is_ordered: bool = True) -> bool:
    order = list if is_ordered else sorted
    ways = ([words(one, is_named=is_named) for one in found] for is_named in (False, True))
    return any(order(map(words, wanted)) == order(way) for way in ways)


def _is_same(wanted: str, given: str) -> bool:
    return words(wanted) == words(given) or is_same(wanted, given)


def faults(truth: Truth, record: QuestionRecord) -> list[str]:
    """Return what of a question is not as its author says."""
    content = record.content
    wrong = [] if likeness(truth, record) >= _SAME else ["text"]
    kinds = {truth["kind"], record.kind}
    is_kept = truth["draws_numbers"] and record.kind == "opaque"  # as its system wrote it
    said = truth["notes"].lower()
    is_twin = kinds in _TWINS or f"{record.kind} also acceptable" in said or _is_as_good(record.kind, said)
    if len(kinds) == 2 and not is_twin and not is_kept:
        wrong.append("kind")
    if (
        truth["kind"] == "choice"
        and not is_kept
        and record.kind == "choice"
        and not _is_listed(truth["options"], [one.text for one in record.options])
    ):
        wrong.append("options")
    if not _is_right(truth, record):
        wrong.append("right")
    if not _has_points(truth, record):
        wrong.append("points")
    named = " ".join([whole_text(record), *(option.text for option in record.options)]).count("![")
    if max(named, len(content.pictures)) < truth["pictures"]:
        wrong.append("pictures")
    feedback = words(" ".join([record.solution, *vars_of(content.feedback)]))
    if words(truth["feedback"])[:60] not in feedback:
        wrong.append("feedback")
    if truth["solution"] and not record.solution:
        wrong.append("solution")
    if len(content.hints) < truth["hints"]:
        wrong.append("hints")
    filed = ["", *(plain("".join(path)) for path in record.concepts)]
    if plain("".join(category_path(truth["category"]))) not in filed:
        wrong.append("category")
    if truth["draws_numbers"] and record.kind != "opaque":
        wrong.append("drawn")
    return wrong


def _is_as_good(kind: str, notes: str) -> bool:
    return any(kind in found for found in re.findall(r"kind ([\w ]+?) (?:\([^)]*\) )?is as good", notes))


def _points_of(part: QuestionRecord | QuestionPart) -> float:
    return part.content.points or sum(map(_points_of, part.content.parts))


def _has_points(truth: Truth, record: QuestionRecord) -> bool:
    of_parts = sum(map(_points_of, record.content.parts))
    is_default = (record.content.points, truth["points"]) == (None, 1)
    return truth["points"] is None or is_default or truth["points"] in (record.content.points, of_parts)


def vars_of(feedback: Any) -> list[str]:
    """Return the texts of a feedback."""
    return [feedback.general, feedback.right, feedback.partly, feedback.wrong]


def read_files(folder: Path) -> None:
    """Print how many questions are whole, and which are wrong without a warning."""
    files: dict[str, list[Truth]] = defaultdict(list)
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        files[truth["file"]].append(truth)
    outcomes: Counter[str] = Counter()
    for name, expected in files.items():
        entries, refusal = _entries(folder / name)
        left = [(place, record) for place, record in entries if isinstance(record, QuestionRecord)]
        warned = {place for place, entry in entries if isinstance(entry, LineWarning)}
        counted: Counter[str] = Counter()
        for truth in expected:
            nearest = max(left, key=lambda one: likeness(truth, one[1]), default=None)
            if nearest is None or likeness(truth, nearest[1]) < _ALIKE:
                counted["not found"] += 1
                print(f"  not found: {truth['text'][:100]!r} {refusal}")
                continue
            left.remove(nearest)
            wrong = faults(truth, nearest[1])
            outcome = "whole" if not wrong else "warned of" if nearest[0] in warned else "silent"
            counted[outcome] += 1
            if wrong:
                print(f"  {outcome}: {', '.join(wrong)}: {truth['title'] or truth['text'][:60]!r}")
        counted["too many"] += len(left)
        print(f"{name}: {', '.join(f'{count} {outcome}' for outcome, count in counted.items() if count)}")
        outcomes.update(counted)
    for path in sorted(folder.glob("hostile_*")):
        entries, refusal = _entries(path)
        print(f"{path.name}: {refusal or [str(entry)[:150] for _place, entry in entries]}")
    print(f"files: {sum(outcomes.values()) - outcomes['too many']} questions; {dict(outcomes)}")


def _entries(path: Path) -> tuple[list[tuple[int, Any]], str]:
    try:
        return list(read(path)), ""
    except ImportRefused as error:
        return [], f"refused: {error}"
