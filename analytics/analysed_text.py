"""The text of a question that is searched, embedded, compared, predicted from and learned from (decision 130).

A question is more than its stem: it also has text shared with other questions, parts, items to match, and
descriptions of its pictures. Everything that analyses a question reads `analysed_text`, which never includes
answers or solutions. For a question without any of these, it equals the question's text character for
character, so vectors and models made from that text stay valid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from analytics.question_content import EMPTY, Option, QuestionContent, content_of, option_text
from analytics.records import QuestionRecord
from analytics.text.characters import PICTURE
from analytics.text.question_tasks import EMPTY_WORDS, ONLY_IN_PHRASES
from analytics.text.tokens import search_tokens

EACH_PART = "Answer each part."
"""The stem that an import gives to a question with parts if the source has none."""
UNTITLED = "[Untitled question]"
"""The text that an import gives to a question if the source has none."""

_INVENTED = frozenset({EACH_PART, UNTITLED})
_READ = frozenset({"parts", "pairs", "blanks", "stimulus"})  # what the analysed text depends on
_HAS_MATHEMATICS = re.compile(r"[\d$\\=<>]")
_FEW_WORDS, _SHORT = 5, 12  # words of a stem
_SAYS_SOMETHING = 3  # content words from which a short stem is clear by itself

Options = Sequence[Option | Mapping[str, Any]]


def analysed_text(text: str, options: Options = (), content: QuestionContent = EMPTY) -> str:
    r"""Return everything that a question shows to students except its answer.

    Args:
        text: the question's own text; placeholders that an import inserted (`EACH_PART`) are left out.
        options: included only if the text alone does not make clear what is asked.
        content: its parts, pairs, drop-downs and shared text.

    >>> from analytics.question_content import QuestionPart
    >>> analysed_text(EACH_PART, content=QuestionContent(parts=(QuestionPart("Expand $2(x+1)$"), QuestionPart("Add"))))
    'Expand $2(x+1)$\nAdd'
    >>> analysed_text("Which is prime?", [Option("A", "9"), Option("B", "11")])
    'Which is prime?\n11\n9'
    >>> analysed_text("What is 3 + 4?", [Option("A", "7"), Option("B", "8")])
    'What is 3 + 4?'
    """
    return "\n".join(filter(None, (stem_text(text, options, content), *part_texts(content)))) or text


def part_texts(content: QuestionContent) -> list[str]:
    """Return the analysed text of each part; a part is itself a question."""
    return [analysed_text(part.text, part.options, part.content) for part in content.parts]


def stem_text(text: str, options: Options = (), content: QuestionContent = EMPTY) -> str:
    """Return the analysed text without its parts; empty if an import invented the stem."""
    stem = "" if is_invented(text) else text
    shared = content.stimulus.text
    if shared and shared not in stem:
        stem = f"{shared}\n\n{stem}".strip()
    if "](" in stem:
        stem = _with_descriptions(stem)
    pieces = [stem]
    if content.pairs:
        pieces += [pair.left for pair in content.pairs if pair.left]
        pieces += sorted({pair.right for pair in content.pairs})  # sorted, to hide which belongs to which
    if options and not content.parts and _asks_nothing_alone(stem):
        pieces += sorted(map(option_text, options))  # sorted, because ordering items are stored in order
    if content.blanks and _asks_nothing_alone(stem):
        pieces += [option.text for blank in content.blanks for option in blank.options]
    return pieces[0] if len(pieces) == 1 else "\n".join(filter(None, pieces))


def record_text(record: QuestionRecord) -> str:
    """Return the analysed text of a question record."""
    return analysed_text(record.text, record.options, record.content)


def stored_text(text: str, options: Options, content: Mapping[str, Any]) -> str:
    """Return the analysed text of a question whose content is JSON, as stored in a database row or a file."""
    return analysed_text(text, options, stored_content(content))


def stored_content(content: Mapping[str, Any]) -> QuestionContent:
    """Return the fields of a stored content that the analysed text depends on; most questions have none."""
    return content_of({name: content[name] for name in content.keys() & _READ})


def line_text(line: Mapping[str, Any]) -> str:
    """Return the analysed text of a question from a JSON object with ``text``, ``options`` and ``grading``.

    Raises:
        ValueError: its ``grading`` is not a valid content.
    """
    options = line.get("options")
    known = [option for option in options if isinstance(option, dict)] if isinstance(options, list) else []
    return analysed_text(line["text"], known, content_of(line.get("grading") or {}))


def is_invented(text: str) -> bool:
    """Return whether an import inserted the text because its source has none."""
    return text.strip() in _INVENTED


def _with_descriptions(text: str) -> str:
    """Return a text with each picture replaced by its description."""
    return PICTURE.sub(lambda match: match["alt"], text).strip() or text


def _asks_nothing_alone(stem: str) -> bool:
    """Return whether a stem needs its options to make sense, as in "Which of these is true?"."""
    if _HAS_MATHEMATICS.search(stem):
        return False
    words = [word for word in search_tokens(stem) if len(word) > 1]
    if len(words) <= _FEW_WORDS:
        return True
    things = {word for word in words if len(word) > (2 if word.isascii() else 1)}
    return len(words) <= _SHORT and len(things - EMPTY_WORDS - ONLY_IN_PHRASES) < _SAYS_SOMETHING
