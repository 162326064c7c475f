"""What a new installation begins with: models, and in the demo a bank and people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pgtrigger
from django.contrib.auth.models import Group
from django.db import transaction

from questionbank.demo.bank import DEMO_BANK, HIERARCHY_NAME
from questionbank.demo.people import DEMO_PEOPLE
from questionbank.demo.review_pairs import review_pairs
from questionbank.models import ParaphrasePair, Question, User
from questionbank.services.artifacts import artifact_install_default
from questionbank.services.demo_results import demo_results_install
from questionbank.services.embeddings import embedding_request_outdated
from questionbank.services.import_options import ImportOptions
from questionbank.services.imports import import_file
from questionbank.services.paraphrase import PairInput, pairs_create
from questionbank.services.solutions import solve_request_missing


def bank_setup(*, demo: bool, report: Callable[[str], Any]) -> bool:
    """Install the default models and, for a demo, its people and bank.

    Returns:
        Whether questions came in whose vectors have yet to be computed.
    """
    artifact_install_default(report=report)
    embedding_request_outdated()
    solve_request_missing()  # an update may have removed solutions
    if not demo:
        for username in demo_people_shut_out():
            report(f"The demo log-in {username!r} is shut: its password is published.")
        return False
    demo_people_create()
    if not demo_bank_install(report=report):
        return False
    demo_review_install(report=report)
    return not demo_results_install()


@transaction.atomic
def demo_people_create() -> None:
    """Create the demo's log-ins where they are missing, and let in those that were shut out."""
    for username, password, role in DEMO_PEOPLE:
        existing = User.objects.filter(username=username).first()
        if existing is not None:
            if not existing.is_active and existing.check_password(password):
                existing.is_active = True
                existing.save(update_fields=["is_active"])
        else:
            person = User.objects.create_user(
                username, password=password, first_name=f"Demo {role}", is_staff=role == "admin"
            )
            person.groups.add(Group.objects.get(name=role))


@transaction.atomic
def demo_people_shut_out() -> list[str]:
    """Shut out people who still have a published password of the demo; returns their names.

    An installation that was tried with `DEMO=1` must not keep its admin's password when it goes into
    production, even if that is its last admin: `createsuperuser` makes the first real one. A person who has set a
    password of their own stays.
    """
    shut = []
    for username, password, _role in DEMO_PEOPLE:
        person = User.objects.filter(username=username, is_active=True).first()
        if person is not None and person.check_password(password):
            person.is_active = False
            with pgtrigger.ignore("questionbank.User:last_admin"):
                person.save(update_fields=["is_active"])
            shut.append(username)
    return shut


def demo_bank_install(*, report: Callable[[str], Any]) -> bool:
    """Import the demo's questions into an empty bank; returns whether it did."""
    if Question.objects.exists():
        return False
    report("Making the demo bank ...")
    options = ImportOptions(format="jsonl", hierarchy=HIERARCHY_NAME, source=HIERARCHY_NAME)
    outcome = import_file(path=DEMO_BANK, options=options)
    report(f"The demo bank has {outcome.created:,} questions.")
    return True


def demo_review_install(*, report: Callable[[str], Any]) -> bool:
    """Put the demo's paraphrases into an empty review queue and ask for their scores; returns whether it did."""
    if ParaphrasePair.objects.exists():
        return False
    made = pairs_create(
        pairs=[PairInput(original, paraphrase) for original, paraphrase in review_pairs()],
        source=ParaphrasePair.Source.TYPED,
        user=None,
        batch="Demo",
    )
    report(f"The demo's review queue has {len(made)} paraphrases.")
    return True
