"""Determine a question's answer from marked options, answer lines, gaps, the list of answers or the working.

Answers that a teacher wrote into the paper have no label; they are in gaps, in brackets, or below the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from analytics.question_content import AcceptedAnswer, Option, QuestionPart
from analytics.text.meaning import same_answer
from questionbank.formats.shapes import answer_label
from questionbank.papers import phrases
from questionbank.papers.answer_keys import KeyEntry
from questionbank.papers.answer_texts import (
    answer_text,
    by_parts,
    chosen_letter,
    concluded,
    concluded_by_numerals,
    is_sure,
    is_working,
)
from questionbank.papers.paper_lines import Doubt
from questionbank.papers.points import BARE_POINTS, IMPOSSIBLE_POINTS, POINTS, POINTS_ALONE
from questionbank.papers.question_drafts import Draft, Item, Part
from questionbank.papers.tasks import truth_of

_LETTERS = re.compile(
    r"[(（\[]?([A-Ka-h](?:\s?(?:[,、/&+;；和]|and|und|et|y)?\s?[A-K])*)[)）\]]?\s*(?:$|[.:：)）;；。](?:\s"
    r"|$).*|\s+(?=[$\d(]).*)",
    re.DOTALL,
)
_NAMED_TRUTH = re.compile(r"[(（][TVWRP][)）]")  # "true (T) or false (F)"
_WORDS = re.compile(r"[-−–]?\d+(?:[.,]\d+)*|(?<!\\)\b[^\W\d_]+")
_SHORT_ANSWER = 40  # characters


@dataclass(slots=True)
class Answered:
    """The answer found for a question.

    Attributes:
        text: the answer, or the labels of the correct options: ``"A, C"``.
        accepted: typed answers with their tolerance.
        parts: answers by the letter of their part.
    """

    text: str = ""
    accepted: tuple[AcceptedAnswer, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)


def answered_by(draft: Draft, options: Sequence[Option], given: str) -> Answered:
    """Return the answer from marks, answer lines, brackets and the list of answers; add a doubt if they differ."""
    found = Answered()
    said = _said_by_marks(draft, options)  # source and answer
    said += _said_below(draft, options, found)
    if given:
        said.append(("what is written into the question", given))
    if draft.key is not None:
        _name_in_full(draft.key, options)
        said += [("the list of answers", text) for text in _said_by_list(draft, draft.key, options, found)]
    resolved = [(where, labels_named(text, options, where, draft.doubts) if options else text) for where, text in said]
    resolved = [(where, text) for where, text in resolved if text]
    if resolved:
        found.text = resolved[0][1]
        for where, text in resolved[1:]:
            if text != found.text and (options or not _agree(text, found.text)):
                sources = {"source": resolved[0][0], "other_source": where}
                draft.doubts.append(Doubt.of("answers_differ", answer=found.text, other=text, **sources))
    return found


def _agree(text: str, other: str) -> bool:
    """Return whether two answers without options agree, or one of them contains the other: "7" and "7 cm"."""
    words, of_other = ({*_WORDS.findall(one.lower())} for one in (text, other))
    says_more = bool(words and of_other) and (words <= of_other or of_other <= words)
    return says_more or same_answer(text, other) == "same"


def _name_in_full(key: KeyEntry, options: Sequence[Option]) -> None:
    """Restore the name of a function or point that was taken for an option's letter: "C(x) = 15x + 200"."""
    if not options and key.raw and re.match(r"[A-K]\(", key.raw[0]) and key.answer == key.raw[0][0]:
        key.answer, key.solution = key.raw[0], key.solution[1:]


