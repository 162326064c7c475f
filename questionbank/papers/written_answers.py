"""Answers that a teacher wrote into the paper: recognised by colour or weight, without a label."""

from __future__ import annotations

import re
from collections.abc import Sequence

from questionbank.papers import phrases, point_phrases, truth_phrases
from questionbank.papers.drafts import Draft, Item, Part
from questionbank.papers.keys import full_text
from questionbank.papers.marks import GAP, Mark, read_mark, take_mark
from questionbank.papers.paper import Line
from questionbank.papers.paragraphs import COLOURED, Rich

_ASKED = (".", "?", "!", ":", "=", ")", "]", "_", "。", "？", "：", "．", "）")
_SHORT = 80
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


def written_behind(rich: Rich, start: int) -> list[int]:
    """Return where a coloured answer begins after the question that starts at `start`; empty if there is none."""
    end = len(rich.text)
    while end > start and (rich.looks[end - 1] & COLOURED or rich.text[end - 1].isspace()):
        end -= 1
    asked, written = rich.text[start:end].strip(" " + GAP), rich.text[end:].strip(" " + GAP)
    if not written or not take_mark(asked)[1] or not asked.endswith(_ASKED):
        return []
    is_mark = read_mark(take_mark(written)[0])
    return [end] if is_mark is None or is_mark.kind == "digits" else []


def may_be_written(line: Line, mark: Mark | None, *, ends_part: bool) -> bool:
    """Return whether a line below a question looks like its answer.

    Args:
        ends_part: whether it is below a part, where plain words are a title rather than an answer.
    """
    text = f"{line.number} {line.text}".strip()
    if not line.is_marked or len(text) > _SHORT or (mark is not None and (mark.series != "digits-" or line.text)):
        return False
    asks = re.search(r"!\[|[?？:：]$", text) or (phrases.TASK.match(text) and mark is None)
    are_points = point_phrases.POINTS.fullmatch(text) or (
        point_phrases.POINTS_ALONE.fullmatch(text) and not text.isdigit()
    )
    if asks or are_points or re.fullmatch(r"(?i:or|oder|ou|o)|.*\t.*", text):
        return False  # "or" separates alternative questions, a tab separates options in a row
    is_value = "$" in text or any(sign.isdigit() for sign in text)
    is_title = (text[:1].isupper() or ends_part) and not truth_phrases.truth_of(text)
    return line.is_joined or is_value or not is_title


def is_short_value(line: Line, mark: Mark | None) -> bool:
    """Return whether a line is a short value: the answer below "Answer:"."""
    text = full_text(line)
    return (
        (mark is None or text.isdigit())
        and len(text) <= _LONGEST_BELOW
        and ("$" in text or any(sign.isdigit() for sign in text))
    )


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
    in_square_brackets = written.startswith("[") and point_phrases.BARE_POINTS.fullmatch(written)
    patterns = (point_phrases.POINTS, point_phrases.IMPOSSIBLE_POINTS)
    return bool(
        in_square_brackets
        or point_phrases.POINTS_ALONE.fullmatch(inside)
        or any(pattern.fullmatch(written) for pattern in patterns)
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
        and (answer.isdigit() or not point_phrases.POINTS_ALONE.fullmatch(answer))
    )
