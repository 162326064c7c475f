"""Limits on the contents of files, so that no file can exhaust memory, disk or index; and default names within them."""

from __future__ import annotations

import re
from pathlib import PurePath

from analytics.text.formulas import segment_text

LINES_LIMIT = 50_000_000  # including blank lines: an empty one costs a byte to send and a step to read
BLANK_LINES_LIMIT = 100_000  # consecutive; a sheet saved with all its empty rows has long gaps between filled ones
COLUMNS_LIMIT = 1_000
ANSWER_LIMIT = 10_000  # characters, here and below
OPTION_TEXT_LIMIT = 10_000
CONTENT_LIMIT = 500_000
EQUATION_LIMIT = 5_000
ID_LIMIT = 200
SET_LIMIT = 120
LANGUAGE_LIMIT = 12
GRADE_LIMIT = 40
STAGE_LIMIT = 80
LABEL_LIMIT = 20
CONCEPT_NAME_LIMIT = 300
HEADING_LIMIT = 200  # of a section

OPTIONS_LIMIT = 26  # items, here and below
CONCEPTS_LIMIT = 50
CONCEPT_DEPTH_LIMIT = 30
NUMBERS_LIMIT = 1_000
POINTS_LIMIT = 10_000
RESPONSES_LIMIT = 2_147_483_647  # of the database column


_SPLITS = frozenset({"all", "cv", "dev", "test", "testmini", "train", "train_part", "val", "valid", "validation"})

# Public data sets whose folder contains individually named files.
_SETS_BY_FOLDER = frozenset({"conceptmath", "eedi", "mawps_parts", "paraqd"})
_TITLE_LENGTH, _LOOKED_AT = 60, 2_000  # characters
_SUFFIXES = re.compile(
    r"(\.(jsonl|ndjson|json|csv|tsv|txt|xml|gift|xlsx|xlsm|ods|zip|imscc|qti|tex|ltx|tar|tgz|gz))+$", re.IGNORECASE
)


def set_name(path: PurePath) -> str:
    """Return the name of a data set: the folder's if the file is named after a split, else the file's.

    >>> set_name(PurePath("data/math/train.jsonl.gz")), set_name(PurePath("data/Grade 7.csv"))
    ('math', 'Grade 7')
    """
    stem = _SUFFIXES.sub("", path.name) or path.name
    folder = path.parent.name
    if folder and (folder in _SETS_BY_FOLDER or stem.lower() in _SPLITS):
        stem = folder
    return stem[:SET_LIMIT]


def default_title(text: str) -> str:
    """Return a title for an untitled question, as learning platforms require one; never cut within a formula.

    >>> default_title("Solve $x + 1 = 2$.")
    'Solve $x + 1 = 2$.'
    >>> default_title("Find the largest whole number for which this holds: $x^2 < 17 + x$.")
    'Find the largest whole number for which this holds:'
    """
    plain = " ".join(text.split())
    if len(plain) <= _TITLE_LENGTH:
        return plain or "Question"
    cut = plain[:_TITLE_LENGTH]
    if plain[_TITLE_LENGTH] != " ":
        cut = cut.rpartition(" ")[0] or cut
    for segment in segment_text(plain[:_LOOKED_AT]):
        if segment.kind != "text" and segment.start < len(cut) < segment.end:
            cut = plain[: segment.start]
    return cut.strip() or "Question"