def _said_by_marks(draft: Draft, options: Sequence[Option]) -> list[tuple[str, str]]:
    """Return the options marked as right; add a doubt if several are marked and nothing confirms it."""
    right = [option.label for option, item in zip(options, draft.options, strict=True) if item.is_right]
    if not right or len(right) == len(options) > 1:
        return []
    is_settled = any(item.is_settled for item in draft.options if item.is_right)
    wording = draft.stem.text + " ".join(draft.headings)
    if len(right) > 1 and not is_settled and not phrases.SEVERAL_RIGHT.search(wording):
        draft.doubts.append(Doubt.of("several_right", count=len(right), labels=", ".join(right)))
    return [("the options marked as right", ", ".join(right))]


def _said_below(draft: Draft, options: Sequence[Option], found: Answered) -> list[tuple[str, str]]:
    """Return the answers on lines of their own; add those by part and those with a tolerance to `found`."""
    said = []
    for item in draft.answers:
        text = answer_text(item.text)
        listed = by_parts(text)
        if len(listed) == 1 and not draft.parts:  # "b. 9", or "a. 42" of a typed answer by Respondus
            (text,), listed = listed if options else listed.values(), {}
        found.parts |= listed
        if phrases.NUMERIC.fullmatch(text) or phrases.INTERVAL.fullmatch(text):
            found.accepted = (*found.accepted, _accepted(text))
            text = found.accepted[-1].text
        if text and not found.parts:
            said.append(("the answer below the question", text))
    return said


def _said_by_list(draft: Draft, key: KeyEntry, options: Sequence[Option], found: Answered) -> list[str]:
    """Return the answers from the paper's list; add those by part and those with a tolerance to `found`."""
    found.parts = key.parts or found.parts
    said = []
    if options and len(key.parts) == 1 and not key.answer:  # "a) since ..."
        said.append(next(iter(key.parts)))
    if key.parts and not draft.parts and not options and not key.answer:
        said.append("; ".join(f"({label}) {answer}" for label, answer in key.parts.items()))
    if "±" in key.answer and phrases.NUMERIC.fullmatch(f"= {key.answer}"):
        found.accepted = (*found.accepted, _accepted(f"= {key.answer}"))
        said.append(found.accepted[-1].text)
    elif key.answer:
        said.append(key.answer)
    return said


def labels_named(text: str, options: Sequence[Option], where: str, doubts: list[Doubt]) -> str:
    """Return the labels of the options that an answer names by letter or by text."""
    labels = [option.label for option in options]
    named: list[str] = []
    bare = text.strip("()（）[] .")
    text = next((name for name in (bare, bare.upper()) if name in labels), text)
    if text in labels:
        return text
    if len(text) == 1 and text.upper() in "ABCDEFGH"[: len(labels)] and not {*labels} & {*"ABCDEFGH"}:
        return labels["ABCDEFGH".index(text.upper())]  # "B": the second of (i), (ii), (iii)
    if match := _LETTERS.fullmatch(text.strip()):
        named = re.findall(r"[A-K]", match[1].upper().replace("AND", "").replace("UND", "").replace("ET", ""))
    if named and {*named} <= {*labels}:
        return ", ".join(dict.fromkeys(named))
    choices = [{"label": option.label, "text": option.text} for option in options]
    by_text = answer_label(text, choices) or answer_label(re.split("[,;:，；：]", text)[0], choices)
    if not by_text and chosen_letter(text) in labels:
        by_text = chosen_letter(text)
    if not by_text:
        by_text = next((option.label for option in options if same_answer(text, option.text) == "same"), "")
    truth = truth_of(text)
    if not by_text and truth:
        by_text = next((option.label for option in options if truth_of(option.text) == truth), "")
    if by_text:
        return by_text
    if named:
        doubt = Doubt.of("answer_other_options", source=where, answer=", ".join(named), labels=", ".join(labels))
    else:
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        doubt = Doubt.of("answer_no_option", source=where, answer=shown)
    doubts.append(doubt)
    return ""


