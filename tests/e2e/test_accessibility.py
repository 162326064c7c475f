"""axe on every page in both themes, and no page wider than a telephone or a tablet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import numpy as np
import pytest
from django.utils import timezone

from questionbank.bank.vector_services import projection_store
from questionbank.models import (
    BulkChange,
    EmbeddingSet,
    Hook,
    ModelArtifact,
    ModelComparison,
    Question,
    QuestionList,
    Retraining,
    RetrainingSchedule,
    Run,
    RunLog,
    RunMetric,
)
from questionbank.registry.artifact_services import artifact_promote
from tests.e2e.accessibility import LOOKS, complaints, faults, is_too_wide
from tests.factories import QuestionFactory

LONG_FORMULA = r"$$\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sum_{k=0}^{n} \binom{n}{k} a^k b^{n-k} + " + " + ".join(
    rf"\frac{{x^{{{n}}}}}{{{n}!}}" for n in range(1, 25)
) + "$$"  # fmt: skip

OPEN_PAGES = ("/accounts/login/", "/accounts/password/reset/", "/nothing/here/")
TEACHER_PAGES: dict[str, Callable] = {
    "home": lambda bank: "/",
    "results": lambda bank: "/questions/?q=equation",
    "sorted results with answers": lambda bank: "/questions/?order=hardest&answers=1",
    "closest in meaning": lambda bank: "/questions/?q=equation+zebra",
    "combined concepts": lambda bank: f"/questions/?concepts_any={bank.linear.pk},{bank.circle.pk}&concepts_none=4711",
    "combining concepts": lambda bank: f"/questions/concepts/?concepts_all={bank.linear.pk}&find=e",
    "saving a search": lambda bank: f"/searches/new/?concept={bank.linear.pk}",
    "saved searches": lambda bank: "/searches/?counts=1",
    "selection": lambda bank: "/questions/selected/?all=1",
    "preview of a bulk change": lambda bank: "/questions/selected/?all=1&kind=retire",
    "no results": lambda bank: "/questions/?q=zzzzzz&grade=99",
    "question": lambda bank: f"/questions/{bank.questions[0].pk}/",
    "long question": lambda bank: f"/questions/{bank.long.pk}/",
    "edit": lambda bank: f"/questions/{bank.questions[0].pk}/edit/",
    "retire": lambda bank: f"/questions/{bank.questions[0].pk}/retire/",
    "same idea": lambda bank: f"/questions/{bank.questions[0].pk}/similar/same-idea/",
    "concepts of a question": lambda bank: f"/questions/{bank.questions[0].pk}/concepts/",
    "write": lambda bank: "/questions/new/",
    "paste": lambda bank: "/paste/",
    "tree": lambda bank: "/concepts/?q=linear",
    "concept": lambda bank: f"/concepts/{bank.linear.pk}/",
    "map": lambda bank: "/map/",
    "map of difficulties": lambda bank: "/map/?colour=difficulty",
    "jobs": lambda bank: "/jobs/",
    "failed job": lambda bank: f"/jobs/{bank.failed.pk}/",
    "models": lambda bank: "/models/",
    "model": lambda bank: f"/models/{bank.candidate.pk}/",
    "comparison": lambda bank: f"/models/{bank.candidate.pk}/compare/",
    "not compared": lambda bank: f"/models/{bank.champion.pk}/compare/",
    "history of models": lambda bank: "/models/history/encoder/",
    "sessions": lambda bank: "/accounts/sessions/",
    "forbidden": lambda bank: "/import/",
    "password": lambda bank: "/accounts/password/change/",
    "two-factor authentication": lambda bank: "/accounts/2fa/",
    "log out": lambda bank: "/accounts/logout/",
    "help": lambda bank: "/help/",
    "keys for programs": lambda bank: "/api/keys/",
    "web hooks": lambda bank: "/api/hooks/",
    "web hook": lambda bank: f"/api/hooks/{bank.hook.pk}/",
    "lists": lambda bank: "/lists/",
    "list": lambda bank: f"/lists/{bank.list.pk}/",
    "synonyms": lambda bank: "/concepts/synonyms/",
    "questions compared": lambda bank: (
        f"/questions/compare/?question={bank.questions[0].pk}&question={bank.questions[1].pk}&question={bank.long.pk}"
    ),
    "near copies": lambda bank: f"/questions/near-copies/?import={bank.imported.pk}",
    "worked exemplars": lambda bank: f"/questions/{bank.questions[0].pk}/exemplars/",
}
ADMIN_PAGES: dict[str, Callable] = {
    "concepts of many questions": lambda bank: "/questions/selected/?all=1&kind=concepts&concept_query=c",
    "difficulty of many questions": lambda bank: "/questions/selected/?all=1&kind=difficulty&preview=1",
    "bulk changes": lambda bank: "/questions/changes/",
    "bulk change": lambda bank: f"/questions/changes/{bank.change.pk}/",
    "import": lambda bank: "/import/",
    "undo of an import": lambda bank: f"/jobs/{bank.checked.pk}/undo/",
    "changes": lambda bank: "/changes/",
    "dry run": lambda bank: f"/jobs/{bank.checked.pk}/",
    "training": lambda bank: f"/jobs/{bank.training.pk}/",
    "problems with the same computation": lambda bank: "/models/pairs/",
    "training of a solver": lambda bank: "/models/train/solver/",
    "models": lambda bank: "/models/",
    "model": lambda bank: f"/models/{bank.candidate.pk}/",
    "comparison": lambda bank: f"/models/{bank.candidate.pk}/compare/",
    "promotion": lambda bank: f"/models/{bank.candidate.pk}/promote/",
    "deletion of a model": lambda bank: f"/models/{bank.candidate.pk}/delete/",
    "roll back": lambda bank: "/models/roll-back/encoder/",
    "no roll back": lambda bank: "/models/roll-back/probes/",
    "retrain": lambda bank: "/models/train/encoder/",
    "retrain probes": lambda bank: "/models/train/probes/",
    "default hierarchy": lambda bank: f"/concepts/hierarchies/{bank.hierarchy.pk}/default/",
    "running job": lambda bank: f"/jobs/{bank.running.pk}/",
    "rename": lambda bank: f"/concepts/{bank.linear.pk}/rename/",
    "move": lambda bank: f"/concepts/{bank.linear.pk}/move/?q=c",
    "merge": lambda bank: f"/concepts/{bank.linear.pk}/merge/?q=c",
    "delete": lambda bank: f"/concepts/{bank.linear.pk}/delete/?q=c",
    "new hierarchy": lambda bank: "/concepts/hierarchies/new/",
    "delete hierarchy": lambda bank: f"/concepts/hierarchies/{bank.hierarchy.pk}/delete/",
    "health": lambda bank: "/health/details/",
    "people": lambda bank: "/people/",
    "invitation": lambda bank: "/people/invite/",
    "person": lambda bank: f"/people/{bank.teacher.pk}/",
    "retraining": lambda bank: "/models/retraining/",
    "schedule of retraining": lambda bank: "/models/retraining/encoder/",
    "old models": lambda bank: "/models/old/?encoder=0&preview=1",
    "new synonyms": lambda bank: "/concepts/synonyms/new/",
}


@pytest.fixture
def full_bank(bank, teacher):
    """The bank with what stretches a page: a very long formula, long words, jobs of every kind."""
    bank.long = QuestionFactory(
        text=f"Show that {LONG_FORMULA} and that {LONG_FORMULA.replace('$$', '$')} hold for {'x' * 120}.",
        kind="choice",
        options=[{"label": label, "text": LONG_FORMULA, "misconception": "m" * 80} for label in "AB"],
        answer="A",
        solution=LONG_FORMULA * 3,
        source="A set with a very long name, as publishers like them, in its third and final edition of 2024",
    )
    refused = [{"line": n, "reason": "the text is missing " * 5, "field": "text"} for n in range(1, 40)]
    reasons = [
        {"field": "text", "reason": "the text is missing " * 5, "count": 39, "lines": [1, 2, 3], "values": ["'x'"],
         "others": 4}
    ]  # fmt: skip
    report = {
        "reasons": reasons, "warnings": reasons, "to_leave_out": {"difficulty": 39}, "notes": ["A note."],
        "read_as": "CSV, UTF-8", "columns": [["Frage", "text"]], "unread_columns": ["Autor"], "formulas_checked": 9,
        "name": "mine.jsonl", "source": "mine", "hierarchy": "mine", "dry_run": True, "written": False,
        "rows": 500, "created": 400, "duplicates": 3, "links": [{"line": 4, "question": bank.long.pk,
        "first_line": None}], "refused_count": 39, "refused": refused, "concepts_created": 12,
        "questions_tagged": 300, "languages": {"en": 400}, "seconds": 1.5, "phases": {},
    }  # fmt: skip
    bank.checked = Run.objects.create(
        kind="import", title="Check of mine.jsonl", state="succeeded", parameters={"dry_run": True}, result=report
    )
    bank.imported = Run.objects.create(kind="import", title="Import of mine.jsonl", state="succeeded")
    Question.objects.filter(pk__in=[question.pk for question in bank.questions[1:3]]).update(import_run=bank.imported)
    bank.teacher = teacher
    bank.failed = Run.objects.create(kind="embed", state="failed", error="The disk is full. " * 5)
    RunLog.objects.create(run=bank.failed, text="The worker stopped answering. " * 10, level="error")
    projection_store(
        embedding_set=EmbeddingSet.objects.get(lens="purpose"),
        question_ids=np.array([question.pk for question in bank.questions]),
        coordinates=np.eye(6, 2, dtype=np.float32),
        method="tsne",
        settings={},
    )
    add_models(bank)
    bank.list = QuestionList.objects.create(owner=teacher, name="Friday's revision " * 5, visibility="all")
    for position, question in enumerate([bank.long, *bank.questions[:2]], 1):
        bank.list.items.create(question=question, position=position)
    bank.running = Run.objects.create(kind="train", title="Train", state="running", done=10, total=100)
    bank.change = BulkChange.objects.create(
        kind="source", values={"source": "A book of " + "x" * 100}, changed=3,
        refused={"Only drafts can be deleted.": 4},
        applied_at=timezone.now(), undone_at=timezone.now(),
        kept=[question.pk for question in bank.questions],
    )  # fmt: skip
    add_hook(bank)
    add_retrainings(bank)
    return bank


def add_retrainings(bank) -> None:
    """A schedule that has had a night of each outcome, the last with much to read."""
    schedule = RetrainingSchedule.objects.create(capability="encoder", every_weeks=4, after_labels=5000, promotes=True)
    report = "It did not pass the gate, so the model in use stays.\n" + "Precision at 10: 0.520, in use 0.610\n" * 6
    for number, outcome in enumerate(Retraining.Outcome.values, 1):
        schedule.retrainings.create(
            night=date(2026, 1, number), outcome=outcome, why="5,000 new labels and responses since the last training.",
            report=report, artifact=bank.candidate, training=bank.running,
        )  # fmt: skip


def add_hook(bank) -> None:
    """A web hook that Kindred disabled, with a message in each state."""
    bank.hook = Hook.objects.create(
        owner=bank.teacher, address=f"https://example.org/{'x' * 200}", events=Hook.Event.values, is_active=False,
        disabled_because="Nothing could be delivered for three days.",
    )  # fmt: skip
    failed = {"at": "2026-11-29T12:00:00+00:00", "status": 500, "response": "y" * 500, "error": "It answered 500."}
    taken = failed | {"status": 204, "response": "", "error": ""}
    message = {"kind": "question.changed", "body": '{"ids": [' + ", ".join(["17"] * 300) + "]}"}
    now = timezone.now()
    bank.hook.deliveries.create(**message, attempts=[failed], due_at=None)
    bank.hook.deliveries.create(**message, attempts=[failed, taken], due_at=None, delivered_at=now)
    bank.hook.deliveries.create(**message, attempts=[failed], due_at=now)


def add_models(bank) -> None:
    """A champion that replaced another, a candidate that does not pass the gate, and a training at work."""
    former, bank.champion, bank.candidate = (
        ModelArtifact.objects.create(
            capability="encoder",
            name=f"{name}-with-a-name-that-is-as-long-as-names-of-models-become-{'x' * 60}",
            checksum=name.ljust(64, "0"),
            manifest={
                "config": {"epochs": 7},
                "metrics": {"loss": 2.5, "held_out": {"held_out_precision_at_10": 0.7}},
                "license_note": "terms " * 30,
                "extra": {"command": "python manage.py train encoder " * 9, "hierarchies": {"School": 6}},
            },
        )
        for name in ("former", "champion", "candidate")
    )
    EmbeddingSet.objects.create(lens="purpose", artifact=former, encoder_name="former", state="retired", dimension=4)
    for artifact in (former, bank.champion):
        artifact_promote(
            artifact=artifact, reason="Because it is better. " * 10, gate={"overridden": True, "reasons": ["Too few."]}
        )
    metrics = [
        {
            "name": name, "label": name, "higher_is_better": True, "questions": 60, "candidate": 0.6,
            "champion": 0.5, "difference": 0.1, "low": low, "high": low + 0.2, "worse": low < -0.2,
        }
        for name, low in (
            ("concept_accuracy_level_1", 0.01), ("precision_at_10_level_1", -0.1), ("difficulty_pearson", -0.3)
        )
    ]  # fmt: skip
    ids = [question.pk for question in bank.questions]
    ModelComparison.objects.create(
        candidate=bank.candidate,
        champion=bank.champion,
        figures={
            "suite": {"questions": 60, "train_questions": 500, "lost": 2, "gained": 3},
            "metrics": metrics,
            "changed": [{"question": bank.long.pk, "overlap": 0.3, "candidate": ids, "champion": ids[:3]}],
        },
    )
    bank.training = Run.objects.create(
        kind="train", capability="encoder", title="Train the encoder", state="running", queue="train",
        done=40, total=450, message="Step 40 of 450, 3 min left", heartbeat_at=timezone.now(),
        parameters={"set": {"epochs": "7", "backbone": "a/very/long/folder/" * 8}, "hierarchies": ["School"]},
    )  # fmt: skip
    RunMetric.objects.bulk_create(
        RunMetric(run=bank.training, step=step, name=name, value=value / step)
        for step in range(10, 50, 10)
        for value, name in enumerate(
            ["epoch", "loss", *(f"loss_rank_{rank}" for rank in range(8)), "held_out_precision_at_10"]
        )
    )
    trained = Run.objects.create(
        kind="train", capability="encoder", state="succeeded", result={"model": bank.candidate.pk}
    )
    RunMetric.objects.create(run=trained, step=10, name="loss", value=2.0)


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=["desk-light", "telephone-dark"])
def test_a_bad_page_is_complained_of(open_browser, size, theme) -> None:
    page = open_browser(size=size, color_scheme=theme)
    page.set_content(
        "<img src='data:,'><main><p style='color: #777; background: #888'>Hard to read</p></main>"
        "<div style='width: 2000px'>Wide</div>"
    )
    rules = {complaint.partition(":")[0] for complaint in complaints(page, theme)}
    assert rules >= ({"color-contrast", "image-alt"} if theme == "light" else {"color-contrast"})
    assert not complaints(page, theme, within="div")
    assert is_too_wide(page)


def test_a_page_that_is_bad_in_one_look_is_complained_of(open_browser) -> None:
    page = open_browser()
    page.set_content(
        "<style>@media (prefers-color-scheme: dark) { p { color: #777; background: #888 } }"
        " @media (max-width: 400px) { div { width: 2000px } }</style><main><p>Dark</p><div>Wide</div></main>"
    )
    page_faults = faults(page)
    assert any(fault.startswith("color-contrast") for fault in page_faults)
    assert "wider than 390 pixels" in page_faults
    assert "wider than 820 pixels" not in page_faults


def test_pages_before_the_log_in(open_browser, full_bank, settings) -> None:
    settings.DEMO = True
    page = open_browser()
    for address in OPEN_PAGES:
        page.goto(address)
        assert not faults(page), address


@pytest.mark.parametrize("role", ["teacher", "admin"])
def test_pages_of_each_role(open_as, full_bank, admin_person, role) -> None:
    page = open_as(role)
    bad_pages = {}
    for name, address in (TEACHER_PAGES if role == "teacher" else ADMIN_PAGES).items():
        page.goto(address(full_bank))
        if problems := faults(page):
            bad_pages[name] = problems
    assert not bad_pages


def test_what_appears_only_after_doing_something(open_as, full_bank) -> None:
    page = open_as("teacher")
    page.locator(".account > summary").click()
    # what an open menu half covers behind it cannot be clicked, and need not be
    assert not complaints(page, within=".account"), "the menu"

    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(full_bank.long.text)
    page.get_by_role("heading", name="Similar questions").wait_for()
    assert not faults(page), "what was pasted"

    page.goto("/questions/new/")
    page.get_by_label("Find a concept").fill("c")
    page.locator(".chooser-list").wait_for()
    page.get_by_label("Type", exact=True).select_option("choice")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("alert").wait_for()
    assert not faults(page), "a form with errors"


def test_an_empty_bank(open_as, teacher, transactional_db) -> None:
    page = open_as("teacher")
    assert not Question.objects.exists()
    for address in ("/", "/questions/", "/concepts/", "/map/", "/models/", "/jobs/"):
        page.goto(address)
        assert not faults(page), address


def test_everything_is_reached_by_keyboard(open_as, full_bank) -> None:
    page = open_as("teacher")
    page.goto("/questions/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_print_shows_the_question_and_nothing_else(open_as, full_bank) -> None:
    page = open_as("teacher")
    page.goto(f"/questions/{full_bank.questions[0].pk}/")
    page.emulate_media(media="print")
    assert page.locator(".question-text").first.is_visible()
    for hidden in (".site-header", ".similar-section", ".question-knowledge", ".site-footer"):
        assert page.locator(hidden).is_hidden()
