"""Two schools side by side: every address, operation and tool, for every role, with things of the other school.

What belongs to the other school answers like something that is not there, and a word that stands in all of it is in no
response. `test_schools` watches the statements that read questions.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from questionbank.api.key_services import LARGEST_RATE
from questionbank.assistants.views import TOOLS
from questionbank.bank.attachment_services import attachment_add
from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import (
    BatchDeletion,
    EmbeddingSet,
    ItemStatistics,
    ParaphrasePair,
    ProblemVariant,
    Question,
    QuestionUse,
    ResponseSet,
    Run,
    RunLog,
    School,
    User,
)
from tests.factories import QuestionFactory
from tests.pictures import png
from tests.questionbank.api import test_access
from tests.questionbank.api_client import Assistant, Program
from tests.questionbank.small_bank import store_vectors
from tests.questionbank.test_permissions import TABLE, Address, things  # noqa: F401 - a fixture

MARKER = "quagga"  # stands in everything of the other school, and in no request
ASKED = "okapi"  # stands beside it in the question, for requests that look for it
TEXT = f"How many {ASKED}s are $2 + 3$ {ASKED}s?"
MISSING = 10**12
ROLES = ("anonymous", "nobody", "teacher", "reviewer", "admin")  # nobody: logged in, without a role
OWNED = {  # name of a thing in the tables of addresses and operations -> its name in `theirs`
    **{name: name for name in ("question", "list", "worksheet", "responses", "run", "pair", "variant", "hook", "key")},
    **{name: name for name in ("delivery", "listed", "change", "paper", "import", "saved")},
    "draft": "paper",
    "bulk_change": "change",
}
LITERALS = {"hook_id": "hook", "delivery_id": "delivery", "key_id": "key"}


@pytest.fixture
def people(bank) -> dict[str, User]:
    """A person of each role in Hillside, and Lakeside's teacher, who wrote everything there."""
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    made = {role: User.objects.create_user(f"hillside-{role}", password="correct horse battery") for role in ROLES[1:]}
    stranger = User.objects.create_user("lakeside-teacher", password="correct horse battery")
    for role in ROLES[2:]:
        made[role].groups.add(Group.objects.get(name=role))
    stranger.groups.add(Group.objects.get(name="teacher"))
    ours.people.add(*made.values())
    theirs.people.add(stranger)
    return {name: User.objects.get(pk=person.pk) for name, person in (made | {"stranger": stranger}).items()}


