"""Search: one box and combinable filters, with the whole state in a URL that can be shared.

A new search starts without filters. The last ones are remembered in the session and offered as a link; they are
only ever applied through a URL.

The box is submitted by POST, so that a whole question fits in any language, and answered with a redirect to that URL. A
text that is too long for a URL is stored under a key (`long`).
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django_htmx.http import push_url

from questionbank.bank.school_grades import grade_name
from questionbank.core.views import form_for, render_page
from questionbank.core.wording import language_name
from questionbank.models import KnowledgeConcept, Question
from questionbank.registry.serving import serving
from questionbank.search.asked import TOPIC
from questionbank.search.browsing import narrowing
from questionbank.search.filters import ANY_STATUS, USED, SearchFilters
from questionbank.search.query import long_query_text
from questionbank.search.query_filters import READ_FILTERS, TASK_NAMES
from questionbank.search.search import NEWEST, ORDERS, RELEVANCE, SearchPage, search_questions
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


@form_for("read")
def question_list(request: HttpRequest) -> HttpResponse:
    """Show the results; `clear` forgets the remembered filters, `exact` disables spelling correction."""
    sent = request.POST if request.method == "POST" else request.GET
    query = given_query(sent)
    if "clear" in sent:
        request.session.pop(REMEMBERED, None)
        return _redirect(_parameters(query, {}))
    filters = SearchFilters.from_querydict(sent).seen_by(request.user)
    filter_query = filters.to_query()
    cursor = sent.get("cursor", "")
    orders = [order for order in ORDER_NAMES if query or order in ORDERS]
    order = sent.get("order", "")
    shown = {
        "order": order if order in orders[1:] else "",  # the first is the default
        "answers": "1" if sent.get("answers") == "1" else "",
    }
    exact = "1" if query and sent.get("exact") == "1" else ""
    off = filters_off(sent) if query else []
    parameters = _parameters(query, filter_query, cursor=cursor, exact=exact, off=" ".join(off), **shown)
    is_tidy = request.method != "POST" and dict(request.GET.items()) == parameters
    if not request.htmx and not is_tidy:
        return _redirect(parameters)  # without the empty form fields
    if request.method == "POST":
        request.GET = QueryDict(urlencode(parameters))  # type: ignore[assignment]  # links start from the page's address
    _remember(request, filter_query)
    page = search_questions(
        query=query, filters=filters, serving=serving(), order=order, cursor=cursor, exact=bool(exact), off=off
    )
    last = {} if filter_query or cursor else request.session.get(REMEMBERED, {})
    context = {
        "page": page,
        **narrowing(page, filters),
        "query": query,
        "query_part": urlencode(_parameters(query, {})),
        "filters": filters,
        "filter_query": filter_query,
        "filter_count": len(filter_query),
        "chips": _chips(page),
        "open_steps": OPEN_STEPS,
        "tasks": TASK_NAMES.items(),
        "uses": USED.items(),
        "statuses": [*Question.Status.choices, (ANY_STATUS, "Any")],
        # The default order has no name, since it may differ for the next search.
        "orders": [("" if name == orders[0] else name, ORDER_NAMES[name]) for name in orders],
        "order": shown["order"],
        "selection_parameters": {
            name: value for name, value in parameters.items() if name not in ("cursor", "order", "answers")
        },
        "shows_answers": bool(shown["answers"]),
        "last_filters": _described(SearchFilters.from_querydict(last)),
        "last_address": _address(_parameters(query, last, **shown)),
        "hide_header_search": True,
    }
    response = render_page(request, "bank/questions/list.html", "bank/questions/_results_part.html", context)
    return push_url(response, _address(parameters)) if request.htmx else response


def given_query(sent: QueryDict) -> str:
    """Return the text typed into the search box: as submitted, or loaded by key if it is long."""
    if "q" not in sent and "long" in sent:
        return long_query_text(sent["long"])
    return sent.get("q", "").replace("\x00", "").strip()[:QUERY_LIMIT]


def filters_off(sent: QueryDict) -> list[str]:
    """Return the names of filters that are disabled although words of the query name them."""
    return [name for name in (*READ_FILTERS, TOPIC) if name in sent.get("off", "").split()]


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


def _described(filters: SearchFilters) -> str:
    """Describe filters in words, such as "Algebra, Grade 7"; empty without any."""
    words = [filters.source]
    if filters.concept is not None:
        words += KnowledgeConcept.objects.filter(pk=filters.concept).values_list("name", flat=True)
    if filters.grade:
        words.append(grade_name(filters.grade))
    if filters.kind:
        words.append(str(Question.Kind(filters.kind).label))
    if filters.language:
        words.append(language_name(filters.language))
    if filters.difficulty_min is not None or filters.difficulty_max is not None:
        low, high = filters.difficulty_min or 0, filters.difficulty_max
        words.append(f"difficulty {low:g} to {100 if high is None else high:g} %")
    if filters.task:
        words.append(TASK_NAMES[filters.task])
    if filters.figure:
        words.append("needs a figure" if filters.figure == "needed" else "complete without a figure")
    if filters.numbers:
        words.append("draws its numbers" if filters.numbers == "drawn" else "numbers given")
    if filters.used:
        words.append(USED[filters.used])
    return ", ".join(word for word in words if word)


def _redirect(parameters: dict[str, str]) -> HttpResponse:
    return HttpResponseRedirect(_address(parameters))


def _parameters(query: str, filters: dict[str, str], **others: str) -> dict[str, str]:
    named = query_parameters(query) | others
    return filters | {name: value for name, value in named.items() if value}


def _address(parameters: dict[str, str]) -> str:
    return reverse("question_list") + (f"?{urlencode(parameters)}" if parameters else "")
