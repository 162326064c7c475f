"""Search: one box and combinable filters, with the whole state in a URL that can be shared.

A new search starts without filters. The last ones are remembered in the session and offered as a link; they are
only ever applied through a URL.

The box is submitted by POST, so that a whole question fits in any language, and answered with a redirect to that URL. A
text that is too long for a URL is stored under a key (`long`). A search can be saved under a name; the list of saved
searches shows what is new in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.text import Truncator
from django_htmx.http import push_url

from questionbank.bank.change_selectors import concept_names_kept
from questionbank.bank.concept_selectors import ConceptChoice, concept_matches
from questionbank.bank.history_selectors import names_of
from questionbank.bank.owned_views import OwnOrNewForm
from questionbank.bank.school_grades import grade_name
from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, page_for, paginated, posted, render_deletion, render_page
from questionbank.core.wording import language_name
from questionbank.models import Question, SavedSearch
from questionbank.people.owned import NAME_LIMIT
from questionbank.people.school_selectors import visible_to_of
from questionbank.registry.serving import serving
from questionbank.search.asked import TASK_NAMES, TOPIC
from questionbank.search.facets import count_each
from questionbank.search.filters import ANY_STATUS, MOST_COMBINED, USED, SearchFilters, concept_nodes
from questionbank.search.page_parts import (
    COMBINED_NAMES,
    SearchState,
    combination,
    combined_only,
    narrowing,
    orders_of,
    with_concept,
)
from questionbank.search.query import long_query_text
from questionbank.search.saved_services import (
    saved_figures,
    saved_search_choices,
    saved_search_create,
    saved_search_delete,
    saved_search_get,
    saved_search_open,
    saved_search_replace,
    saved_search_update,
    saved_searches,
)
from questionbank.search.search import NEWEST, RELEVANCE, SearchPage, count_search, search_questions
from questionbank.search.services import long_query_keep

REMEMBERED = "question_filters"
NOT_REMEMBERED = ("owner", "status")  # viewing one's drafts must not narrow the next search
QUERY_LIMIT = 2000  # characters; a whole pasted question fits
LONGEST_IN_ADDRESS = 1500  # bytes of a query in URL encoding; servers refuse URLs of 4,000
OPEN_STEPS = 12  # with more, the concepts of several hierarchies are collapsed
ORDER_NAMES = {  # a literal table
    RELEVANCE: "Relevance",
    NEWEST: "Newest",
    "easiest": "Easiest first, as published",
    "hardest": "Hardest first, as published",
    "answered": "Most answered",
}
_FIGURE_NAMES = {"needed": "needs a figure", "none": "complete without a figure"}
_NUMBER_NAMES = {"drawn": "draws its numbers", "given": "numbers given"}


@dataclass(frozen=True, slots=True)
class Way:
    """A way to combine a concept with others; `is_chosen` if it is combined so already."""

    label: str
    address: str
    is_chosen: bool


@form_for("read")
def question_list(request: HttpRequest) -> HttpResponse:
    """Show the results; `clear` forgets the remembered filters, `exact` disables spelling correction."""
    sent = request.POST if request.method == "POST" else request.GET
    query = given_query(sent)
    if "clear" in sent:
        request.session.pop(REMEMBERED, None)
        return _redirect(_parameters(SearchState(query)))
    state = SearchState.from_querydict(sent, query=query).seen_by(request.user)
    filters, filter_query = state.filters, state.filters.to_query()
    cursor = sent.get("cursor", "")
    answers = "1" if sent.get("answers") == "1" else ""
    since = _moment(sent.get("since", ""))
    parameters = _parameters(state, cursor=cursor, answers=answers, since=moment_text(since))
    is_tidy = request.method != "POST" and dict(request.GET.items()) == parameters
    if not request.htmx and not is_tidy:
        return _redirect(parameters)  # without the empty form fields
    if request.method == "POST":
        request.GET = QueryDict(urlencode(parameters))  # type: ignore[assignment]  # links start from the page's address
    _remember(request, filter_query)
    page = search_questions(
        query=query,
        filters=filters,
        serving=serving(),
        order=state.order,
        cursor=cursor,
        exact=state.exact,
        off=state.off,
    )
    alternatives = {int(value.value): value.count for value in page.facets.get("concepts_any", [])}

    others = {name: value for name, value in parameters.items() if name not in (*filter_query, "cursor")}

    def address(changed: SearchFilters) -> str:
        return _address(changed.to_query() | others)

    orders = orders_of(query)
    last = {} if filter_query or cursor else request.session.get(REMEMBERED, {})
    last_filters = SearchFilters.from_querydict(last)
    context = {
        "page": page,
        **narrowing(page, filters),
        "query": query,
        "query_part": urlencode(query_parameters(query)),
        "filters": filters,
        "combination": combination(filters, counts=alternatives, address=address),
        "filter_query": filter_query,
        "filter_count": len(filter_query),
        "chips": _chips(page),
        "open_steps": OPEN_STEPS,
        "tasks": TASK_NAMES.items(),
        "uses": USED.items(),
        "statuses": [*Question.Status.choices, (ANY_STATUS, "Any")],
        # The default order has no name, since it may differ for the next search.
        "orders": [("" if name == orders[0] else name, ORDER_NAMES[name]) for name in orders],
        "order": state.order,
        "selection_parameters": {
            name: value for name, value in parameters.items() if name not in ("cursor", "order", "answers", "since")
        },
        "since": since,
        "since_text": moment_text(since),
        "save_query": urlencode(_parameters(state)),
        "shows_answers": bool(answers),
        "last_filters": described([SearchState("", last_filters)])[0],
        "last_address": search_address(SearchState(query, last_filters, state.order), answers=answers),
        "hide_header_search": True,
    }
    response = render_page(request, "bank/questions/list.html", "bank/questions/_results_part.html", context)
    return push_url(response, _address(parameters)) if request.htmx else response


LONGEST_NAME = 200


@page_for("read")
def combine_concepts(request: HttpRequest) -> HttpResponse:
    """Combine concepts for a search, whose parameters the address has; `find` is a part of a concept's name."""
    state = SearchState.from_querydict(request.GET, query=given_query(request.GET)).seen_by(request.user)
    filters = combined_only(state.filters)
    state = replace(state, filters=filters)
    find = request.GET.get("find", "").replace("\x00", "").strip()[:LONGEST_NAME]

    parameters = _parameters(state)
    others = {name: value for name, value in parameters.items() if name not in filters.to_query()} | {"find": find}

    def here(changed: SearchFilters) -> str:
        return f"{reverse('combine_concepts')}?{urlencode(changed.to_query() | others)}"

    found = concept_matches(query=find)
    nodes = concept_nodes({*(choice.id for choice in found), *filters.concepts_any})
    by_node = {} if state.query else count_each(nodes=nodes.values(), filters=filters)
    counts = {pk: by_node.get(node) for pk, node in nodes.items()}
    total, is_capped = count_search(query=state.query, filters=filters, exact=state.exact, off=state.off)
    context = {
        "combination": combination(filters, counts=counts, address=here),
        "find": find,
        "found": [(choice, counts.get(choice.id), _ways(choice, filters, here)) for choice in found],
        "hidden": parameters,
        "results": _address(parameters),
        "total": total,
        "is_capped": is_capped,
    }
    return render(request, "bank/questions/combination.html", context)