@pytest.fixture
def theirs(bank, people) -> dict[str, int]:
    """Things of Lakeside, each with the marker in all that can hold a word."""
    stranger, school = people["stranger"], School.objects.get(slug="lakeside")
    shown = {"visibility": "school", "school": school}
    made = test_access.things_of(stranger)
    Question.objects.filter(pk=made["question"]).delete()
    question = QuestionFactory(
        text=f"{TEXT} Ask a {MARKER}.",
        answer=f"5 {MARKER}s",
        solution=f"Count the {MARKER}s.",
        source=f"Set of a {MARKER}",
        source_id=f"{MARKER}-1",
        grade=MARKER,
        stage=MARKER,
        created_by=stranger,
        concepts=[bank.linear],
        content={"pictures": [{"name": f"{MARKER}.png", "sha256": attachment_add(data=png())}]},
        **shown,
    )
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, [question])
    tables = {
        "list": "question_lists",
        "worksheet": "worksheets",
        "responses": "response_sets",
        "paper": "document_drafts",
        "saved": "saved_searches",
    }
    for name, relation in tables.items():
        named = {"title" if name == "responses" else "name": f"{MARKER} {name}"}
        getattr(stranger, relation).filter(pk=made[name]).update(**shown, **named)
    stranger.question_lists.get().items.create(question=question, position=2)
    stranger.worksheets.get().items.create(question=question, position=2)
    stranger.worksheets.update(title=MARKER, instructions=MARKER)
    stranger.document_drafts.update(lines=[{"text": f"How old is the {MARKER}?", "number": "1."}])
    stranger.response_sets.update(class_label=MARKER)
    stranger.saved_searches.update(parameters={"q": MARKER, "source": f"Set of a {MARKER}"})
    QuestionUse.unrestricted.create(
        question=question, worksheet_id=made["worksheet"], worksheet_name=MARKER, day="2026-02-03", audience=school.pk,
        user=stranger,
    )  # fmt: skip
    shared = bank.questions[0]  # everybody sees it, and nobody else's class
    for response_set in ResponseSet.objects.all():
        ItemStatistics.objects.create(question=shared, response_set=response_set, people=20, figures={"facility": 0.5})
    run = Run.objects.create(
        kind="import", title=f"Import of {MARKER}.csv", requested_by=stranger, state=Run.State.FAILED,
        error=f"{MARKER}.csv is empty.", message=MARKER, parameters={"upload": "x", "name": f"{MARKER}.csv"},
    )  # fmt: skip
    RunLog.objects.create(run=run, text=f"Reading {MARKER}.csv")
    Run.objects.create(kind="import", title=f"Import of {MARKER}.jsonl", parameters={"visible_to": "lakeside"})
    Run.objects.create(kind="propose", title=f"Propose paraphrases of a {MARKER}", requested_by=stranger)
    pair = ParaphrasePair.objects.create(
        question=question, original=question.text, paraphrase=f"What do {MARKER}s make?", source="typed", batch=MARKER,
        state=ParaphrasePair.State.ADJUDICATION, created_by=stranger,
    )  # fmt: skip
    ParaphrasePair.objects.create(
        original=f"A {MARKER}.", paraphrase=f"One {MARKER}.", source="upload", batch=f"{MARKER}.csv",
        created_by=stranger, **shown,
    )  # fmt: skip
    BatchDeletion.objects.create(batch=f"{MARKER}.jsonl", deleted=1, kept=0, person=stranger)
    variant = ProblemVariant.objects.create(
        question=question,
        original=question.text,
        text=f"2 x 3 {MARKER}s?",
        equation="2*3",
        answer="6",
        generator=MARKER,
    )
    stranger.hooks.update(address=f"https://{MARKER}.example/")
    stranger.api_keys.update(name=MARKER)
    vocabulary_refresh()
    return made | {
        "question": question.pk, "listed": question.pk, "run": run.pk, "import": run.pk, "pair": pair.pk,
        "variant": variant.pk,
    }  # fmt: skip