def _accepted(text: str) -> AcceptedAnswer:
    if interval := phrases.INTERVAL.fullmatch(text):
        low, high = (float(interval[name].replace("−", "-")) for name in ("low", "high"))
        return AcceptedAnswer(f"{(low + high) / 2:g}", tolerance=(high - low) / 2)
    match = phrases.NUMERIC.fullmatch(text)
    value = match["value"].replace("−", "-") if match else text
    if match is None or not match["tolerance"]:
        return AcceptedAnswer(value, tolerance=0.0)
    tolerance = float(match["tolerance"])
    return (
        AcceptedAnswer(value, tolerance=tolerance / 100, tolerance_kind="relative")
        if match["percent"]
        else AcceptedAnswer(value, tolerance=tolerance)
    )


def given_answer(stem: str) -> str:
    """Return the answer written into a gap of the question; empty if there is none."""
    match = phrases.GIVEN_ANSWER.search(stem)
    if match is None or (match["answer"] in "TFVR" and _NAMED_TRUTH.search(stem, 0, match.start())):
        return ""
    return match["answer"]


def with_conclusions(
    answered: Answered, parts: tuple[QuestionPart, ...], options: Sequence[Option], solution: str, doubts: list[Doubt]
) -> tuple[Answered, tuple[QuestionPart, ...], str]:
    """Move working to the solution and take its result as the answer; add a doubt unless the result is certain."""
    found: list[str] = []
    if parts:
        parts, solution = _concluded_parts(parts, solution, found)
    elif options:
        if not answered.text and (letter := chosen_letter(solution)):
            answered = replace(answered, text=labels_named(letter, options, "the solution", doubts))
    elif not answered.text and not answered.accepted and solution:
        if end := concluded(solution):
            found += [end] * (not is_sure(solution))
            answered = replace(answered, text=end)
    elif is_working(answered.text) and (end := concluded(answered.text)) and end != answered.text:
        found += [end] * (not is_sure(answered.text))
        solution = f"{answered.text}\n{solution}".strip()
        answered = replace(answered, text=end)
    if found:
        doubts.append(Doubt.of("answer_of_working", results="; ".join(found)))
    return answered, parts, solution


def _concluded_parts(
    parts: tuple[QuestionPart, ...], solution: str, found: list[str]
) -> tuple[tuple[QuestionPart, ...], str]:
    """Return the parts with the results of their working, and the solution; add uncertain results to `found`."""
    worked = {label: text for label, text in by_parts(solution).items() if text}
    workings = list(worked.values()) if len(worked) == len(parts) else [""] * len(parts)
    settled = []
    for part, text in zip(parts, workings, strict=True):
        working = part.answer or text
        end = concluded_by_numerals(working) if is_working(working) or not part.answer else ""
        if not (part.answer or is_working(working)) and len(working) <= _SHORT_ANSWER:
            end = end or working
        if end and end != part.answer:
            found += [end] * (end != working and not is_sure(working))
            solution = f"{solution}\n{working}".strip() if part.answer else solution
            part = replace(part, answer=end)
        settled.append(part)
    return tuple(settled), solution


# -- answers written into the paper ------------------------------------------------------------------------------------


_LONGEST_BELOW = 40
_FEWEST = 3  # questions
_BRACKETED = re.compile(
    r"(?<=[.?!=:\w%°)])\s*(?:[(\[]\s*(?P<bracketed>[^()\[\]]{1,40}?)\s*[)\]]|[→\t]\s*(?P<answer>\S.{0,40}?)|\*\*(?P<bold>[^*]{1,40})\*\*)\s*$"
)
_FILLED = re.compile(
    r"(?<![\w\\}^])_{1,30}(?:\$\\underline\{|\*\*)?(?P<answer>(?![\u4e00-\u9fff])(?:[^\W_]|[($√−–-])(?:[^_\n\u4e00-\u9fff]{0,30}?[^\s_=])??)"
    r"(?:\}\$|\*\*)?_{1,30}(?!\w)"
)
_UNDERLINED = re.compile(r"(?<!\S)\$\\underline\{(?P<answer>[−–-]?\d[\d.,]*)\}\$(?=\s?[.,;%]|\s)")
_ASKS = re.compile(r"[?？]|underlin|unterstrich|soulign|subraya|划线")


