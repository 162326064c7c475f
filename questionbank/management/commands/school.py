"""Add, list, rename and delete schools, and say who belongs to them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from questionbank.core.errors import NotFound
from questionbank.core.wording import counted
from questionbank.management.base import BankCommand
from questionbank.models import User
from questionbank.people.school_selectors import school_named, schools
from questionbank.people.school_services import (
    school_create,
    school_delete,
    school_people_add,
    school_people_remove,
    school_update,
)


class Command(BankCommand):
    """Schools are given by their name or short name."""

    help = "Add, list, rename or delete schools, and say who belongs to them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("create", help="add a school").add_argument("school", help="its name")
        actions.add_parser("list", help="list the schools with their short names and numbers of people")
        rename = actions.add_parser("rename", help="rename a school; its short name stays")
        rename.add_argument("school")
        rename.add_argument("name", help="its new name")
        delete = actions.add_parser("delete", help="delete a school")
        delete.add_argument("school")
        delete.add_argument(
            "--to", required=True, help="who may then see its content: all, private (the authors) or another short name"
        )
        for action, what in (("add", "also add people to a school"), ("remove", "take people out of a school")):
            change = actions.add_parser(action, help=what)
            change.add_argument("school")
            change.add_argument("usernames", nargs="+", metavar="username")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        getattr(self, f"_{action}")(options)

    def _create(self, options: dict[str, Any]) -> None:
        school = school_create(user=None, name=options["school"])
        self.stderr.write(f"{school} has been added with the short name {school.slug}.")

    def _list(self, _options: dict[str, Any]) -> None:
        for school in schools():
            self.stdout.write(f"{school.slug}  {counted(school.size, 'person', 'people')}  {school}")

    def _rename(self, options: dict[str, Any]) -> None:
        school = school_named(name=options["school"])
        quotas = {name: getattr(school, name) for name in ("most_questions", "most_megabytes")}
        school_update(user=None, school=school, name=options["name"], **quotas)
        self.stderr.write(f"The school is called {school} now.")

    def _delete(self, options: dict[str, Any]) -> None:
        school = school_named(name=options["school"])
        moved = school_delete(user=None, school=school, to=options["to"])
        self.stderr.write(f"{school} has been deleted; {counted(moved, 'thing was', 'things were')} moved.")

    def _add(self, options: dict[str, Any]) -> None:
        school, people = school_named(name=options["school"]), _people(options["usernames"])
        school_people_add(user=None, school=school, people=people)
        self.stderr.write(f"{school} has {counted(school.people.count(), 'person', 'people')} now.")

    def _remove(self, options: dict[str, Any]) -> None:
        school, people = school_named(name=options["school"]), _people(options["usernames"])
        school_people_remove(user=None, school=school, people=people)
        self.stderr.write(f"{school} has {counted(school.people.count(), 'person', 'people')} now.")


def _people(usernames: Sequence[str]) -> list[User]:
    found = User.objects.in_bulk(usernames, field_name="username")
    if missing := [name for name in usernames if name not in found]:
        raise NotFound(f"There is nobody with the log-in name {missing[0]!r}.")
    return list(found.values())