def said(response: HttpResponse) -> str:
    """Return a response's body and headers."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode(errors="replace") + "".join(f"\n{name}: {value}" for name, value in response.items())


def told(response: HttpResponse, *numbers: int) -> str:
    """Return what a response says, but for the numbers asked for and what differs from request to request."""
    text = re.sub(r'"request_id": ?"[^"]+"|X-Request-ID: \S+|RateLimit-\w+: \d+', "", said(response))
    for number in {*numbers, MISSING}:
        text = re.sub(rf"(?<!\d){number}(?!\d)", "N", text)
    text = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken&quot;: &quot;|"X-CSRFToken": ")[^"&]+', "", text)
    return re.sub(r"(?m)^(Content-Length|Set-Cookie|ETag): .*$", "", text)


def within(browser: Client, method: str, path: str, data: Any) -> HttpResponse:
    """Open an address and undo what that did."""
    client = Client()
    client.cookies = copy.deepcopy(browser.cookies)
    with transaction.atomic():
        response = getattr(client, method)(path, data)
        if response.streaming:
            response = HttpResponse(b"".join(response.streaming_content), status=response.status_code)
        transaction.set_rollback(True)
    return response


@pytest.fixture
def browsers(people) -> dict[str, Client]:
    """A browser of each person of Hillside."""
    made = {}
    for role in ROLES:
        made[role] = Client()
        if role in people:
            made[role].force_login(people[role])
    return made


def named(address: Address) -> set[str]:
    """Return the things that a person owns among those that an address names."""
    values = {**address.arguments, **address.data}
    names = {str(value) for value in values.values()} & OWNED.keys()
    return names | (LITERALS.keys() & address.arguments.keys())


def opened(address: Address, name: str, others: dict[str, Any], number: dict[str, int] | int) -> tuple[str, dict]:
    """Return the path and the data of an address for owned things: those of a school, or all with one number."""

    def value(key: str, thing: Any) -> Any:
        owned = LITERALS.get(key) or OWNED.get(str(thing))
        if owned is not None:
            return number if isinstance(number, int) else number[owned]
        return others.get(thing, thing)

    arguments = {key: value(key, thing) for key, thing in address.arguments.items()}
    return reverse(name, kwargs=arguments) + address.query, {key: value(key, one) for key, one in address.data.items()}


def test_what_is_of_another_school_answers_like_what_is_not_there(things, theirs, browsers) -> None:  # noqa: F811
    differing: dict[str, Any] = {}
    swept = 0
    for name, address in TABLE.items():
        if not named(address):
            continue
        for role in ROLES[:-1]:
            answers = [
                within(browsers[role], address.method, *opened(address, name, things, number))
                for number in (theirs, MISSING)
            ]
            swept += 1
            other, missing = (told(response, *theirs.values()) for response in answers)
            statuses = [response.status_code for response in answers]
            if statuses[0] != statuses[1] or other != missing or MARKER in other.lower():
                differing[f"{name} for {role}"] = (*statuses, first_difference(other, missing))
    assert differing == {}
    assert swept > 200


def first_difference(one: str, other: str) -> str:
    place = next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )
    return f"{one[max(place - 80, 0) : place + 120]!r} / {other[max(place - 80, 0) : place + 120]!r}"


SEARCHES = ("", f"q={ASKED}", "q=how+many", "status=any", "q=quaga", "sort=newest&status=any")


def pages(things, theirs) -> Iterator[tuple[str, str, dict[str, Any], str]]:  # noqa: F811
    """Yield name, path, data and method of every page that names nobody's things, and of searches for theirs."""
    for name, address in TABLE.items():
        if not named(address) and not name.startswith(("account_", "mfa_")):
            yield name, *opened(address, name, things, theirs), address.method
    chosen = f"?id={theirs['question']}"
    for query in SEARCHES:
        yield f"search {query}", f"{reverse('question_list')}?{query}", {}, "get"
        for format in ("jsonl", "csv", "moodle-xml"):
            path = reverse("selection_export", args=[format])
            yield f"export {query} {format}", f"{path}?all=1&confirmed=1&{query}", {}, "get"
    for name in ("selection", "map_questions"):
        yield f"{name} of theirs", reverse(name) + chosen, {}, "get"
    yield "chosen export", reverse("selection_export", args=["jsonl"]) + chosen, {}, "get"
    yield "added to a list", reverse("list_add"), {"question": theirs["question"], "name": "Mine"}, "post"
    yield (
        "owner",
        f"{reverse('question_list')}?owner={User.objects.get(username='lakeside-teacher').pk}&status=any",
        {},
        "get",
    )
    yield "paste", reverse("paste"), {"text": TEXT, "action": "analyse"}, "post"


def test_no_page_shows_anything_of_another_school(things, theirs, bank, browsers) -> None:  # noqa: F811
    leaking = []
    for role in ROLES[:-1]:
        for name, path, data, method in pages(things, theirs):
            shown = said(within(browsers[role], method, path, data)).lower()
            if MARKER in shown:
                leaking.append(f"{name} for {role}: {around(shown)}")
    assert leaking == []


def around(text: str) -> str:
    place = text.index(MARKER)
    return repr(text[max(place - 100, 0) : place + 60])


def test_pages_about_what_all_share_tell_nothing_of_a_school(things, theirs, bank, browsers) -> None:  # noqa: F811
    """The question that everybody sees has results of Lakeside's class, and stands on Lakeside's worksheet."""
    shared = bank.questions[0]
    QuestionUse.unrestricted.create(
        question=shared, worksheet_id=theirs["worksheet"], worksheet_name=MARKER, day="2026-02-03",
        audience=School.objects.get(slug="lakeside").pk,
    )  # fmt: skip
    addresses = [
        reverse("question_detail", args=[shared.pk]) + "?whole=1",
        reverse("concept_detail", args=[bank.linear.pk]),
        f"/api/v1/questions/{shared.pk}/statistics",
        f"/api/v1/questions/{shared.pk}",
    ]
    for path in addresses:
        shown = said(browsers["teacher"].get(path)).lower()
        assert MARKER not in shown, (path, around(shown))