def _ways(choice: ConceptChoice, filters: SearchFilters, address: Callable[[SearchFilters], str]) -> list[Way]:
    """Return the ways to combine a concept with the others, each with its address; a full group is left out."""
    return [
        Way(label, address(with_concept(filters, group, choice.id)), is_chosen=choice.id in getattr(filters, group))
        for group, label in COMBINED_NAMES.items()
        if choice.id in getattr(filters, group) or len(getattr(filters, group)) < MOST_COMBINED
    ]


def given_query(sent: QueryDict) -> str:
    """Return the text typed into the search box: as submitted, or loaded by key if it is long."""
    if "q" not in sent and "long" in sent:
        return long_query_text(sent["long"])
    return sent.get("q", "").replace("\x00", "").strip()[:QUERY_LIMIT]


def _chips(page: SearchPage) -> list[dict[str, str]]:
    """Return the filters found in the query, each with the `off` parameter that removes it."""
    read = [(one.name, one.label) for one in page.read]
    if page.topic and page.read:
        read.append((TOPIC, f"Topic: {page.topic}"))
    return [{"label": label, "off": " ".join(sorted({*page.off, name}))} for name, label in read]


def query_parameters(query: str) -> dict[str, str]:
    """Return the URL parameters that `given_query` reads; a long query is replaced by its key."""
    if len(quote(query)) > LONGEST_IN_ADDRESS:
        return {"long": long_query_keep(query)}
    return {"q": query} if query else {}


