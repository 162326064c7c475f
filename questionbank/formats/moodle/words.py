"""Moodle XML's names and ours for the same things, shared by reading and writing."""

from __future__ import annotations

import re
from collections.abc import Sequence

FORMAT = "moodle-xml"
SETTINGS = {  # element -> (our setting, values equivalent to no setting)
    "shuffleanswers": ("shuffle", frozenset({"true", "1"})),
    "usecase": ("case", frozenset({"0", "false", ""})),
    "answernumbering": ("numbering", frozenset({"abc", ""})),
    "penalty": ("penalty", frozenset({"0.3333333", ""})),
    "hidden": ("hidden", frozenset({"0", ""})),
    "responseformat": ("response_format", frozenset({"editor", ""})),
    "responserequired": ("response_required", frozenset({"1", ""})),
    "responsefieldlines": ("response_lines", frozenset({"15", "10", ""})),
    "attachments": ("files_allowed", frozenset({"0", ""})),
    "attachmentsrequired": ("files_required", frozenset({"0", ""})),
    "showstandardinstruction": ("instruction", frozenset({"0", ""})),
    "shownumcorrect": ("show_number_right", frozenset({"1", ""})),
    "minwordlimit": ("fewest_words", frozenset({"0", ""})),
    "maxwordlimit": ("most_words", frozenset({"0", ""})),
    "maxbytes": ("file_bytes", frozenset({"0", ""})),
    "filetypeslist": ("file_types", frozenset({""})),
    "unitgradingtype": ("unit_grading", frozenset({"0", ""})),
    "unitpenalty": ("unit_penalty", frozenset({"0.1", "0.1000000", ""})),
    "showunits": ("show_units", frozenset({"3", ""})),
    "unitsleft": ("units_left", frozenset({"0", ""})),
}
OF_KIND = {  # kind -> the settings stated in an exported question, with their defaults
    "choice": {"shuffleanswers": "true", "answernumbering": "abc", "showstandardinstruction": "0"},
    "matching": {"shuffleanswers": "true"},
    "short": {"usecase": "0"},
    "open": {
        "responseformat": "editor", "responserequired": "1", "responsefieldlines": "15", "attachments": "0",
        "attachmentsrequired": "0",
    },
}  # fmt: skip
TYPES = {
    "multichoice": "choice",
    "multichoiceset": "choice",  # all the right options, or no points
    "truefalse": "true_false",
    "numerical": "number",
    "shortanswer": "short",
    "matching": "matching",
    "match": "matching",
    "essay": "open",
    "description": "description",
    "cloze": "blanks",
    "multianswer": "blanks",
    "ordering": "ordering",
    "ddwtos": "blanks",
    "gapselect": "blanks",
}
ALL_OR_NOTHING = "multichoiceset"
TYPE_OF_KIND = {
    "choice": "multichoice", "true_false": "truefalse", "number": "numerical", "short": "shortanswer",
    "matching": "matching", "open": "essay", "description": "description", "blanks": "cloze",
    "ordering": "ordering",
}  # fmt: skip
_GRADES = (
    1,
    0.9,
    5 / 6,
    0.8,
    0.75,
    0.7,
    2 / 3,
    0.6,
    0.5,
    0.4,
    1 / 3,
    0.3,
    0.25,
    0.2,
    1 / 6,
    1 / 7,
    1 / 8,
    1 / 9,
    0.1,
    0.05,
)
OUR_TAG = "kindred:"
"""Prefix of a tag for a field that Moodle has no place for, as in ``kindred:grade=7``."""

_CONTEXT = re.compile(r"\s*\$[a-z]+\d*\$\s*/?")


def known_grade(weight: float) -> float:
    """Return the nearest share that Moodle knows; its import stops at any other.

    Moodle's `question_bank::fraction_options_full`. A non-zero weight never becomes 0 or changes its sign.

    >>> known_grade(-0.15) == -1 / 7, known_grade(0.5), known_grade(0.001), known_grade(0.0)
    (True, 0.5, 0.05, 0.0)
    """
    nearest = min(_GRADES, key=lambda grade: abs(grade - abs(weight)))
    return float(nearest if weight > 0 else -nearest if weight < 0 else 0)


def category_path(category: str) -> tuple[str, ...]:
    """Return the concept path of a category; a name that recurs further down gets a number.

    >>> category_path("$course$/top/Sums//differences/Two digits"), category_path("top/A/B/A")
    (('Sums/differences', 'Two digits'), ('A', 'B', 'A (2)'))
    """
    plain = _CONTEXT.sub("", category, count=1).replace("//", "\0")
    names = [" ".join(name.replace("\0", "/").split()) for name in plain.split("/")]
    names = [name.translate({ord(">"): "＞", ord(";"): "；"})[:300] for name in names if name]
    if names[:1] == ["top"]:
        names = names[1:]
    path: list[str] = []
    for name in names[:30]:
        again, candidate = 1, name
        while candidate in path[:-1]:
            again += 1
            candidate = f"{name} ({again})"
        path.append(candidate)
    return tuple(path)


def category_of(path: Sequence[str]) -> str:
    """Return the category of a concept path."""
    return "$course$/top/" + "/".join(name.replace("/", "//") for name in path) if path else "$course$/top"
