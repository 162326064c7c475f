"""How many of the questions found have each value of a filter: one grouped query over a bounded number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from questionbank.models import KnowledgeConcept, Question

__all__ = ["BANDS", "COUNTED", "FacetValue", "Facets", "count_facets"]

COUNTED = 10_000  # candidates that are counted; of more a page says "10,000+"
BANDS = 5  # of difficulty, each 100 / 5 per cent wide
_SHOWN = 50  # values of one filter
_LANGUAGES = {"en": gettext_lazy("English"), "zh": gettext_lazy("Chinese")}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a filter with the number of questions found that have it."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts of what was found.

    Attributes:
        total: number of questions, at most `COUNTED`.
        is_capped: there are more than were counted.
        values: by filter (kind, grade, language, source, difficulty, concept), the most frequent first.
    """

    total: int
    is_capped: bool
    values: Mapping[str, Sequence[FacetValue]]


_FILTERS = ("kind", "grade", "language", "source", "difficulty", "concept")
_COLUMNS = ("kind", "grade", "language", "source", "band")
_GROUPED = """
    WITH candidate AS MATERIALIZED ({candidates} LIMIT {counted}),
    banded AS (
        SELECT id, kind, grade, language, source,
            least(floor(difficulty_percent * {bands} / 100), {bands} - 1)::int::text AS band
        FROM candidate
    ),
    tagged AS MATERIALIZED (  -- before the concepts' paths are joined: most tags are of other questions
        SELECT c.id, t.concept_id FROM candidate c
        JOIN questionbank_questiontag t ON t.question_id = c.id
    )
    SELECT grouping(kind, grade, language, source, band) AS which,
        coalesce(kind, grade, language, source, band) AS value, count(*)
    FROM banded GROUP BY GROUPING SETS ((kind), (grade), (language), (source), (band), ())
    UNION ALL
    SELECT -1, substr(k.path, 1, {width}), count(DISTINCT t.id)
    FROM tagged t JOIN questionbank_knowledgeconcept k ON k.id = t.concept_id
    WHERE k.path LIKE %s AND length(k.path) >= {width} GROUP BY 2
"""


def count_facets(questions: QuerySet[Question], *, concept: int | None = None) -> Facets:
    """Count the questions by each filter's values.

    Args:
        questions: what was found, in no order.
        concept: the chosen concept; those right below it are counted, without one the roots.
    """
    chosen = KnowledgeConcept.objects.filter(pk=concept).values_list("path", flat=True).first()
    prefix = (chosen or "") if concept is not None else ""
    candidates = questions.order_by().values(
        "id", "kind", "grade", "language", "source", "difficulty_percent"
    )
    try:
        sql, parameters = candidates.query.sql_with_params()
    except EmptyResultSet:  # Django sees that nothing can pass
        return Facets(total=0, is_capped=False, values={name: [] for name in _FILTERS})
    query = _GROUPED.format(
        candidates=sql, counted=COUNTED, bands=BANDS, width=len(prefix) + KnowledgeConcept.steplen
    )
    found: dict[str, list[tuple[str, int]]] = {name: [] for name in (*_COLUMNS, "concept")}
    total = 0
    with connection.cursor() as cursor:
        cursor.execute(query, [*parameters, f"{prefix}%"])
        for which, value, count in cursor.fetchall():
            if which == -1:
                found["concept"].append((value, count))
            elif which == 2 ** len(_COLUMNS) - 1:
                total = count
            elif value not in (None, ""):
                # A bit of `grouping` is 0 for the column that the row is grouped by, the first the highest.
                grouped_by = _COLUMNS[len(_COLUMNS) - (2 ** len(_COLUMNS) - 1 - which).bit_length()]
                found[grouped_by].append((value, count))
    return Facets(total=total, is_capped=total >= COUNTED, values=_labelled(found))


def _labelled(found: Mapping[str, list[tuple[str, int]]]) -> dict[str, list[FacetValue]]:
    kinds = {value: str(label) for value, label in Question.Kind.choices}
    concepts = {
        path: (str(pk), name)
        for pk, path, name in KnowledgeConcept.objects.filter(
            path__in=[path for path, _count in found["concept"]]
        ).values_list("pk", "path", "name")
    }
    return {
        "kind": _values((value, kinds.get(value, value), count) for value, count in found["kind"]),
        "grade": _values((value, value, count) for value, count in found["grade"]),
        "language": _values(
            (value, _LANGUAGES.get(value, value), count) for value, count in found["language"]
        ),
        "source": _values((value, value, count) for value, count in found["source"]),
        "difficulty": sorted(
            _values((value, _band_label(int(value)), count) for value, count in found["band"]),
            key=lambda one: one.value,
        ),
        "concept": _values((*concepts[path], count) for path, count in found["concept"] if path in concepts),
    }


def _values(rows: Iterable[tuple[str, object, int]]) -> list[FacetValue]:
    values = [FacetValue(value, str(label), count) for value, label, count in rows]
    values.sort(key=lambda one: (-one.count, one.label.casefold()))
    return values[:_SHOWN]


def _band_label(band: int) -> str:
    width = 100 // BANDS
    return _("%(low)d to %(high)d %%") % {"low": band * width, "high": (band + 1) * width}