def _remember(request: HttpRequest, filter_query: dict[str, str]) -> None:
    remembered = {name: value for name, value in filter_query.items() if name not in NOT_REMEMBERED}
    if remembered and remembered != request.session.get(REMEMBERED):
        request.session[REMEMBERED] = remembered


def described(states: Sequence[SearchState]) -> list[str]:
    """Describe searches in words, such as "“slope”, Algebra, Grade 7"; empty for a search without words and filters."""
    concepts = frozenset(pk for state in states for pk in state.filters.named_concepts)
    names = concept_names_kept(concepts) if concepts else {}
    people = names_of(state.filters.owner for state in states)
    return [", ".join(word for word in _words(state, names, people) if word) for state in states]


def _words(state: SearchState, names: Mapping[int, str], people: Mapping[int | None, str]) -> Iterator[str]:
    filters = state.filters
    yield f"“{Truncator(state.query).chars(60)}”" if state.query else ""
    yield filters.source
    yield from (names.get(pk, f"concept {pk}") for pk in filters.required_concepts)
    yield " or ".join(names.get(pk, f"concept {pk}") for pk in filters.concepts_any)
    yield from (f"not {names.get(pk, f'concept {pk}')}" for pk in filters.concepts_none)
    yield grade_name(filters.grade) if filters.grade else ""
    yield str(Question.Kind(filters.kind).label) if filters.kind else ""
    yield language_name(filters.language) if filters.language else ""
    if filters.difficulty_min is not None or filters.difficulty_max is not None:
        low, high = filters.difficulty_min or 0, filters.difficulty_max
        yield f"difficulty {low:g} to {100 if high is None else high:g} %"
    yield TASK_NAMES.get(filters.task, "")
    yield _FIGURE_NAMES.get(filters.figure, "")
    yield _NUMBER_NAMES.get(filters.numbers, "")
    yield USED.get(filters.used, "")
    if filters.status != Question.Status.READY:
        yield "any status" if filters.status == ANY_STATUS else str(Question.Status(filters.status).label).lower()
    if filters.owner is not None:
        yield f"written by {people.get(filters.owner, 'somebody without an account')}"
    yield ORDER_NAMES[state.order].lower() if state.order else ""


def moment_text(moment: datetime | None) -> str:
    """Return a time as the address of the search page has it: results that came since then are marked."""
    return "" if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _moment(text: str) -> datetime | None:
    """Parse a time with its zone; None if it is none."""
    try:
        moment = parse_datetime(text)
        return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _redirect(parameters: dict[str, str]) -> HttpResponse:
    return HttpResponseRedirect(_address(parameters))


def _parameters(state: SearchState, **others: str) -> dict[str, str]:
    named = query_parameters(state.query) | state.choices() | others
    return state.filters.to_query() | {name: value for name, value in named.items() if value}


def search_address(state: SearchState, **others: str) -> str:
    """Return the address of the search page in this state, with other parameters that are not empty."""
    return _address(_parameters(state, **others))


