"""Moodle's report of statistics: figures of a quiz's questions, without the responses that they come from."""

from __future__ import annotations

import re

from questionbank.responses.figures import FEWEST_PUPILS
from questionbank.responses.response_table import PublishedFigures, ResponseTable
from questionbank.responses.table_cells import FACILITY_NAMES, CellTable, QuestionReference, Role, role_of

KIND = "Moodle’s report of statistics"
# As Moodle's language packs call them in English, German, Spanish and French, in older releases too.
_NAMES = {
    "facility_sd": "standard deviation | standardabweichung | desviación estándar | écart type",
    "guess": "random guess score | zufällig angenommene punktezahl | calificación aleatoria estimada"
    " | score de réponses au hasard",
    "intended_weight": "intended weight | beabsichtigte gewichtung | peso estimado | peso deseado"
    " | pondération désirée",
    "effective_weight": "effective weight | effektive gewichtung | peso efectivo | coefficient effectif",
    "discrimination": "discrimination index | trennschärfeindex | índice de discriminación | indice de discrimination",
    "efficiency": "discriminative efficiency | trennschärfe-effizienz | unterscheidungs-effizienz"
    " | eficiencia discriminativa | efficience discriminatoire",
}
_FIGURES = {name: figure for figure, names in _NAMES.items() for name in names.split(" | ")}
_FIGURES |= dict.fromkeys(FACILITY_NAMES, "facility")
_ATTEMPTS = frozenset(("attempts", "versuche", "intentos", "tentatives"))
_NUMBERS = frozenset(("q#", "f#", "no q"))
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*)?")  # of a question and its variant; a question drawn at random has none
_SHARE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(%?)")


def read_published(cells: CellTable) -> ResponseTable:
    """Return the figures of the report; its questions are named by number and name.

    In a full report the tables of responses follow without a blank line; they are not read.
    """
    table = ResponseTable(KIND, problems=cells.problems, notes=cells.notes)
    names = [name.casefold() for name in cells.header]
    columns = {_FIGURES[name]: place for place, name in enumerate(names) if name in _FIGURES}
    attempts = next((place for place, name in enumerate(names) if name in _ATTEMPTS), None)
    name_place = [role_of(name) for name in cells.header].index(Role.QUESTION)
    for line, row in cells.rows:
        texts = [*row, *[""] * (len(names) - len(row))]
        if names[0] in _NUMBERS and not _NUMBER.fullmatch(texts[0].strip()):
            table.notes.append(f"Another table begins in line {line}; the file is not read from there on.")
            break
        try:
            figures = {name: _share(texts[place]) for name, place in columns.items() if _is_stated(texts[place])}
            people = _people(texts[attempts]) if attempts is not None else None
        except ValueError as error:
            table.refuse(line, f"{texts[name_place] or 'the row'}: {error}")
            continue
        if not texts[name_place] or "facility" not in figures:
            table.refuse(line, "the row names no question" if not texts[name_place] else "the row states no facility")
            continue
        name, number = texts[name_place], texts[0].strip()
        position = int(number) if number.isdigit() else None
        table.questions.append(QuestionReference(name, id=name, position=position, text=name))
        table.published.append(PublishedFigures(line, len(table.questions) - 1, people, figures))
    if any(published.people is None for published in table.published):
        table.notes.append("The report states no number of attempts, so its figures are shown but not counted.")
    return table


def _is_stated(text: str) -> bool:
    return text.strip().casefold() not in ("", "-", "–", "n/a")


def _share(text: str) -> float:
    """Return a per cent as a share.

    >>> _share("66.67%"), _share("0,5")
    (0.6667, 0.5)

    Raises:
        ValueError: it is neither.
    """
    match = _SHARE.fullmatch(text.strip())
    value = float(match[1].replace(",", ".")) if match else float("nan")
    share = round(value / 100, 9) if match and match[2] else value
    if not -1 <= share <= 1:
        raise ValueError(f"“{text[:20]}” is not a share; write 0.5 or 50%")
    return share


def _people(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdigit():
        raise ValueError(f"“{text[:20]}” is not a number of attempts")
    if int(text) < FEWEST_PUPILS:
        raise ValueError("figures of fewer than five attempts are not shown")
    return int(text)
