"""Build the record of a question from its lines, validated like an import, and the record that the bank stores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from analytics.analysed_text import EACH_PART
from analytics.question_content import AcceptedAnswer, Option, Picture, QuestionContent, QuestionPart, content_texts
from analytics.question_content import Stimulus as SharedText
from analytics.records import ConceptPath, QuestionRecord
from analytics.text.characters import PICTURE
from questionbank.formats.fields import FieldProblems, read_question
from questionbank.formats.jsonl import question_fields
from questionbank.formats.pictures import picture_names
from questionbank.formats.rows import record_warnings
from questionbank.papers import phrases
from questionbank.papers.answer_texts import answer_text, by_parts, in_order, is_working, rename_by_order
from questionbank.papers.marks import read_mark
from questionbank.papers.paper_lines import Doubt, FoundQuestion, row_cells
from questionbank.papers.phrases import counted_from_one
from questionbank.papers.question_answers import (
    Answered,
    answered_by,
    given_answer,
    labels_named,
    take_filled,
    with_conclusions,
)
from questionbank.papers.question_drafts import Draft, Item, Part, take_points
from questionbank.papers.tasks import chosen_truth, pairs_of, statement_of, take_letters, truth_before, truth_of

_LEADING_GAP = re.compile(r"____\s+(?=\S)")  # blank for the student's letter
_EMPHASIS = re.compile(r"(?<!\\)\*{1,2}(?=\S)|(?<=\S)(?<!\\)\*{1,2}")  # in a heading, which becomes a name
_ITALIC = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_WORDS_OF_NAME = 3
REFUSALS = frozenset({"no_text", "refused", "both"})
"""Codes of doubts about questions that the bank refuses."""
_WRITTEN_TRUTH = frozenset("yes no 是 否 x r".split())


def found_question(draft: Draft) -> FoundQuestion:
    """Return the question formed by a draft's lines."""
    doubts = draft.doubts
    points = draft.total = take_points(draft)
    draft.share_answers()
    stem, given = _stem(draft)
    if not draft.options and not draft.parts:
        stem = _take_row_of_options(stem, draft)
    options = _options(draft.options, doubts)
    answered = answered_by(draft, options, given)
    kind, stem, options, answered = _kind(draft, stem, options, answered)
    answered = _by_label(draft, answered)
    parts = tuple(_part(part, answered, doubts) for part in draft.parts)
    asks_truth = phrases.TRUTH_SECTION.search("\n".join([stem, *draft.headings[-1:]])) is not None
    stem, pairs = pairs_of(stem, answered.text) if not options and not parts else (stem, ())
    stem = _orders_to_match(draft, stem, has_pairs=bool(pairs))
    kind = "parts" if parts else "matching" if pairs else kind
    points = points or sum(part.content.points or 0 for part in parts) or draft.points_each
    answered, parts, solution = _solved(draft, stem, options, answered, parts)
    if asks_truth:
        parts, reasons = _decided(parts)
        solution = "\n".join(filter(None, [solution, *reasons]))
    shared = "\n\n".join(stimulus.text for stimulus in draft.stimuli)
    text = "\n\n".join([shared, stem]).strip()
    if not text and parts:
        text = EACH_PART
    content = QuestionContent(
        points=points,
        accepted=answered.accepted,
        pairs=pairs,
        parts=parts,
        stimulus=SharedText(text=shared if stem else ""),
    )
    names = picture_names([text, solution, *(option.text for option in options), *content_texts(content)])
    content = replace(content, pictures=tuple(map(Picture, names)))
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


def _stem(draft: Draft) -> tuple[str, str]:
    """Return a question's own text, and the answer written into it."""
    stem, matched = take_letters(draft.stem.text) if draft.is_matching else (draft.stem.text, "")
    stem, filled = take_filled(stem)
    stem, chosen = chosen_truth(_gaps(stem))
    given = given_answer(stem) or chosen or matched or ", ".join(filled)
    return phrases.GIVEN_ANSWER.sub("（  ）", stem).strip() if given else stem, given