def _address(parameters: dict[str, str]) -> str:
    return reverse("question_list") + (f"?{urlencode(parameters)}" if parameters else "")


SHOWN = 20  # saved searches on a page, whose questions are counted after the page is shown


class SavedSearchForm(ServiceForm):
    """A saved search's name, and who can open it."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)
    visible_to = forms.ChoiceField(
        label="Who can open it", help_text="Others find only the questions that they may see. Only you can change it."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["visible_to"].choices = saved_search_choices()  # type: ignore[attr-defined]


class SaveSearchForm(OwnOrNewForm, SavedSearchForm):
    """A saved search to replace, or a new one."""

    noun, label = "saved search", "Save it as"
    field_order = ("existing", "name", "visible_to")


@page_for("read")
def saved_search_list(request: HttpRequest) -> HttpResponse:
    """Show saved searches, one's own first; with `counts=1`, how many questions each finds and how many are new."""
    user = request.user
    page = paginated(request, saved_searches(user=user).order_by("-is_own", "name", "pk"), SHOWN)
    is_counted = request.GET.get("counts") == "1"
    words = described([SearchState.from_saved(row.parameters) for row in page])
    figures = [saved_figures(saved_search=row, user=user) if is_counted else None for row in page]
    rows = list(zip(page, words, figures, strict=True))
    context = {"rows": rows, "page": page, "is_counted": is_counted}
    return render_page(request, "search/saved/list.html", "search/saved/_rows.html", context)


@form_for("read")
def saved_search_create_page(request: HttpRequest) -> HttpResponse:
    """Save the search whose parameters the address has, under a new name or in place of another one."""
    state = SearchState.from_querydict(request.GET, query=given_query(request.GET))
    form = SaveSearchForm(posted(request), own=SavedSearch.unrestricted.filter(owner=request.user))
    if form.is_valid():
        with form.takes_problems():
            if existing := form.cleaned_data.pop("existing"):
                saved = saved_search_replace(user=request.user, saved_search=existing, state=state)
            else:
                saved = saved_search_create(user=request.user, state=state, **form.cleaned_data)
            messages.success(request, f"The search “{saved}” is saved.")
            return redirect("saved_search_list")
    context = {"form": form, "described": described([state])[0], "back": search_address(state)}
    return render(request, "search/saved/create.html", context, status=form.status)


@page_for("read")
def saved_search_results(request: HttpRequest, search_id: int) -> HttpResponse:
    """Go to the results; those that came since the person last opened it are marked there."""
    saved = saved_search_get(search_id=search_id, user=request.user)
    since = None if request.method == "HEAD" else saved_search_open(user=request.user, saved_search=saved)
    return redirect(search_address(SearchState.from_saved(saved.parameters), since=moment_text(since)))


@form_for("read")
def saved_search_edit(request: HttpRequest, search_id: int) -> HttpResponse:
    """Rename a saved search or change who can open it."""
    saved = saved_search_get(search_id=search_id, user=request.user, is_own=True)
    form = SavedSearchForm(posted(request), initial={"name": saved.name, "visible_to": visible_to_of(saved)})
    if form.is_valid():
        with form.takes_problems():
            saved_search_update(user=request.user, saved_search=saved, **form.cleaned_data)
            messages.success(request, "The saved search is changed.")
            return redirect("saved_search_list")
    return render(request, "search/saved/edit.html", {"saved": saved, "form": form}, status=form.status)


@form_for("read")
def saved_search_delete_page(request: HttpRequest, search_id: int) -> HttpResponse:
    """Delete a saved search, after confirmation."""
    saved = saved_search_get(search_id=search_id, user=request.user, is_own=True)
    if request.method == "POST":
        saved_search_delete(user=request.user, saved_search=saved)
        messages.success(request, "The saved search is deleted.")
        return redirect("saved_search_list")
    return render_deletion(
        request,
        f"Delete “{saved.name}”?",
        consequence="The saved search cannot be brought back. The questions stay in the bank.",
        button="Delete the saved search",
        back=reverse("saved_search_list"),
    )
