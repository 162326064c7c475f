"""From a question's gathered lines to its record: points, options, answer, parts, kind; checked as imports are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analytics.question_content import (
    AcceptedAnswer,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
    content_texts,
)
from analytics.records import QuestionRecord
from questionbank.documents import phrases
from questionbank.documents.conclusions import chosen_letter, concluded, concluded_by_numerals, is_sure, is_working
from questionbank.documents.drafts import Draft, Item, Part
from questionbank.documents.key_rows import row_cells
from questionbank.documents.marks import read_mark, take_mark
from questionbank.documents.matching import pairs_of
from questionbank.documents.paper import FoundQuestion
from questionbank.documents.part_answers import answer_text, lettered_answers, part_answers, rename_by_order
from questionbank.documents.points import take_points
from questionbank.documents.written_answers import take_filled
from questionbank.formats.fields import FieldProblems, read_question
from questionbank.formats.row_checks import record_warnings
from questionbank.formats.shapes import answer_label

_LETTERS = re.compile(
    r"[(（\[]?([A-Ka-h](?:\s?(?:[,、/&+;；和]|and|und|et|y)?\s?[A-K])*)[)）\]]?\s*(?:$|[.:：)）;；。](?:\s"
    r"|$).*|\s+(?=[$\d(]).*)",
    re.DOTALL,
)
_LEADING_GAP = re.compile(r"____\s+(?=\S)")  # where students write the letter
_EMPHASIS = re.compile(r"(?<!\\)\*{1,2}(?=\S)|(?<=\S)(?<!\\)\*{1,2}")  # of a heading, which is a name
_ITALIC = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_NAMED_TRUTH = re.compile(r"[(（][TVWRP][)）]")  # "true (T) or false (F)"
NO_TEXT = "The question has no text."
REFUSED = "The bank cannot take it yet:"
BOTH = "It has lettered parts and options. Say of each lettered line which it is."
_SHORT_ANSWER = 40  # characters
_WRITTEN_TRUTH = frozenset("yes no 是 否 x r".split())


@dataclass(slots=True)
class Answered:
    """What the sources of a question's answer say.

    Attributes:
        text: of the answer, or the labels of the right options, ``"A, C"``.
        accepted: typed answers with their tolerance.
        parts: answers by the letters of parts.
    """

    text: str = ""
    accepted: tuple[AcceptedAnswer, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)


def found_question(draft: Draft) -> FoundQuestion:
    """Return the question that gathered lines make."""
    doubts = draft.doubts
    points = take_points(draft)
    draft.share_answers()
    stem, filled = take_filled(draft.stem.text)
    stem, chosen = phrases.chosen_truth(_gaps(stem))
    given = _given_answer(stem) or chosen or ", ".join(filled)
    if given:
        stem = phrases.GIVEN_ANSWER.sub("（  ）", stem).strip()
    if not draft.options and not draft.parts:
        stem = _take_row_of_options(stem, draft)
    options = _options(draft.options, doubts)
    answered = _answer(draft, draft.options, options, draft.answers, given)
    kind, stem, options, answered = _kind(draft, stem, options, answered)
    labels = [mark.label.lower() for part in draft.parts if (mark := read_mark(part.number))]
    answered = replace(answered, parts=rename_by_order(labels, answered.parts))
    parts = tuple(_part(part, answered, doubts) for part in draft.parts)
    asks_truth = phrases.TRUTH_SECTION.search("\n".join([stem, *draft.headings[-1:]])) is not None
    stem, pairs = pairs_of(stem, answered.text) if not options and not parts else (stem, ())
    if parts:
        kind = "parts"
        total = sum(part.content.points or 0 for part in parts)
        points = points or total or None
    elif pairs:
        kind = "matching"
    solution = _solution(draft)
    is_open_proof = not options and not parts and phrases.PROOF.search(stem) is not None
    if phrases.NO_ANSWER.fullmatch(answered.text) or (is_open_proof and is_working(answered.text)):
        solution = f"{answered.text}\n{solution}".strip()
        answered = replace(answered, text="")
    if not is_open_proof and not phrases.NO_ANSWER.fullmatch(solution):
        is_said = any(item.is_settled for item in draft.answers)
        answered, parts, solution = _with_conclusions(answered, parts, options, solution, [] if is_said else doubts)
    if asks_truth:
        parts, reasons = _decided(parts)
        solution = "\n".join(filter(None, [solution, *reasons]))
    text = "\n\n".join([*(stimulus.text for stimulus in draft.stimuli), stem]).strip()
    if not text and parts:
        text = "Answer each part."
    content = QuestionContent(
        points=points or draft.points_each, accepted=answered.accepted, pairs=pairs, parts=parts
    )
    names = _PICTURE.findall(
        "\n".join([text, solution, *(option.text for option in options), *content_texts(content)])
    )
    content = replace(content, pictures=tuple(map(Picture, dict.fromkeys(names))))
    record = _checked(
        {
            "text": text,
            "kind": kind,
            "options": [{"label": o.label, "text": o.text} for o in options],
            "answer": answered.text,
            "solution": solution,
            "grading": content,
        },
        doubts,
    )
    return FoundQuestion(
        tuple(sorted(draft.lines)),
        draft.number,
        record,
        tuple(_EMPHASIS.sub("", heading) for heading in draft.headings),
        tuple(dict.fromkeys(doubts)),
    )


def _checked(row: dict[str, Any], doubts: list[str]) -> QuestionRecord:
    """Return the record that an import would make of a row; what it would refuse becomes a doubt."""
    try:
        record = read_question(row)
    except FieldProblems as error:
        if not row["text"]:
            doubts.append(f"{NO_TEXT} Say which line asks it, or join it with the question above.")
        else:
            has_both = row["kind"] == "parts" and row["options"]
            doubts.append(BOTH if has_both else f"{REFUSED} {error}.")
        options = tuple(Option(**option) for option in row["options"])
        return QuestionRecord(
            "",
            row["text"],
            kind=row["kind"] or "open",
            options=options,
            answer=row["answer"],
            solution=row["solution"],
            content=row["grading"],
        )
    doubts += [
        f"{reason[:1].upper()}{reason[1:]}." for name, reason in record_warnings(record) if name == "answer"
    ]
    return record


# -- options ------------------------------------------------------------------------------------------------------


def _options(items: Sequence[Item], doubts: list[str]) -> tuple[Option, ...]:
    labels = [_label(item) for item in items]
    by_place = [chr(ord("A") + place) if place < 26 else str(place + 1) for place in range(len(items))]
    known = [label for label in labels if label]
    if known and all(label.isdigit() for label in known) and known[0] != "1":
        labels = by_place  # a list that counts on through the whole document
    elif len(known) < len(labels) or len({*known}) < len(known):
        if known and not any(item.is_settled for item in items):
            shown = ", ".join(label or "?" for label in labels)
            doubts.append(f"The options are numbered {shown}; they are read as {', '.join(by_place)}.")
        labels = by_place
    elif (
        known not in ([], list("FGHJ"), list("FGHJK"))
        and known != by_place[: len(known)]
        and known
        not in (
            [str(place) for place in range(1, len(known) + 1)],
            ["I", "II", "III", "IV", "V"][: len(known)],
        )
    ) and not any(item.is_settled for item in items):
        doubts.append(f"The letters of the options skip: {', '.join(known)}. Is one missing?")
    texts = [_gaps(_option_text(item)) for item in items]
    if any(not text for text in texts):
        empty = ", ".join(label for label, text in zip(labels, texts, strict=True) if not text)
        doubts.append(f"Option {empty} has no text. Join it with the line that has.")
    if len({*texts}) < len(texts):
        doubts.append("Two options have the same text. Correct one of them.")
    if len(items) == 1 and not _is_typed(items):
        doubts.append("It has a single option. Say which lines are the others.")
    return tuple(Option(label, text) for label, text in zip(labels, texts, strict=True))


def _take_row_of_options(stem: str, draft: Draft) -> str:
    """Return a stem without its last line, where that is a row of things to choose from: "Circle one: 3  5  7"."""
    *lines, last = stem.split("\n")
    cells = [cell.strip() for cell in last.split("\t")]
    is_row = 2 < len(cells) < 7 and all(cells) and not phrases.BLANK.search(last)
    if is_row and phrases.CIRCLES_ONE.search("\n".join(lines)):
        draft.options = [
            Item([], [cell], f"{letter}.") for letter, cell in zip("ABCDEF", cells, strict=False)
        ]
        return "\n".join(lines)
    return stem


def _is_typed(items: Sequence[Item]) -> bool:
    """Return whether the single item is an answer that is typed, which text2qti marks by a star: "* Jupiter"."""
    return len(items) == 1 and items[0].number == "*" and items[0].is_right


def _label(item: Item) -> str:
    mark = read_mark(item.number)
    if mark is None or mark.kind in ("box", "bullet"):
        return ""
    return mark.label.upper() if mark.kind in ("upper", "lower", "roman", "Roman") else mark.label


def _option_text(item: Item) -> str:
    text = item.text
    if item.is_right:
        if match := phrases.RIGHT_BEHIND.search(text):
            text = text[: match.start()].removesuffix("**").removesuffix("$\\underline{")
        if match := phrases.RIGHT_BEFORE.match(text):
            text = text[match.end() :]
    return text.rstrip(";； ").strip()


# -- the answer ---------------------------------------------------------------------------------------------------


def _answer(
    draft: Draft, items: Sequence[Item], options: Sequence[Option], answers: Sequence[Item], given: str
) -> Answered:
    """Return what marks, answer lines, brackets and the list of answers say; where they differ, a doubt."""
    found = Answered()
    said: list[tuple[str, str]] = []  # where, and what
    right = [option.label for option, item in zip(options, items, strict=True) if item.is_right]
    if right and not (len(right) == len(options) and len(options) > 1):
        said.append(("the options marked as right", ", ".join(right)))
        is_said = any(item.is_settled for item in items if item.is_right)
        if len(right) > 1 and not is_said and not phrases.SEVERAL_RIGHT.search(draft.stem.text + " ".join(draft.headings)):
            draft.doubts.append(f"{len(right)} options are marked as right: {', '.join(right)}. Are they?")
    for item in answers:
        text = answer_text(item.text)
        listed = part_answers(text)
        if listed and not draft.parts and len(listed) == 1:  # "b. 9", or "a. 42" of a typed answer by Respondus
            (text,), listed = listed if options else listed.values(), {}
        found.parts |= listed
        if phrases.NUMERIC.fullmatch(text) or phrases.INTERVAL.fullmatch(text):
            found.accepted = (*found.accepted, _accepted(text))
            text = found.accepted[-1].text
        if text and not found.parts:
            said.append(("the answer below the question", text))
    if given:
        said.append(("what is written into the question", given))
    if draft.key is not None and items is draft.options:
        found.parts = draft.key.parts or found.parts
        if options and len(draft.key.parts) == 1 and not draft.key.answer:  # "a) since ..."
            said.append(("the list of answers", next(iter(draft.key.parts))))
        if draft.key.parts and not draft.parts and not options and not draft.key.answer:
            by_label = "; ".join(f"({label}) {answer}" for label, answer in draft.key.parts.items())
            said.append(("the list of answers", by_label))
        if "±" in draft.key.answer and phrases.NUMERIC.fullmatch(f"= {draft.key.answer}"):
            found.accepted = (*found.accepted, _accepted(f"= {draft.key.answer}"))
            said.append(("the list of answers", found.accepted[-1].text))
        elif draft.key.answer:
            said.append(("the list of answers", draft.key.answer))
    resolved = [
        (where, _labels(text, options, where, draft.doubts) if options else text) for where, text in said
    ]
    resolved = [(where, text) for where, text in resolved if text]
    if resolved:
        found.text = resolved[0][1]
        for where, text in resolved[1:]:
            if options and text != found.text:
                draft.doubts.append(f"The answer is {found.text} by {resolved[0][0]}, but {text} by {where}. Which is it?")
    return found


def _labels(text: str, options: Sequence[Option], where: str, doubts: list[str]) -> str:
    """Return the labels of the options that an answer names, by letters or by their texts."""
    labels = [option.label for option in options]
    named: list[str] = []
    bare = text.strip("()（）[] .")
    text = next((name for name in (bare, bare.upper()) if name in labels), text)
    if text in labels:
        return text
    if (
        labels == [str(place) for place in range(1, len(labels) + 1)]
        and len(text) == 1
        and text.upper() in "ABCDEFGH"[: len(labels)]
    ):
        return labels["ABCDEFGH".index(text.upper())]
    if match := _LETTERS.fullmatch(text.strip()):
        named = re.findall(r"[A-K]", match[1].upper().replace("AND", "").replace("UND", "").replace("ET", ""))
    elif all(part.strip() in labels for part in text.split(",")):
        named = [part.strip() for part in text.split(",")]
    if named and {*named} <= {*labels}:
        return ", ".join(dict.fromkeys(named))
    choices = [{"label": option.label, "text": option.text} for option in options]
    by_text = answer_label(text, choices) or answer_label(re.split("[,;:，；：]", text)[0], choices)
    if not by_text and chosen_letter(text) in labels:
        by_text = chosen_letter(text)
    truth = phrases.truth_of(text)
    if not by_text and truth:
        by_text = next((option.label for option in options if phrases.truth_of(option.text) == truth), "")
    if by_text:
        return by_text
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    if named:
        doubts.append(
            f"By {where} the answer is {', '.join(named)}, but the options are {', '.join(labels)}."
        )
    else:
        doubts.append(f"By {where} the answer is “{shown}”, which is none of the options.")
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


def _given_answer(stem: str) -> str:
    match = phrases.GIVEN_ANSWER.search(stem)
    if match is None or (match["answer"] in "TFVR" and _NAMED_TRUTH.search(stem, 0, match.start())):
        return ""
    return match["answer"]


def _with_conclusions(
    answered: Answered,
    parts: tuple[QuestionPart, ...],
    options: Sequence[Option],
    solution: str,
    doubts: list[str],
) -> tuple[Answered, tuple[QuestionPart, ...], str]:
    """Return answers that stand at the end of their working, and the working as the solution; each with a doubt."""
    found = []
    if parts:
        worked = {label: text for label, text in _by_parts(solution).items() if text}
        labels = [*worked] if len(worked) == len(parts) else []
        settled = []
        for place, part in enumerate(parts):
            working = part.answer or (worked[labels[place]] if labels else "")
            end = concluded_by_numerals(working) if is_working(working) or not part.answer else ""
            if not (part.answer or is_working(working)) and len(working) <= _SHORT_ANSWER:
                end = end or working
            if end and end != part.answer:
                found += [end] * (end != working and not is_sure(working))
                solution = f"{solution}\n{working}".strip() if part.answer else solution
                part = replace(part, answer=end)
            settled.append(part)
        parts = tuple(settled)
    elif options:
        if not answered.text and (letter := chosen_letter(solution)):
            answered = replace(answered, text=_labels(letter, options, "the solution", doubts))
    elif not answered.text and not answered.accepted and solution:
        if end := concluded(solution):
            found += [end] * (not is_sure(solution))
            answered = replace(answered, text=end)
    elif is_working(answered.text) and (end := concluded(answered.text)) and end != answered.text:
        found += [end] * (not is_sure(answered.text))
        solution = f"{answered.text}\n{solution}".strip()
        answered = replace(answered, text=end)
    if found:
        doubts.append(f"The answer is what the working ends with: {'; '.join(found)}. Is it all of it?")
    return answered, parts, solution


def _by_parts(solution: str) -> dict[str, str]:
    """Return a solution by the labels of parts that its lines, or places in a line, begin with."""
    found: dict[str, str] = {}
    label = ""
    for line in solution.split("\n"):
        several = lettered_answers(line)
        number, rest = take_mark(line)
        mark = read_mark(number)
        if several:
            found |= several
            label = [*several][-1]
        elif mark is not None and mark.kind in ("lower", "roman", "digits"):
            label = mark.label
            found[label] = rest
        elif label:
            found[label] += f"\n{line}"
    return found


# -- kind, parts, pairs, solution ---------------------------------------------------------------------------------


def _kind(
    draft: Draft, stem: str, options: tuple[Option, ...], answered: Answered
) -> tuple[str, str, tuple[Option, ...], Answered]:
    """Return the kind of a question, and its text, options and answer as that kind has them."""
    if options and _is_typed(draft.options):
        text = options[0].text
        return "short", stem, (), replace(answered, text=text, accepted=(AcceptedAnswer(text),))
    truths = [phrases.truth_of(option.text) for option in options]
    if len(options) == 2 and {*truths} == {"True", "False"}:
        answer = next(
            (truth for option, truth in zip(options, truths, strict=True) if option.label == answered.text),
            "",
        )
        return "true_false", stem, (), replace(answered, text=answer)
    if options:
        return "choice", _without_leading_gap(stem), options, answered
    words = _WRITTEN_TRUTH | ({"right", "wrong", "correct"} if "____" in stem else set())  # "a ____ angle"
    truth = "" if answered.text.lower() in words else phrases.truth_of(answered.text)
    statement = phrases.statement_of(stem)
    heading = " ".join(draft.headings[-1:])
    if (
        (statement != stem and statement.strip())
        or (truth and not draft.parts)
        or phrases.TRUTH_SECTION.search(heading)
    ):
        return (
            "true_false",
            _without_leading_gap(statement).strip() or stem,
            (),
            replace(answered, text=truth),
        )
    if answered.accepted:
        return "number", stem, (), answered
    is_gap = phrases.GAP_SECTION.search(heading) and not draft.parts
    return "blanks" if is_gap else "", stem, (), answered


def _without_leading_gap(stem: str) -> str:
    match = _LEADING_GAP.match(stem)
    return stem[match.end() :] if match else stem


def _part(part: Part, answered: Answered, doubts: list[str]) -> QuestionPart:
    options = _options(part.options, doubts)
    mark = read_mark(part.number)
    letter = mark.label.lower() if mark else ""
    texts = [text for text in (answer_text(item.text) for item in part.answers) if text]
    answer = texts[0] if texts else answered.parts.get(letter, "")
    if phrases.NO_ANSWER.fullmatch(answer):
        answer = ""
    right = [option.label for option, item in zip(options, part.options, strict=True) if item.is_right]
    if options:
        answer = ", ".join(right) or (_labels(answer, options, "its answer", doubts) if answer else "")
    text, filled = take_filled(part.text)
    text, chosen = phrases.chosen_truth(_gaps(text))
    answer = answer or ", ".join(filled)
    statement = phrases.statement_of(text)
    truths = {option.label: phrases.truth_of(option.text) for option in options}
    if sorted(truths.values()) == ["False", "True"]:
        return QuestionPart(text, "true_false", (), truths.get(answer, ""), QuestionContent(points=part.points))
    if not options and statement != text:
        truth = chosen or phrases.truth_of(answer)
        return QuestionPart(statement.strip(), "true_false", (), truth, QuestionContent(points=part.points))
    kind = "choice" if options else "blanks" if phrases.BLANK.search(text) else "open"
    return QuestionPart(text, kind, options, answer, QuestionContent(points=part.points))


def _decided(parts: Sequence[QuestionPart]) -> tuple[tuple[QuestionPart, ...], list[str]]:
    """Return statements to decide on, each with true or false alone as its answer, and the reasons that stood behind."""
    decided, reasons = [], []
    for letter, part in zip("abcdefghijklmnopqrstuvwxyz", parts, strict=False):
        truth, reason = phrases.truth_before(part.answer)
        if truth and not part.options:
            part = replace(part, kind="true_false", answer=truth)
            reasons += [f"({letter}) {reason}"] * bool(reason)
        decided.append(part)
    return (*decided, *parts[len(decided) :]), reasons


def _solution(draft: Draft) -> str:
    texts = []
    are_of_parts = len({item.number for item in draft.solutions}) > 1  # one below each part
    for item in draft.solutions:
        match = phrases.SOLUTION.match(item.text)
        text = _ITALIC.sub(r"\1", item.text[match.end() :].strip() if match else item.text)
        mark = read_mark(item.number)
        is_named = text.startswith(item.number)
        texts.append(f"({mark.label}) {text}" if are_of_parts and mark is not None and not is_named else text)
    if draft.key is not None:
        texts += draft.key.solution
    return "\n".join(text for text in texts if text)


def _gaps(text: str) -> str:
    """Return a text with each gap as four underscores."""
    return "\n".join(
        line if row_cells(line) is not None else phrases.BLANK.sub("____", line) for line in text.split("\n")
    )