def _by_label(draft: Draft, answered: Answered) -> Answered:
    """Return the answers with parts' answers keyed by their labels; add a doubt if a part does not exist."""
    labels = [mark.label.lower() for part in draft.parts if (mark := read_mark(part.number))]
    parts = rename_by_order(labels, answered.parts or in_order(labels, answered.text))
    if labels and (unnamed := [label for label in parts if label not in labels]):
        draft.doubts.append(Doubt.of("part_missing", labels=", ".join(unnamed)))
    return replace(answered, parts=parts)


def _orders_to_match(draft: Draft, stem: str, *, has_pairs: bool) -> str:
    """Put the instructions of the heading before the rows to match; omit the rows if they became pairs."""
    heading = _EMPHASIS.sub("", "".join(draft.headings[-1:]))
    begins_with_row = row_cells(stem.partition("\n")[0])
    if not (begins_with_row and draft.is_matching and phrases.MATCHING.search(heading)):
        return stem
    orders = [said for said in re.split(r"(?<=[.:])\s+", heading) if len(said.split()) > _WORDS_OF_NAME]
    return "\n".join([" ".join(orders), *([] if has_pairs else [stem])])


def _solved(
    draft: Draft, stem: str, options: tuple[Option, ...], answered: Answered, parts: tuple[QuestionPart, ...]
) -> tuple[Answered, tuple[QuestionPart, ...], str]:
    """Return the answers of a question and its parts, and the solution, which may contain some of them."""
    solution = _solution(draft)
    is_open_proof = not options and not parts and phrases.PROOF.search(stem) is not None
    if phrases.NO_ANSWER.fullmatch(answered.text) or (is_open_proof and is_working(answered.text)):
        solution = f"{answered.text}\n{solution}".strip()
        answered = replace(answered, text="")
    if is_open_proof or phrases.NO_ANSWER.fullmatch(solution):
        return answered, parts, solution
    is_said = any(item.is_settled for item in draft.answers)
    return with_conclusions(answered, parts, options, solution, [] if is_said else draft.doubts)


def _checked(row: dict[str, Any], doubts: list[Doubt]) -> QuestionRecord:
    """Return the record that an import would make of a row; add a doubt if the import would refuse it."""
    try:
        record = read_question(row)
    except FieldProblems as error:
        if not row["text"]:
            doubts.append(Doubt.of("no_text"))
        elif row["kind"] == "parts" and row["options"]:
            doubts.append(Doubt.of("both"))
        else:
            doubts.append(Doubt.of("refused", reason=error))
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
    for name, reason in record_warnings(record):
        if name == "answer":
            doubts.append(Doubt.of("answer_odd", reason=f"{reason[:1].upper()}{reason[1:]}"))
    return record


# -- options -----------------------------------------------------------------------------------------------------


def _options(items: Sequence[Item], doubts: list[Doubt]) -> tuple[Option, ...]:
    labels = _labels(items, doubts)
    texts = [_gaps(_option_text(item)) for item in items]
    if empty := [label for label, text in zip(labels, texts, strict=True) if not text]:
        doubts.append(Doubt.of("option_empty", labels=", ".join(empty)))
    if len({*texts}) < len(texts):
        doubts.append(Doubt.of("options_same"))
    if len(items) == 1 and not _is_typed(items):
        doubts.append(Doubt.of("option_single"))
    return tuple(Option(label, text) for label, text in zip(labels, texts, strict=True))


def _labels(items: Sequence[Item], doubts: list[Doubt]) -> list[str]:
    """Return the options' labels: as printed, or by position if printed labels do not distinguish the options."""
    labels = [_label(item) for item in items]
    by_place = [chr(ord("A") + place) if place < 26 else str(place + 1) for place in range(len(items))]
    known = [label for label in labels if label]
    is_settled = any(item.is_settled for item in items)
    if known and all(label.isdigit() for label in known) and known[0] != "1":
        return by_place  # a list numbered through the whole document
    if len(known) < len(labels) or len({*known}) < len(known):
        if known and not is_settled:
            shown = ", ".join(label or "?" for label in labels)
            doubts.append(Doubt.of("options_renamed", printed=shown, labels=", ".join(by_place)))
        return by_place
    by_number = [str(place) for place in range(1, len(known) + 1)]
    by_numeral = ["I", "II", "III", "IV", "V"][: len(known)]
    usual = (by_place, by_number, by_numeral, list("FGHJ"), list("FGHJK"))
    if known not in usual and not is_settled:
        doubts.append(Doubt.of("option_lost", labels=", ".join(known)))
    return labels


