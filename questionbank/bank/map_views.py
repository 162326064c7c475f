"""The map of the bank: its page, its points, the questions pointed at, and redrawing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition

from questionbank.bank.concept_selectors import concept_get, concept_path, hierarchy_get
from questionbank.bank.map_selectors import (
    COLOURS,
    LEVELS,
    UNKNOWN,
    LegendRow,
    MapPoints,
    concept_level,
    map_hierarchies,
    map_legend,
    map_points,
    map_state,
    map_version,
    points_to_bytes,
    ready_questions,
)
from questionbank.bank.question_selectors import concept_paths
from questionbank.bank.vector_services import projection_request
from questionbank.core.errors import NotFound
from questionbank.core.views import button_for, page_for, warning_of
from questionbank.core.wording import whole_number
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question

DIFFICULTY = "difficulty"
COMMONEST = 5  # as in Figure 6 of the paper
LISTED = 12


@dataclass(frozen=True, slots=True)
class _Choice:
    """The choices in the query string.

    Attributes:
        level: 1..LEVELS; None for difficulty.
        within: show only questions below this concept, whose level is `within_level`.
    """

    hierarchy: KnowledgeHierarchy | None
    level: int | None
    within: KnowledgeConcept | None
    within_level: int | None
    few: bool

    def query(self, **changes: Any) -> str:
        """Return the query string with some parameters changed; None removes one."""
        current: dict[str, Any] = {
            "hierarchy": self.hierarchy.pk if self.hierarchy else None,
            "colour": self.level or DIFFICULTY,
            "concept": self.within.pk if self.within else None,
            "few": "1" if self.few else None,
        }
        return urlencode({name: value for name, value in (current | changes).items() if value})


@page_for("read")
def map_page(request: HttpRequest) -> HttpResponse:
    """Show the map with its legend, which also serves for navigation without a pointer."""
    state = map_state()
    context: dict[str, Any] = {"state": state, "may_draw": request.user.has_perm("questionbank.runs_manage")}
    if state.projection is None:
        return render(request, "bank/map/map.html", context)
    hierarchies = map_hierarchies()
    number = _number(request, "concept")
    within = concept_get(concept_id=number) if number else None
    hierarchy = within.hierarchy if within else _asked_hierarchy(request, hierarchies)
    points = map_points(projection=state.projection, hierarchy=hierarchy)
    choice = _choice(request, points, hierarchy, within)
    return render(
        request,
        "bank/map/map.html",
        context
        | {"hierarchies": hierarchies, "choice": choice}
        | {"off_the_map": max(0, ready_questions() - len(points.ids))}
        | _legend(points, choice)
        | _ways(points, choice),
    )


def _points_etag(request: HttpRequest) -> str:
    state = map_state()
    if state.projection is None:
        return '"none"'
    hierarchy = _asked_hierarchy(request, map_hierarchies())
    return f'"{map_version(projection=state.projection, hierarchy=hierarchy)}"'


@page_for("read")
@cache_control(private=True, no_cache=True)
@condition(etag_func=_points_etag)
def map_points_data(request: HttpRequest) -> HttpResponse:
    """Return all points of the map in one binary response."""
    state = map_state()
    if state.projection is None:
        raise NotFound("No map has been drawn yet.")
    points = map_points(projection=state.projection, hierarchy=_asked_hierarchy(request, map_hierarchies()))
    return HttpResponse(points_to_bytes(points), content_type="application/octet-stream")


@page_for("read")
def map_questions(request: HttpRequest) -> HttpResponse:
    """Show the questions pointed at, as a fragment: ``?id=1&id=2&total=40``."""
    sent = map(whole_number, request.GET.getlist("id")[:LISTED])
    ids = [pk for pk in sent if pk is not None and pk < 2**32]
    questions = Question.objects.filter(status=Question.Status.READY).defer("search_vector").in_bulk(ids)
    paths = concept_paths(questions)
    total = whole_number(request.GET.get("total", ""), digits=8)
    context = {
        "items": [(questions[pk], paths.get(pk, [])[:1]) for pk in ids if pk in questions],
        "total": len(ids) if total is None else total,
    }
    return render(request, "bank/map/_questions.html", context)


@button_for("runs_manage")
def map_draw(request: HttpRequest) -> HttpResponse:
    """Start the job that draws the map."""
    with warning_of(request):
        return redirect("run_detail", run_id=projection_request(user=request.user).pk)
    return redirect("map")


def _asked_hierarchy(request: HttpRequest, hierarchies: list[KnowledgeHierarchy]) -> KnowledgeHierarchy | None:
    number = _number(request, "hierarchy")
    if number:
        return hierarchy_get(hierarchy_id=number)
    return hierarchies[0] if hierarchies else None


def _number(request: HttpRequest, name: str) -> int:
    return whole_number(request.GET.get(name, "")) or 0


def _choice(
    request: HttpRequest, points: MapPoints, hierarchy: KnowledgeHierarchy | None, within: KnowledgeConcept | None
) -> _Choice:
    within_level = concept_level(points=points, concept=within) if within else None
    colour = request.GET.get("colour", "")
    if colour in map(str, range(1, LEVELS + 1)):
        level: int | None = int(colour)
    elif colour == DIFFICULTY or not points.concepts.any():
        level = None
    else:
        level = min(LEVELS, (within_level or 0) + 1)
    return _Choice(hierarchy, level, within, within_level, few=request.GET.get("few") == "1" and level is not None)


def _legend(points: MapPoints, choice: _Choice) -> dict[str, Any]:
    rows = map_legend(points=points, level=choice.level, within=choice.within)
    legend_rows: list[LegendRow] = rows[:COMMONEST] if choice.few else rows
    inside = (points.concepts == choice.within.pk).any(axis=0).sum() if choice.within else len(points.ids)
    values = points.difficulties != UNKNOWN if choice.level is None else points.concepts[choice.level - 1] != 0
    return {
        "rows": legend_rows,
        "drawn": int(inside),
        "others": sum(row.questions for row in rows[COLOURS:]) if choice.level and not choice.few else 0,
        "nameless": int(inside) - sum(row.questions for row in rows),
        "is_empty": not values.any(),
        "path": concept_path(choice.within) if choice.within else (),
    }


def _ways(points: MapPoints, choice: _Choice) -> dict[str, Any]:
    levels = [level for level in range(1, LEVELS + 1) if points.concepts[level - 1].any()]
    inner = min(LEVELS, (choice.level or 0) + 1)
    return {
        "colours": [(f"Level {level}", choice.query(colour=level), level == choice.level) for level in levels]
        + [("Difficulty", choice.query(colour=DIFFICULTY, few=None), choice.level is None)],
        "all_concepts": choice.query(concept=None, colour=choice.within_level),
        "few_query": choice.query(few=None if choice.few else 1),
        "inner_query": choice.query(concept=None, few=None, colour=inner),
        "points_query": urlencode({"hierarchy": choice.hierarchy.pk}) if choice.hierarchy else "",
    }
