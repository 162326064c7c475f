"""The API and the pages do the same: fifty actions leave equal rows in all tables, the history included."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
import pytest
from django.apps import apps
from django.db import models, transaction
from django.test import Client
from django.urls import reverse
from pghistory.models import Context

from questionbank.bank.history_selectors import question_history
from questionbank.models import (
    ApiKey,
    ApiRequest,
    AuditEvent,
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionList,
    User,
)
from tests.questionbank.api_client import Program
from tests.questionbank.page_bank import make_bank

ACTIONS = 50
SEED = 56
NOT_COMPARED = {ApiKey, ApiRequest, AuditEvent}  # what only programs leave, and that somebody logged in


class Person:
    """Does things on pages."""

    def __init__(self, user: User) -> None:
        self._client = Client()
        self._client.force_login(user)

    def _send(self, page: str, /, *arguments: Any, **data: Any) -> None:
        response = self._client.post(reverse(page, args=arguments), data)
        assert response.status_code == 302, (page, response.status_code, response.content.decode()[-2_000:])

    def _save(self, address: str, fields: dict[str, Any]) -> None:
        """Open a form, change fields of it and save it, also if the page warns of a near duplicate."""
        [form] = [
            form
            for form in lxml.html.fromstring(self._client.get(address).content.decode()).forms
            if "solution" in form.fields
        ]
        data: dict[str, list[str]] = {}
        for name, value in form.form_values():
            data.setdefault(name, []).append(value)
        data |= fields | {"action": "save"}
        response = self._client.post(address, data)
        if response.status_code == 200:
            response = self._client.post(address, data | {"seen_doubles": response.context["seen_doubles"]})
        assert response.status_code == 302, response.content.decode()[-3_000:]

    def create_question(self, fields: dict[str, Any]) -> None:
        options = fields.get("options", [])
        rows = {f"option_{name}": [option[name] for option in options] for name in ("label", "text")} if options else {}
        self._save(reverse("question_create"), {name: fields[name] for name in fields if name != "options"} | rows)

    def change_question(self, question: Question, fields: dict[str, Any]) -> None:
        self._save(reverse("question_edit", args=[question.pk]), fields)

    def retire(self, question: Question) -> None:
        self._send("question_retire", question.pk)

    def restore(self, question: Question) -> None:
        self._send("question_restore", question.pk)

    def revert(self, question: Question, event: int) -> None:
        self._send("question_revert", question.pk, event, version=question.version)

    def tag(self, question: Question, concepts: list[int]) -> None:
        self._send("question_concepts", question.pk, action="save", concepts=concepts)

    def create_hierarchy(self, name: str) -> None:
        self._send("hierarchy_create", name=name)

    def rename_hierarchy(self, hierarchy: KnowledgeHierarchy, name: str) -> None:
        self._send("hierarchy_rename", hierarchy.pk, name=name)

    def delete_hierarchy(self, hierarchy: KnowledgeHierarchy) -> None:
        self._send("hierarchy_delete", hierarchy.pk)

    def create_concept(self, parent: KnowledgeConcept, name: str) -> None:
        address = reverse("concept_create", args=[parent.hierarchy_id])
        assert self._client.post(f"{address}?parent={parent.pk}", {"name": name}).status_code == 302

    def rename_concept(self, concept: KnowledgeConcept, name: str) -> None:
        self._send("concept_rename", concept.pk, name=name)

    def move_concept(self, concept: KnowledgeConcept, parent: KnowledgeConcept) -> None:
        self._send("concept_change", concept.pk, "move", target=parent.pk)

    def merge_concept(self, concept: KnowledgeConcept, into: KnowledgeConcept) -> None:
        self._send("concept_change", concept.pk, "merge", target=into.pk)

    def create_list(self, name: str) -> None:
        self._send("list_index", name=name)

    def change_list(self, chosen: QuestionList, name: str, is_shared: bool) -> None:
        self._send("list_edit", chosen.pk, name=name)
        self._send("list_visibility", chosen.pk, visible_to="all" if is_shared else "private")

    def delete_list(self, chosen: QuestionList) -> None:
        self._send("list_delete", chosen.pk)

    def add_to_list(self, chosen: QuestionList, question: Question) -> None:
        self._send("list_add", question=question.pk, existing=chosen.pk, name="")

    def move_in_list(self, chosen: QuestionList, question: Question, position: int) -> None:
        self._send("list_item", chosen.pk, question.pk, position=position)

    def remove_from_list(self, chosen: QuestionList, question: Question) -> None:
        self._send("list_item", chosen.pk, question.pk, action="remove")


class Robot:
    """Does the same over the API."""

    def __init__(self, user: User) -> None:
        self._program = Program(user)

    def _send(self, method: str, path: str, body: Any = None) -> None:
        response = self._program(method, path, body)
        assert response.status_code < 300, (method, path, body, response.content)

    def create_question(self, fields: dict[str, Any]) -> None:
        self._send("POST", "/questions", fields)

    def change_question(self, question: Question, fields: dict[str, Any]) -> None:
        self._send("PATCH", f"/questions/{question.pk}", fields)

    def retire(self, question: Question) -> None:
        self._send("POST", f"/questions/{question.pk}/retire")

    def restore(self, question: Question) -> None:
        self._send("POST", f"/questions/{question.pk}/restore")

    def revert(self, question: Question, event: int) -> None:
        self._send("POST", f"/questions/{question.pk}/revert", {"event": event})

    def tag(self, question: Question, concepts: list[int]) -> None:
        self._send("PUT", f"/questions/{question.pk}/tags", {"concepts": concepts})

    def create_hierarchy(self, name: str) -> None:
        self._send("POST", "/hierarchies", {"name": name})

    def rename_hierarchy(self, hierarchy: KnowledgeHierarchy, name: str) -> None:
        self._send("PATCH", f"/hierarchies/{hierarchy.pk}", {"name": name})

    def delete_hierarchy(self, hierarchy: KnowledgeHierarchy) -> None:
        self._send("DELETE", f"/hierarchies/{hierarchy.pk}")

    def create_concept(self, parent: KnowledgeConcept, name: str) -> None:
        self._send("POST", "/concepts", {"hierarchy": parent.hierarchy_id, "parent": parent.pk, "name": name})

    def rename_concept(self, concept: KnowledgeConcept, name: str) -> None:
        self._send("PATCH", f"/concepts/{concept.pk}", {"name": name})

    def move_concept(self, concept: KnowledgeConcept, parent: KnowledgeConcept) -> None:
        self._send("PATCH", f"/concepts/{concept.pk}", {"parent": parent.pk})

    def merge_concept(self, concept: KnowledgeConcept, into: KnowledgeConcept) -> None:
        self._send("POST", f"/concepts/{concept.pk}/merge", {"into": into.pk})

    def create_list(self, name: str) -> None:
        self._send("POST", "/lists", {"name": name})

    def change_list(self, chosen: QuestionList, name: str, is_shared: bool) -> None:
        self._send("PATCH", f"/lists/{chosen.pk}", {"name": name, "is_shared": is_shared})

    def delete_list(self, chosen: QuestionList) -> None:
        self._send("DELETE", f"/lists/{chosen.pk}")

    def add_to_list(self, chosen: QuestionList, question: Question) -> None:
        self._send("POST", f"/lists/{chosen.pk}/questions", {"questions": [question.pk]})

    def move_in_list(self, chosen: QuestionList, question: Question, position: int) -> None:
        self._send("PUT", f"/lists/{chosen.pk}/questions/{question.pk}", {"position": position})

    def remove_from_list(self, chosen: QuestionList, question: Question) -> None:
        self._send("DELETE", f"/lists/{chosen.pk}/questions/{question.pk}")


class Plan:
    """Chooses what is done next, by what the bank holds: the same in both worlds as long as they are equal."""

    def __init__(self, actor: Person | Robot) -> None:
        self.actor, self.chance, self.made = actor, random.Random(SEED), 0

    def run(self) -> list[str]:
        """Do the actions, and return their names."""
        kinds = [name.removeprefix("do_") for name in vars(Plan) if name.startswith("do_")]
        done: list[str] = []
        while len(done) < ACTIONS:
            kind = kinds[len(done) % len(kinds)] if len(done) < len(kinds) else self.chance.choice(kinds)
            getattr(self, f"do_{kind}")()
            done.append(kind)
        return done

    def _one(self, rows: models.QuerySet[Any]) -> Any:
        return rows.order_by("pk")[self.chance.randrange(rows.count())]

    def _name(self) -> str:
        self.made += 1
        return f"{self.chance.choice(('Fractions', 'Brüche', 'Angles'))} {self.made}"

    def _question(self) -> Question:
        return self._one(Question.objects.exclude(status="retired"))

    def do_create_question(self) -> None:
        first, second = self.chance.sample(range(2, 900), 2)
        fields: dict[str, Any] = {"text": f"How much is ${first} \\cdot {second}$?", "answer": str(first * second)}
        fields |= {
            "language": "en",
            "grade": self.chance.choice(("", "7")),
            "kind": self.chance.choice(("open", "number")),
        }
        fields["concepts"] = [self._one(KnowledgeConcept.objects.all()).pk]
        if self.chance.random() < 0.4:
            options = [{"label": "A", "text": f"${first * second}$"}, {"label": "B", "text": f"${first}$"}]
            fields |= {"kind": "choice", "answer": "A", "options": options}
        self.actor.create_question(fields)

    def do_change_question(self) -> None:
        question = self._question()
        changes = (
            {"text": f"{question.text} Explain."},
            {"grade": "9"},
            {"solution": "Subtract first."},
            {"status": "draft"},
        )
        self.actor.change_question(question, self.chance.choice(changes))

    def do_retire(self) -> None:
        self.actor.retire(self._question())

    def do_restore(self) -> None:
        self.actor.retire(self._question())
        self.actor.restore(self._one(Question.objects.filter(status="retired")))

    def do_revert(self) -> None:
        question = self._question()
        self.actor.change_question(question, {"solution": "Compare.", "grade": "10"})
        question.refresh_from_db()
        [event, *_older] = [entry.event for entry in question_history(question=question) if entry.event]
        self.actor.revert(question, event)

    def do_tag(self) -> None:
        concepts = sorted({self._one(KnowledgeConcept.objects.all()).pk for _time in range(2)})
        self.actor.tag(self._question(), concepts)

    def do_create_concept(self) -> None:
        self.actor.create_concept(self._one(KnowledgeConcept.objects.all()), self._name())

    def do_rename_concept(self) -> None:
        self.actor.rename_concept(self._one(KnowledgeConcept.objects.all()), self._name())

    def do_move_concept(self) -> None:
        self.actor.create_concept(self._one(KnowledgeConcept.objects.all()), self._name())
        concept = KnowledgeConcept.objects.latest("pk")
        others = KnowledgeConcept.objects.filter(hierarchy=concept.hierarchy_id).exclude(pk=concept.pk)
        self.actor.move_concept(concept, self._one(others))

    def do_merge_concept(self) -> None:
        parent = self._one(KnowledgeConcept.objects.filter(depth=1))
        self.actor.create_concept(parent, self._name())
        self.actor.merge_concept(KnowledgeConcept.objects.latest("pk"), parent)

    def do_hierarchy(self) -> None:
        self.actor.create_hierarchy(self._name())
        hierarchy = KnowledgeHierarchy.objects.latest("pk")
        self.actor.rename_hierarchy(hierarchy, self._name())
        self.actor.delete_hierarchy(hierarchy)

    def do_create_list(self) -> None:
        self.actor.create_list(self._name())
        for _time in range(3):
            self.do_add_to_list()

    def do_change_list(self) -> None:
        self.actor.change_list(self._one(QuestionList.objects.all()), self._name(), self.chance.random() < 0.5)

    def do_add_to_list(self) -> None:
        self.actor.add_to_list(QuestionList.objects.latest("pk"), self._question())

    def do_move_in_list(self) -> None:
        self.do_add_to_list()
        chosen = QuestionList.objects.latest("pk")
        self.actor.move_in_list(chosen, self._one(chosen.items.all()).question, self.chance.randrange(1, 4))

    def do_remove_from_list(self) -> None:
        self.do_add_to_list()
        chosen = QuestionList.objects.latest("pk")
        self.actor.remove_from_list(chosen, self._one(chosen.items.all()).question)

    def do_delete_list(self) -> None:
        self.actor.create_list(self._name())
        self.actor.delete_list(QuestionList.objects.latest("pk"))


def tables() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables without times and random numbers; an id becomes its rank in its table."""
    compared = [model for model in apps.get_app_config("questionbank").get_models() if model not in NOT_COMPARED]
    rows = {model: list(model._default_manager.order_by("pk").values()) for model in compared}
    people = dict(Context.objects.values_list("pk", "metadata__user"))
    ids: dict[type[models.Model], set[Any]] = {
        model: {row[model._meta.pk.attname] for row in rows[model]} for model in rows
    }
    for model in compared:
        for field in _links(model):
            ids.setdefault(field.related_model, set()).update(row[field.attname] for row in rows[model])
    ranks = {
        model: {one: rank for rank, one in enumerate(sorted(found - {None}, key=str_key))}
        for model, found in ids.items()
    }

    def plain(model: type[models.Model], row: dict[str, Any]) -> dict[str, Any]:
        shown = {name: value for name, value in row.items() if name != "through"}  # the key of a program
        for field in model._meta.concrete_fields:
            if isinstance(field, models.DateTimeField | models.UUIDField):
                shown[field.attname] = None
            elif field.attname == "pgh_context_id":
                shown[field.attname] = people.get(row[field.attname])
            elif isinstance(field, models.ForeignKey):
                shown[field.attname] = ranks[field.related_model].get(row[field.attname])
            elif (model.__name__, field.attname) == ("FacetCount", "concepts"):
                shown[field.attname] = [ranks[KnowledgeConcept].get(concept) for concept in row[field.attname]]
            elif field.primary_key:
                shown[field.attname] = ranks[model][row[field.attname]]
        if "pgh_obj_id" in shown:  # an event has the id of its row twice
            shown["id"] = shown["pgh_obj_id"]
        return shown

    return {model.__name__: [plain(model, row) for row in rows[model]] for model in compared}