def _take_row_of_options(stem: str, draft: Draft) -> str:
    """Turn the last line of a stem into options if it is a row of choices: "Circle one: 3  5  7"; return the rest."""
    *lines, last = stem.split("\n")
    cells = [cell.strip() for cell in last.split("\t")]
    is_row = 2 < len(cells) < 7 and all(cells) and not phrases.BLANK.search(last)
    if is_row and phrases.CIRCLES_ONE.search("\n".join(lines)):
        draft.options = [Item([], [cell], f"{letter}.") for letter, cell in zip("ABCDEF", cells, strict=False)]
        return "\n".join(lines)
    return stem


def _is_typed(items: Sequence[Item]) -> bool:
    """Return whether the only item is a typed answer, which text2qti marks with a star: "* Jupiter"."""
    return len(items) == 1 and items[0].number == "*" and items[0].is_right


def _label(item: Item) -> str:
    mark = read_mark(item.number)
    if mark.kind in ("", "box", "bullet"):
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


# -- kind, parts, pairs, solution --------------------------------------------------------------------------------


def _kind(
    draft: Draft, stem: str, options: tuple[Option, ...], answered: Answered
) -> tuple[str, str, tuple[Option, ...], Answered]:
    """Return a question's kind, and its text, options and answer as that kind requires."""
    if options and _is_typed(draft.options):
        text = options[0].text
        return "short", stem, (), replace(answered, text=text, accepted=(AcceptedAnswer(text),))
    truths = [truth_of(option.text) for option in options]
    if len(options) == 2 and {*truths} == {"True", "False"}:
        answer = next(
            (truth for option, truth in zip(options, truths, strict=True) if option.label == answered.text), ""
        )
        return "true_false", stem, (), replace(answered, text=answer)
    if options:
        return "choice", _without_leading_gap(stem), options, answered
    words = _WRITTEN_TRUTH | ({"right", "wrong", "correct"} if "____" in stem else set())  # "a ____ angle"
    truth = "" if answered.text.lower() in words else truth_of(answered.text)
    statement = statement_of(stem)
    heading = " ".join(draft.headings[-1:])
    if (
        (statement != stem and statement.strip())
        or (truth and not draft.parts)
        or (phrases.TRUTH_SECTION.search(heading) and not draft.is_matching and not answered.text)
    ):
        return ("true_false", _without_leading_gap(statement).strip() or stem, (), replace(answered, text=truth))
    if answered.accepted:
        return "number", stem, (), answered
    is_gap = phrases.GAP_SECTION.search(heading) and not draft.parts
    return "blanks" if is_gap else "", stem, (), answered


def _without_leading_gap(stem: str) -> str:
    match = _LEADING_GAP.match(stem)
    return stem[match.end() :] if match else stem


def _part(part: Part, answered: Answered, doubts: list[Doubt]) -> QuestionPart:
    options = _options(part.options, doubts)
    mark = read_mark(part.number)
    letter = mark.label.lower()
    texts = [text for text in (answer_text(item.text) for item in part.answers) if text]
    answer = by_parts(texts[0]).get(letter, texts[0]) if texts else answered.parts.get(letter, "")
    if phrases.NO_ANSWER.fullmatch(answer):
        answer = ""
    right = [option.label for option, item in zip(options, part.options, strict=True) if item.is_right]
    if options:
        answer = ", ".join(right) or (labels_named(answer, options, "its answer", doubts) if answer else "")
    text, filled = take_filled(part.text)
    text, chosen = chosen_truth(_gaps(text))
    answer = answer or ", ".join(filled)
    statement = statement_of(text)
    truths = {option.label: truth_of(option.text) for option in options}
    if sorted(truths.values()) == ["False", "True"]:
        return QuestionPart(text, "true_false", (), truths.get(answer, ""), QuestionContent(points=part.points))
    if not options and statement != text:
        truth = chosen or truth_of(answer)
        return QuestionPart(statement.strip(), "true_false", (), truth, QuestionContent(points=part.points))
    kind = "choice" if options else "blanks" if phrases.BLANK.search(text) else "open"
    return QuestionPart(text, kind, options, answer, QuestionContent(points=part.points))


