"""A language model's reading of a test paper, as one more whole reading beside those of the rules.

The model points to lines by number (`analytics.language_model.papers`); all texts come from the document. The
document also says which options are right, by the same marks as in the rules' reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.language_model.papers import PaperLine
from questionbank.papers.marks import read_mark
from questionbank.papers.numbering import right_options
from questionbank.papers.paper_lines import POINTED, Line, Role
from questionbank.papers.question_assembly import Reading, coherence, gathered

_OF_A_PERSON = re.compile(
    r"\W*(?:(?:full |first |last |sur|family |pupil(?:['’]s)? |student(?:['’]s)? |candidate(?:['’]s)? )?name|student"
    r"|pupil|candidate|schüler(?:in)?|vorname|nachname|nom|prénom|nombre|apellidos?|alumn[oa]|nome|cognome|aluno|naam"
    r"|imię|姓名|学号|座号|考号)"
    r"(?:\s+(?:of|and|de|del|des|der|et|y|e|und|en|the|&)\s+\w+){0,2}\s*[:：_.…].*",
    re.IGNORECASE | re.DOTALL,
)
_NAME_FIELD = "(name field)"  # sent instead of a line in which a pupil may have written a name


def shown_lines(lines: Sequence[Line]) -> list[PaperLine]:
    """Return a paper's lines as a language model may see them, without the names of pupils."""
    return [
        PaperLine(
            _NAME_FIELD if _OF_A_PERSON.fullmatch(line.text) else line.text,
            line.number,
            line.area[0] if line.area else 0,
        )
        for line in lines
    ]


def pointed_reading(lines: Sequence[Line], said: Sequence[str]) -> Reading:
    """Return the reading of a paper in which each line has the role that a model gave it.

    Raises:
        ValueError: the numbers of lines and roles differ.
    """
    roles = [Role(role) for role in said]
    marks = [read_mark(line.number) for line in lines]
    for question, options in _options(roles):
        for place in right_options(lines, marks, question, options):
            roles[place] = Role.RIGHT_OPTION
    return Reading(roles, [POINTED] * len(roles), coherence(lines, roles, gathered(lines, roles)))


def empty_question(lines: Sequence[Line], roles: Sequence[Role]) -> str:
    """Return which question of a reading has no text, as the beginning of a sentence; empty if all have."""
    found = gathered(lines, roles).questions
    places = (place for place, one in enumerate(found, 1) if any(doubt.code == "no_text" for doubt in one.doubts))
    place = next(places, 0)
    return f"question {place} has no text" if place else ""


def _options(roles: Sequence[Role]) -> list[tuple[int, list[int]]]:
    """Return the options of each question or part, with its line."""
    found: list[tuple[int, list[int]]] = []
    owner = -1
    for place, role in enumerate(roles):
        if role in (Role.QUESTION, Role.PART):
            owner = place
        elif role is Role.OPTION and owner >= 0:
            if not found or found[-1][0] != owner:
                found.append((owner, []))
            found[-1][1].append(place)
    return found
