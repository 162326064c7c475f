"""How many questions of a paper are found whole, and of the others, how many are said to be doubtful."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from analytics.text.formulas import segment_text
from questionbank.papers.paper_lines import FoundQuestion, Paper
from tests.questionbank.papers.papers import Truth


@dataclass(frozen=True, slots=True)
class Agreement:
    """What of a paper was found.

    Attributes:
        whole: questions found as they are; wrong: what else was found or missed, a sentence each.
        doubted: how many of the wrong ones carry a doubt, or lie beside one that says so.
        needless: whole questions with a doubt.
    """

    whole: int
    wrong: tuple[str, ...]
    doubted: int
    needless: int


def plain(text: str) -> str:
    """Return a text without what does not matter: blanks, braces, widths of signs."""
    text = unicodedata.normalize("NFKC", text).replace("\\left", "").replace("\\right", "").replace("$$", "$")
    return re.sub(r"[\s{}*]|\\[,;: ]|!\[[^\]]*\]\([^)]*\)", "", text)


def words(text: str) -> str:
    """Return the words of a text outside of formulas, and how many formulas it has: pandoc writes formulas anew."""
    prose = "".join(segment.source if segment.kind == "text" else " formula " for segment in segment_text(text))
    return "".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", prose)))


def fault(found: FoundQuestion, truth: Truth, plain: Callable[[str], str] = plain) -> str:
    """Return what is not as it should be, or nothing."""
    record = found.record
    pairs: list[tuple[str, str, str]] = [
        ("text", record.text, truth.text),
        ("solution", record.solution, truth.solution),
    ]
    pairs += [("options", "|".join(option.text for option in record.options), "|".join(truth.options))]
    parts = [(part.text, part.answer) for part in record.content.parts]
    pairs += [
        (
            "parts",
            str([(plain(text), plain(answer)) for text, answer in parts]),
            str([(plain(text), plain(answer)) for text, answer in truth.parts]),
        )
    ]
    if not truth.parts:
        pairs.append(("answer", record.answer, truth.answer))
    for name, value, wanted in pairs:
        if plain(value) != plain(wanted):
            return f"{name}: {value!r}, not {wanted!r}"
    if truth.points is not None and record.content.points != truth.points:
        return f"points: {record.content.points}, not {truth.points}"
    if truth.kind and record.kind != truth.kind:
        return f"kind: {record.kind}, not {truth.kind}"
    pictures = len(record.content.pictures)
    return f"pictures: {pictures}, not {truth.pictures}" if pictures != truth.pictures else ""


def agreement(paper: Paper, truths: Sequence[Truth], plain: Callable[[str], str] = plain) -> Agreement:
    """Compare the questions of a paper with the truth, in their order, matched by the likeness of their texts.

    Args:
        plain: what of a text counts.
    """
    matched = _matched(paper.questions, truths, plain)
    wrong: list[str] = []
    whole = doubted = needless = 0
    for place, (found, truth) in enumerate(matched, start=1):
        reason = (
            fault(found, truth, plain)
            if found is not None and truth is not None
            else "missed"
            if found is None
            else "no question"
        )
        if not reason:
            whole += 1
            needless += bool(found and found.doubts)
            continue
        wrong.append(f"{place}: {reason}")
        beside = [other for other, _ in matched[max(0, place - 2) : place + 1] if other is not None]
        doubted += bool(found.doubts) if found is not None else any(other.doubts for other in beside)
    return Agreement(whole, tuple(wrong), doubted, needless)


def _matched(
    questions: Iterable[FoundQuestion], truths: Sequence[Truth], plain: Callable[[str], str]
) -> list[tuple[FoundQuestion | None, Truth | None]]:
    rest = list(questions)
    matched: list[tuple[FoundQuestion | None, Truth | None]] = []
    for truth in truths:
        key = plain(truth.text)[-12:]
        place = next((place for place, found in enumerate(rest) if key and key in plain(found.record.text)), None)
        if place is None and rest and len(rest) >= len(truths) - len(matched):
            place = 0
        if place is None:
            matched.append((None, truth))
            continue
        matched += [(extra, None) for extra in rest[:place]]
        matched.append((rest[place], truth))
        rest = rest[place + 1 :]
    return [*matched, *((extra, None) for extra in rest)]