def take_filled(text: str) -> tuple[str, list[str]]:
    r"""Empty the filled-in gaps of a text; return the text and the gaps' contents.

    >>> take_filled("__F__ Each square is a rectangle."), take_filled("One of ____ and ____ is x_1 or x_2.")
    (('____ Each square is a rectangle.', ['F']), ('One of ____ and ____ is x_1 or x_2.', []))
    """
    filled = [match for match in _FILLED.finditer(text) if match[0].count("_") > 2]
    if not filled and not phrases.BLANK.search(text) and not _ASKS.search(text) and not phrases.TASK.match(text):
        filled = [*_UNDERLINED.finditer(text)]
    for match in reversed(filled):
        text = f"{text[: match.start()]}____{text[match.end() :]}"
    return text, [match["answer"] for match in filled]


def take_answers_behind(drafts: Sequence[Draft]) -> None:
    """Move trailing answers out of the questions of a paper that gives no other answers.

    They are in brackets, "Find sin 30°. (0.5)", or on a line of their own below the question.
    """
    if len(drafts) < _FEWEST or any(map(_is_answered, drafts)):
        return
    last = [(draft, item) for draft in drafts for item in draft.parts or draft.options[-1:] or [draft.stem]]
    for draft, item, answer, rest in _in_brackets(last) or _below(last):
        item.texts[-1] = rest
        (item if isinstance(item, Part) else draft).answers.append(Item([], [answer]))


def _is_answered(draft: Draft) -> bool:
    return bool(draft.answers or draft.solutions or draft.key or any(part.answers for part in draft.parts))


def _in_brackets(last: Sequence[tuple[Draft, Item]]) -> list[tuple[Draft, Item, str, str]]:
    """Return the answers in brackets and the text before each; empty if they are few, or points."""
    bracketed = [(draft, item, match) for draft, item in last if (match := _BRACKETED.search(item.texts[-1]))]
    found = [
        (draft, item, match[match.lastgroup or 0], item.texts[-1][: match.start()].rstrip())
        for draft, item, match in bracketed
    ]
    are_points = [
        _are_points(match[0].strip(), inside) for (*_, match), (_, _, inside, _) in zip(bracketed, found, strict=True)
    ]
    is_usual = 3 * len(found) >= 2 * len(last) and 2 * are_points.count(False) > len(found)
    return found if is_usual else []


def _below(last: Sequence[tuple[Draft, Item]]) -> list[tuple[Draft, Item, str, str]]:
    """Return the answers on lines of their own, with empty text before them; empty if only few questions have one."""
    found = [
        (draft, item, item.texts[-1], "") for draft, item in last if len(item.texts) > 1 and _is_answer(item.texts[-2:])
    ]
    return found if 3 * len(found) >= 2 * len(last) else []


def _are_points(written: str, inside: str) -> bool:
    in_square_brackets = written.startswith("[") and BARE_POINTS.fullmatch(written)
    patterns = (POINTS, IMPOSSIBLE_POINTS)
    return bool(
        in_square_brackets or POINTS_ALONE.fullmatch(inside) or any(pattern.fullmatch(written) for pattern in patterns)
    )


def _is_answer(texts: Sequence[str]) -> bool:
    """Return whether the second of two lines looks like the answer to the first."""
    asked, answer = texts
    return (
        asked.rstrip().endswith((".", "?", "!", "=", "。", "？"))
        and len(answer) <= _LONGEST_BELOW
        and not answer.endswith((".", "?", ":", "？", "。"))
        and not answer.startswith(("|", "!["))
        and not phrases.TASK.match(answer)
        and not phrases.BLANK.search(answer)
        and (answer.isdigit() or not POINTS_ALONE.fullmatch(answer))
    )
