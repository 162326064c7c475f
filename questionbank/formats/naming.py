"""The names of sets and of questions, where nobody gives one."""

from __future__ import annotations

import re
from pathlib import PurePath

from questionbank.formats.limits import SET_LIMIT

_SPLITS = frozenset(
    {"all", "cv", "dev", "test", "testmini", "train", "train_part", "val", "valid", "validation"}
)

# Public sets whose folder holds files with names of their own.
_SETS_BY_FOLDER = frozenset({"conceptmath", "eedi", "mawps_parts", "paraqd"})
_SUFFIXES = re.compile(
    r"(\.(jsonl|ndjson|json|csv|tsv|txt|xml|gift|xlsx|xlsm|ods|zip|imscc|qti|pg|rmd|rnw|h5p|tex|ltx|tar|tgz|gz))+$",
    re.IGNORECASE,
)


def set_name(path: PurePath) -> str:
    """Return the set's name: the folder's where files are named after splits, else the file's.

    >>> set_name(PurePath("data/math/train.jsonl.gz")), set_name(PurePath("data/Grade 7.csv"))
    ('math', 'Grade 7')
    """
    stem = _SUFFIXES.sub("", path.name) or path.name
    folder = path.parent.name
    if folder and (folder in _SETS_BY_FOLDER or stem.lower() in _SPLITS):
        stem = folder
    return stem[:SET_LIMIT]


def default_title(text: str) -> str:
    """Return the title of a question that has none: learning platforms want one."""
    return " ".join(text.split())[:60].strip() or "Question"