def str_key(one: Any) -> tuple[str, Any]:
    return type(one).__name__, one


def _links(model: type[models.Model]) -> Iterator[models.ForeignKey]:
    return (field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey))


def left_by(make: Callable[[User], Person | Robot], user: User) -> tuple[list[str], dict[str, list[dict[str, Any]]]]:
    """Return what was done and what it left; afterwards it is undone."""
    with transaction.atomic():
        done = Plan(make(user)).run()
        found = tables()
        transaction.set_rollback(True)
    return done, found


@pytest.mark.django_db
def test_fifty_actions_leave_the_same_rows_by_pages_and_by_the_api(admin_person) -> None:
    make_bank(admin_person)
    before = tables()
    done, by_pages = left_by(Person, admin_person)
    done_too, by_programs = left_by(Robot, admin_person)
    assert done == done_too
    assert len(set(done)) == len([name for name in vars(Plan) if name.startswith("do_")])
    changed = {name for name in before if by_pages[name] != before[name]}
    assert {"Question", "QuestionEvent", "QuestionTag", "QuestionListItem", "KnowledgeConcept"} <= changed
    differing = {name: _first_difference(by_pages[name], by_programs[name]) for name in before}
    assert {name: difference for name, difference in differing.items() if difference} == {}


def _first_difference(pages: list[dict[str, Any]], programs: list[dict[str, Any]]) -> str:
    """Return the first row that differs, with the fields in which it does; empty if all are equal."""
    for number, (page, program) in enumerate(zip(pages, programs, strict=False)):
        if page != program:
            fields = {name: (page[name], program[name]) for name in page if page[name] != program[name]}
            return f"row {number} of {len(pages)} and {len(programs)}: {fields}"
    return "" if len(pages) == len(programs) else f"{len(pages)} and {len(programs)} rows"