# --- the API and its tools -----------------------------------------------------------------------


@pytest.fixture
def programs(people) -> dict[str, Program]:
    return {role: Program(people[role], rate_limit=LARGEST_RATE) for role in ROLES[2:-1]}


def test_operations_answer_for_another_school_s_things_as_for_none(theirs, people, programs) -> None:
    differing: dict[str, Any] = {}
    missing = dict.fromkeys(theirs, MISSING)
    shared = ("hierarchy", "concept", "other_concept", "model")
    for name, call in test_access.TABLE.items():
        names = set(re.findall(r"{(\w+)}", call.path + json.dumps(call.body)))
        if not names - {*shared}:
            continue
        for role, program in programs.items():
            own = {thing: theirs[thing] for thing in shared}
            answers = [test_access.respond(program, call, numbers | own) for numbers in (theirs, missing)]
            other, none = (told(response, *theirs.values()) for response in answers)
            statuses = [response.status_code for response in answers]
            if statuses[0] != statuses[1] or other != none or MARKER in other.lower():
                differing[f"{name} for {role}"] = (*statuses, first_difference(other, none))
    assert differing == {}


def test_no_operation_that_lists_shows_anything_of_another_school(theirs, programs) -> None:
    leaking = []
    things_ = {name: theirs[name] for name in ("hierarchy", "concept", "other_concept", "model")}
    more = ("/search?query=how+many", f"/search?query={ASKED}", "/questions?status=any", "/exports?as=jsonl")
    reads = {name: call.path for name, call in test_access.TABLE.items() if call.method == "GET"}
    for role, program in programs.items():
        for path in {*reads.values(), *more}:
            if {*re.findall(r"{(\w+)}", path)} - things_.keys():
                continue
            shown = said(program("GET", path.format(**things_))).lower()
            if MARKER in shown:
                leaking.append(f"{path} for {role}: {around(shown)}")
        text = {"texts": [{"text": "How many are $2 + 3$?"}], "lens": "wording"}
        assert MARKER not in said(program("POST", "/similar", text)).lower()
    assert leaking == []


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_for_assistants_tell_nothing_of_another_school(theirs, people, tool) -> None:
    assistant = Assistant(people["teacher"], rate_limit=LARGEST_RATE)
    number = theirs["question"]
    arguments: dict[str, Any] = {
        "search_questions": {"query": "how many"},
        "export_questions": {"questions": [number], "format": "jsonl"},
        "predict": {"texts": [{"text": "How many are $2 + 3$?"}]},
        "list_concepts": {},
        "get_job": {"job": theirs["run"]},
        "import_questions": {"checked_job": theirs["run"]},
        "make_worksheet": {"name": "New", "questions": [number]},
    }.get(tool, {"question": number})
    answer = assistant.ask("tools/call", name=tool, arguments=arguments)
    assert MARKER not in json.dumps(answer).lower()
    assert answer["result"]["isError"] or tool in ("search_questions", "predict", "list_concepts")


def test_text_compared_with_the_bank_finds_no_copy_in_another_school(theirs, people) -> None:
    found = Assistant(people["teacher"]).use("check_duplicates", text=TEXT)
    assert found == {"same": [], "near": []}


def test_admins_and_the_other_school_itself_see_it_all(theirs, people, browsers) -> None:
    stranger = Client()
    stranger.force_login(people["stranger"])
    for client in (browsers["admin"], stranger):
        for name, thing in (
            ("question_detail", "question"),
            ("list_detail", "list"),
            ("worksheet_detail", "worksheet"),
            ("saved_search_results", "saved"),
        ):
            assert MARKER in said(client.get(reverse(name, args=[theirs[thing]]))).lower()
        assert MARKER in said(client.get(reverse("run_detail", args=[theirs["run"]]))).lower()
    assert MARKER in said(stranger.get(reverse("document_review", args=[theirs["paper"]]))).lower()
