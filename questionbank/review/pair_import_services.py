"""Uploading files of paraphrases: first a check that writes nothing, then adding the pairs of the checked file.

The file stays among the uploads between the two steps, under a token signed for its uploader. After its pairs are
added, an empty marker file replaces it, so that a second press of the button gets an explanation.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core import signing
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from questionbank.bank.question_selectors import is_text_of, visible_to
from questionbank.core.errors import Conflict, ImportRefused, LineProblem, ValidationFailed
from questionbank.core.storage import scratch_folder, upload_name, uploads_forget_old
from questionbank.formats.pairs import PairRow, read_pair_file
from questionbank.models import ParaphrasePair, Question, ReviewDecision, User
from questionbank.people.permissions import require
from questionbank.review.guideline_services import guideline_current
from questionbank.review.pair_services import PairInput, pairs_create, pairs_known, pairs_turn
from questionbank.review.paraphrase_services import why_not_reworded

SHOWN_PROBLEMS = 100
MOST_ROWS = 20_000
MOST_LINES = 200_000  # including blank ones
MOST_UNPACKED = 50 * 1024 * 1024  # bytes; the file is read during the request
_SALT = "kindred.paraphrases.3"  # the number changes with the signed content
_KEPT_FOR = 24 * 3600  # seconds
_ADDED = ".added"
_ROWS = 500  # rows per statement


@dataclass(frozen=True, slots=True)
class PairReport:
    """The result of a check.

    Attributes:
        token: identifies the stored file to `pairs_import`.
        problems: the first `SHOWN_PROBLEMS` unusable lines; `refused` counts all of them.
        labelled: number of usable pairs with a label.
    """

    token: str
    name: str
    usable: int
    refused: int
    problems: tuple[LineProblem, ...]
    first: tuple[PairInput, ...]
    labelled: int = 0


def pairs_check(
    *, upload: File[Any], name: str, user: User, opinions: int | None = None, hides_machine: bool = False
) -> PairReport:
    """Store a file of pairs and report which of them can be used; adds nothing to the queue.

    Args:
        opinions, hides_machine: passed to `pairs_create` when the pairs are added.

    Raises:
        NotAllowed: the person may not add pairs.
        ImportRefused: the file as a whole cannot be read.
    """
    require(user, "review", "You may not add paraphrases.")
    plain = upload_name(name)[-50:].strip(". ") or "upload"
    uploads_forget_old()
    stored = storages["uploads"].save(f"{uuid.uuid4().hex}.pairs", upload)
    try:
        pairs, problems = _read(stored, plain, user)
    except BaseException:
        storages["uploads"].delete(stored)
        raise
    token = signing.dumps([stored, plain, user.pk, opinions, hides_machine], salt=_SALT)
    return PairReport(
        token=token,
        name=plain,
        usable=len(pairs),
        refused=len(problems),
        problems=tuple(problems[:SHOWN_PROBLEMS]),
        first=tuple(pairs[:3]),
        labelled=sum(pair.label is not None for pair in pairs),
    )


def pairs_import(
    *, token: str, user: User, skip_refused: bool = False, labels_decide: bool = False
) -> list[ParaphrasePair]:
    """Add the pairs of a checked file: all of them, or with `skip_refused` only the usable ones.

    With `labels_decide` the labelled pairs are decided by their labels, without reviewers; else labels are dropped.

    Raises:
        NotAllowed: the person may not add pairs.
        Conflict: its pairs were added already, or the file is no longer stored or belongs to somebody else.
        ImportRefused: some lines cannot be used and `skip_refused` is false, or none can; nothing was added.
    """
    require(user, "review", "You may not add paraphrases.")
    try:
        stored, name, owner, opinions, hides_machine = signing.loads(token, salt=_SALT, max_age=_KEPT_FOR)
    except signing.BadSignature as error:
        raise Conflict("The file is no longer stored; upload it again.") from error
    if owner != user.pk:
        raise Conflict("The file is no longer stored; upload it again.")
    with transaction.atomic():
        pairs_turn()
        return _import(
            stored,
            name,
            user,
            skip_refused=skip_refused,
            labels_decide=labels_decide,
            opinions=opinions,
            hides_machine=hides_machine,
        )


def _import(
    stored: str, name: str, user: User, *, skip_refused: bool, labels_decide: bool, **options: Any
) -> list[ParaphrasePair]:
    storage, mark = storages["uploads"], f"{stored}{_ADDED}"
    if storage.exists(mark):
        raise Conflict("The pairs of this file were added already.")
    if not storage.exists(stored):
        raise Conflict("The file is no longer stored; upload it again.")
    pairs, problems = _read(stored, name, user)
    if (problems and not skip_refused) or not pairs:
        raise ImportRefused(f"Lines of {name} cannot be used; nothing was added.", problems)
    try:
        made = pairs_create(pairs=pairs, source=ParaphrasePair.Source.UPLOAD, user=user, batch=name, **options)
    except ValidationFailed as error:  # a pair that the reader accepts and the queue does not
        raise ImportRefused(str(error), problems) from error
    if labels_decide:
        _decide_by_labels(made, [pair.label for pair in pairs], user)
    storage.save(mark, ContentFile(b""))
    storage.delete(stored)
    return made


def _decide_by_labels(made: Sequence[ParaphrasePair], labels: Sequence[int | None], user: User) -> None:
    """Decide the labelled pairs by their labels, and mark those decisions as labels."""
    verdicts, outcomes = ReviewDecision.Verdict, ParaphrasePair.Outcome
    guideline, decided, decisions = guideline_current(), [], []
    for pair, label in zip(made, labels, strict=True):
        if label is None:
            continue
        pair.state = ParaphrasePair.State.DECIDED
        pair.outcome = outcomes.ACCEPT if label else outcomes.REJECT
        decided.append(pair)
        decisions.append(
            ReviewDecision(
                pair=pair,
                reviewer=user,
                verdict=verdicts.ACCEPT if label else verdicts.REJECT,
                reason="" if label else ReviewDecision.Reason.LABELLED,
                guideline=guideline,
                is_label=True,
            )
        )
    ParaphrasePair.objects.bulk_update(decided, ["state", "outcome"], batch_size=_ROWS)
    ReviewDecision.objects.bulk_create(decisions, batch_size=_ROWS)


@contextmanager
def _local(stored: str, name: str) -> Iterator[Path]:
    """Yield the stored file under its original name, which messages about it use."""
    with scratch_folder(prefix="pairs-") as folder, storages["uploads"].open(stored) as kept:
        path = folder / name
        with path.open("wb") as copy:
            shutil.copyfileobj(kept, copy)
        yield path


def _read(stored: str, name: str, user: User) -> tuple[list[PairInput], list[LineProblem]]:
    with _local(stored, name) as path:
        lines = read_pair_file(path, unpacked_limit=MOST_UNPACKED, lines_limit=MOST_LINES)
        rows = list(_bounded(lines, name))
    if not rows:
        raise ImportRefused(f"There is no pair in {name}.")
    question_ids = {row.question for _number, row in rows if isinstance(row, PairRow) and row.question is not None}
    questions = Question.objects.filter(visible_to(user)).in_bulk(question_ids)
    stored_pairs = pairs_known(paraphrases=[row.paraphrase for _number, row in rows if isinstance(row, PairRow)])
    seen: dict[tuple[str, str], int] = {}
    pairs, problems = [], []
    for number, row in rows:
        if isinstance(row, LineProblem):
            problems.append(row)
            continue
        question = questions.get(row.question) if row.question is not None else None
        original = row.original or (question.text.strip() if question else "")
        both = (original, row.paraphrase)
        reason = _refusal(row, question, original)
        if not reason and both in seen:
            reason = f"this pair is already on line {seen[both]}"
        elif not reason and both in stored_pairs:
            reason = "this pair was added already"
        if reason:
            problems.append(LineProblem(number, reason))
            continue
        seen[both] = number
        pairs.append(PairInput(original, row.paraphrase, row.language, row.id, question, row.label))
    return pairs, problems


def _refusal(row: PairRow, question: Question | None, original: str) -> str:
    """Return why a row by itself cannot be used; empty if it can."""
    if row.question is not None and question is None:
        return f"there is no question {row.question} in the bank"
    if question is not None and (refusal := why_not_reworded(question)):
        return refusal
    if question is not None and not is_text_of(question=question, text=original):
        return f"the original is not the text of question {question.pk}"
    return "original and paraphrase are the same text" if original == row.paraphrase else ""


def _bounded(
    rows: Iterator[tuple[int, PairRow | LineProblem]], name: str
) -> Iterator[tuple[int, PairRow | LineProblem]]:
    for place, row in enumerate(rows):
        if place == MOST_ROWS:
            raise ImportRefused(f"{name} has more than {MOST_ROWS} pairs; split it.")
        yield row