def _decided(parts: Sequence[QuestionPart]) -> tuple[tuple[QuestionPart, ...], list[str]]:
    """Return true-or-false statements with only "true" or "false" as their answers, and the reasons."""
    decided, reasons = [], []
    for letter, part in zip("abcdefghijklmnopqrstuvwxyz", parts, strict=False):
        truth, reason = truth_before(part.answer)
        if truth and not part.options:
            part = replace(part, kind="true_false", answer=truth)
            reasons += [f"({letter}) {reason}"] * bool(reason)
        decided.append(part)
    return (*decided, *parts[len(decided) :]), reasons


def _solution(draft: Draft) -> str:
    texts = []
    are_of_parts = len({item.number for item in draft.solutions}) > 1  # one solution below each part
    for item in draft.solutions:
        match = phrases.SOLUTION.match(item.text)
        text = _ITALIC.sub(r"\1", item.text[match.end() :].strip() if match else item.text)
        mark = read_mark(item.number)
        is_named = text.startswith(item.number)
        texts.append(f"({mark.label}) {text}" if are_of_parts and mark and not is_named else text)
    if draft.key is not None:
        texts += draft.key.solution
    return "\n".join(text for text in texts if text)


def _gaps(text: str) -> str:
    """Return a text with every gap written as four underscores."""
    return "\n".join(
        line if row_cells(line) is not None else phrases.BLANK.sub("____", line) for line in text.split("\n")
    )


# -- the record in the bank --------------------------------------------------------------------------------------------


def bank_record(
    record: QuestionRecord, pictures: Mapping[str, str], concepts: tuple[ConceptPath, ...] = ()
) -> QuestionRecord:
    """Return a question as the bank stores it.

    Args:
        pictures: SHA-256 by name; a picture without one is known to be missing.

    Raises:
        FieldProblems: If the bank cannot accept the question.
    """
    named = picture_names(_texts(record))
    names = {name: _name_by_content(name, pictures.get(name, "")) for name in named}
    content = record.content
    if named:
        widths = {picture.name: picture.width for picture in content.pictures}
        found = {names[name]: Picture(names[name], pictures.get(name, ""), widths.get(name, 0.0)) for name in named}
        content = replace(content, pictures=tuple(found.values()))
    fields = question_fields(_counted_from_one(replace(record, content=content, concepts=concepts)))
    return read_question(_renamed(fields, names) if names else fields)


def _counted_from_one(record: QuestionRecord) -> QuestionRecord:
    """Remove the paper's question numbers from a question's shared text: each worksheet inserts its own."""
    shared = record.content.stimulus.text
    if not shared or not record.text.startswith(shared):
        return record
    own = "\n\n".join(map(counted_from_one, shared.split("\n\n")))
    stimulus = replace(record.content.stimulus, text=own)
    content = replace(record.content, stimulus=stimulus)
    return replace(record, text=own + record.text[len(shared) :], content=content)


def _name_by_content(name: str, sha256: str) -> str:
    """Return a picture's name in the bank, from its hash: programs renumber the pictures in every file they write."""
    return f"{sha256[:12]}{PurePath(name).suffix}" if sha256 else name


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a question's fields with the pictures renamed in their texts."""
    if isinstance(value, str):
        return PICTURE.sub(lambda match: f"![{match['alt']}]({names.get(match['name'].strip(), match['name'])})", value)
    if isinstance(value, Mapping):
        return {key: _renamed(each, names) for key, each in value.items()}
    return [_renamed(each, names) for each in value] if isinstance(value, list | tuple) else value


def _texts(record: QuestionRecord) -> Iterator[str]:
    yield from (record.text, *(option.text for option in record.options), record.answer, record.solution)
    yield from content_texts(record.content)
