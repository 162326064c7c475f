"""The few words that a worksheet adds to its questions, in their language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from analytics.languages import primary_language
from questionbank.worksheets.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Labels:
    """Words on paper."""

    name: str
    group: str
    date: str
    version: str
    key: str
    page: str  # with placeholders {page} and {pages}
    total: str
    answer: str
    solution: str
    unknown: str
    point: str
    points: str  # with the placeholder {points}
    same_numbers: str

    def data(self) -> dict[str, str]:
        """Return the words by name."""
        return asdict(self)


ENGLISH = Labels(
    name="Name",
    group="Class",
    date="Date",
    version="Version",
    key="Answer key",
    page="Page {page} of {pages}",
    total="Total",
    answer="Answer",
    solution="Solution",
    unknown="No answer is known.",
    point="1 point",
    points="{points} points",
    same_numbers="Same numbers as version A",
)
CHINESE = Labels(
    name="姓名",
    group="班级",
    date="日期",
    version="试卷",
    key="答案",
    page="第 {page} 页，共 {pages} 页",
    total="总分",
    answer="答案",
    solution="解析",
    unknown="没有已知的答案。",
    point="1分",
    points="{points}分",
    same_numbers="与A卷数字相同",
)


GERMAN = Labels(
    name="Name",
    group="Klasse",
    date="Datum",
    version="Gruppe",
    key="Lösungen",
    page="Seite {page} von {pages}",
    total="Summe",
    answer="Antwort",
    solution="Lösung",
    unknown="Keine Antwort bekannt.",
    point="1 Punkt",
    points="{points} Punkte",
    same_numbers="Gleiche Zahlen wie Gruppe A",
)
FRENCH = Labels(
    name="Nom",
    group="Classe",
    date="Date",
    version="Sujet",
    key="Corrigé",
    page="Page {page} sur {pages}",
    total="Total",
    answer="Réponse",
    solution="Solution",
    unknown="Aucune réponse connue.",
    point="1 point",
    points="{points} points",
    same_numbers="Mêmes nombres que le sujet A",
)
SPANISH = Labels(
    name="Nombre",
    group="Clase",
    date="Fecha",
    version="Versión",
    key="Soluciones",
    page="Página {page} de {pages}",
    total="Total",
    answer="Respuesta",
    solution="Solución",
    unknown="No se conoce la respuesta.",
    point="1 punto",
    points="{points} puntos",
    same_numbers="Los mismos números que la versión A",
)
LABELS = {"en": ENGLISH, "zh": CHINESE, "de": GERMAN, "fr": FRENCH, "es": SPANISH}
"""Labels by primary language."""


def labels_for(language: str) -> Labels:
    """Return the words in a language; English if there are none in that language."""
    return LABELS.get(primary_language(language), ENGLISH)


def points_text(points: float | None) -> str:
    """Return points without trailing zeros; empty for None.

    >>> points_text(2.0), points_text(1.5), points_text(None)
    ('2', '1.5', '')
    """
    return "" if points is None else f"{points:.2f}".rstrip("0").rstrip(".")


def sheet_details(sheet: Sheet, escaped: Callable[[str], str], blank: str = "____") -> list[str]:
    """Return the details in the head of a worksheet below the title: the version, and the points to fill in."""
    labels = labels_for(sheet.language)
    details = [f"{labels.version} {escaped(sheet.version)}"] if sheet.version else []
    if sheet.total_points is not None and not sheet.shows_key:
        details.append(f"{labels.total}: {blank} / {points_text(sheet.total_points)}")
    return details


def same_numbers_line(sheet: Sheet) -> str:
    """Return the note in a key on questions with the numbers of version A; empty if there are none."""
    return f"{labels_for(sheet.language).same_numbers}: {sheet.same_numbers}." if sheet.same_numbers else ""


def option_label(label: str) -> str:
    """Return an option's label for Word and LaTeX; a digit followed by a dot would look like a question number.

    >>> option_label("A"), option_label("1")
    ('A.', '(1)')
    """
    return f"({label})" if label.isdigit() else f"{label}."
