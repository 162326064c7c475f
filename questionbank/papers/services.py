"""Write test papers under review: upload, read, correct step by step, delete after a week.

A worker reads files; text is read within the request. Nothing here changes the bank except for pictures, which are
stored as attachments that nothing displays yet.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from django.core.files import File
from django.core.files.storage import storages
from django.db import transaction
from django.db.models import QuerySet

from analytics.question_content import as_json
from questionbank.bank.attachment_services import AttachmentStore
from questionbank.core.errors import Conflict, DocumentRefused, NotAllowed, ValidationFailed
from questionbank.core.storage import scratch_folder, upload_name, uploads_forget_old
from questionbank.formats.pictures import PictureRefused
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import DocumentDraft, Run, User
from questionbank.papers.documents import read_document, read_text
from questionbank.papers.paper_lines import Correction, Document, ReviewedLine, Role, page_name, roles_as_json
from questionbank.papers.pdf.pages import check_pdf
from questionbank.papers.question_assembly import assemble, guess_roles, read_lines
from questionbank.papers.review_selectors import second_reading
from questionbank.papers.second_reading_services import second_reading_request
from questionbank.papers.selectors import document_corrected, document_review
from questionbank.people.permissions import require
from questionbank.people.school_services import upload_fits

MOST_QUESTIONS = 2_000
MOST_STEPS = 5_000  # maximum number of stored corrections per paper
MOST_POINTS = 1_000  # for a question or a part
PASTED_NAME = "Pasted test paper"
_NAME_LIMIT = 200


def document_draft_upload(*, upload: File[Any], name: str, user: User, may_be_sent: bool = True) -> DocumentDraft:
    """Store an uploaded document and queue the job that reads it.

    Args:
        may_be_sent: whether the school's language model may read it as well.

    Raises:
        NotAllowed: If the person may not import test papers.
        ValidationFailed: If it is a PDF file that cannot be read, such as a scan, or the person's school has no room.
    """
    require(user, "import", "You may not import test papers.")
    _check_pdf(upload)
    upload_fits(user=user, size=upload.size)
    uploads_forget_old()
    printable = upload_name(name)[-_NAME_LIMIT:] or "document"
    stored = storages["uploads"].save(f"{uuid.uuid4().hex}.upload", upload)
    with transaction.atomic():
        draft = DocumentDraft.objects.create(owner=user, name=printable, upload=stored, may_be_sent=may_be_sent)
        draft.read_run = runs.run_create(
            kind=Run.Kind.READ,
            title="Read a test paper",  # jobs are visible to everybody, papers only to their owner
            parameters={"draft": draft.pk},
            queue="light",
            requested_by=user,
        )
        draft.save(update_fields=["read_run"])
    return draft


def _check_pdf(upload: File[Any]) -> None:
    """Check a PDF file before it is stored, so that nobody waits for a worker only to have a scan refused."""
    upload.seek(0)
    is_pdf = b"%PDF-" in upload.read(1024)
    upload.seek(0)
    if is_pdf:
        try:
            check_pdf(upload.read())
        except DocumentRefused as error:
            raise ValidationFailed.beside("file", str(error)) from error
        upload.seek(0)


def document_draft_paste(*, text: str, user: User, may_be_sent: bool = True) -> DocumentDraft:
    """Read a pasted test paper.

    Args:
        may_be_sent: whether the school's language model may read it as well.

    Raises:
        NotAllowed: If the person may not import test papers.
        ValidationFailed: If the text cannot be read, or is too long.
    """
    require(user, "import", "You may not import test papers.")
    draft = DocumentDraft(owner=user, name=PASTED_NAME, may_be_sent=may_be_sent)
    try:
        _take(draft, read_text(text))
    except DocumentRefused as error:
        raise ValidationFailed(str(error), {"text": [str(error)]}) from error
    with transaction.atomic():
        draft.save()
        second_reading_request(draft=draft)
    return draft


def document_question_count(text: str) -> int:
    """Return the number of questions that a text seems to contain; 0 if it cannot be read."""
    try:
        lines = read_text(text).lines
    except DocumentRefused:
        return 0
    return len(assemble(lines, guess_roles(lines)).questions)


def run_document_read(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Run the job of `document_draft_upload`; return what was read, for the run's result.

    An unreadable document does not fail the job: its draft states the reason. Safe to run twice.
    """
    draft = DocumentDraft.objects.filter(pk=run.parameters["draft"]).first()
    if draft is None or draft.state != DocumentDraft.State.READING:  # deleted, or read by a worker that then crashed
        return {}
    reporter.progress(0, 0, "Reading the document")
    storage = storages["uploads"]
    with scratch_folder(prefix="document-") as folder:
        path = folder / f"document{PurePath(draft.name).suffix.lower()}"
        try:
            with storage.open(draft.upload) as stored, path.open("wb") as local:
                shutil.copyfileobj(stored, local)
            _take(draft, read_document(path, draft.name))
        except FileNotFoundError:
            _refuse(draft, "The file is no longer stored; upload it again.")
        except DocumentRefused as error:
            _refuse(draft, str(error))
    with transaction.atomic():
        existing = DocumentDraft.objects.select_for_update().filter(pk=draft.pk).first()
        if existing is None:
            return {}
        upload, draft.upload = draft.upload, ""
        draft.save()
        second_reading_request(draft=draft)
    with suppress(FileNotFoundError):
        storage.delete(upload)
    return {"lines": len(draft.lines), "pictures": len(draft.pictures)}


def _refuse(draft: DocumentDraft, reason: str) -> None:
    draft.state, draft.reason = DocumentDraft.State.REFUSED, reason


def _take(draft: DocumentDraft, document: Document) -> None:
    """Write the document that was read into a draft, without saving the draft.

    Raises:
        DocumentRefused: If it is too large for one paper.
    """
    reading = read_lines(document.lines)
    number = len(assemble(document.lines, reading.roles).questions)
    if number > MOST_QUESTIONS:
        raise DocumentRefused(
            f"The document has {number:,} questions. Split it into parts of at most {MOST_QUESTIONS:,}."
        )
    pages = {page_name(number): page for number, page in enumerate(document.pages) if page}
    draft.pictures, notices = _keep_pictures({**document.pictures, **pages})
    draft.picture_widths = dict(document.picture_widths)
    draft.lines, draft.roles = as_json(document.lines), roles_as_json(reading.roles, reading.rules)
    draft.notices = [*document.notices, *notices]
    draft.state = DocumentDraft.State.READY


def _keep_pictures(pictures: Mapping[str, bytes]) -> tuple[dict[str, str], list[str]]:
    store = AttachmentStore()
    stored: dict[str, str] = {}
    notices = []
    for name, data in pictures.items():
        try:
            stored[name] = store.put(data)
        except PictureRefused as error:
            stored[name] = ""
            notices.append(f"The picture {name} cannot be shown: {error}")
    store.save()
    return stored, notices


# -- corrections --------------------------------------------------------------------------------------------------


def document_role_set(*, draft: DocumentDraft, user: User, key: str, role: str) -> None:
    """Set the role of a line.

    Raises:
        ValidationFailed: If there is no such role.
        NotAllowed, Conflict: As for every correction: the person is not the owner, or the paper cannot be corrected
            now.
    """
    if role not in list(Role):
        raise ValidationFailed("There is no such role.")
    _line(draft, key)
    _correct(draft, user, Correction(key, role=role))


def document_text_set(*, draft: DocumentDraft, user: User, key: str, text: str) -> None:
    """Replace a line's text; it is read like pasted text, so a row with a new mark becomes a line of its own.

    If the text is a single line, it keeps its role, formatting and level.

    Raises:
        ValidationFailed: If the text is empty; the line's role must be changed instead.
        NotAllowed, Conflict: As for every correction.
    """
    row = _line(draft, key)
    try:
        lines = read_text(text.replace("\0", "")).lines
    except DocumentRefused as error:
        raise ValidationFailed(str(error)) from error
    if not lines:
        raise ValidationFailed("A line cannot be empty. Mark it as “Not a question” instead.")
    first = replace(row.line, text=lines[0].text, number=lines[0].number)
    roles = guess_roles(lines)
    changed = Correction(key, lines=(first, *lines[1:]), roles=(str(row.role), *(str(role) for role in roles[1:])))
    _correct(draft, user, changed)


def document_points_set(*, draft: DocumentDraft, user: User, key: str, points: Sequence[str]) -> None:
    """Set the points of a question and each of its parts; unchanged points add no correction.

    Args:
        points: as typed, for the question and then for each part; empty for none.

    Raises:
        ValidationFailed: If one is not a number from 0 to `MOST_POINTS`.
        NotAllowed, Conflict: As for every correction.
    """
    item = document_review(draft).item(key)
    if item is None or len(points) != 1 + len(item.record.content.parts):
        raise Conflict("This question is no longer there: the paper was changed in another window.")
    said = tuple(map(_points, points))
    if said != item.points:
        _correct(draft, user, Correction(key, points=said))


def _points(typed: str) -> float | None:
    text = typed.strip().replace(",", ".")
    if not text:
        return None
    if not re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?", text) or float(text) > MOST_POINTS:
        raise ValidationFailed(f"Points are a number from 0 to {MOST_POINTS:,}, not “{typed[:20]}”.")
    return float(text)


def document_leave_out(*, draft: DocumentDraft, user: User, key: str, is_left_out: bool) -> None:
    """Exclude a question from the import, or include it again.

    Raises:
        NotAllowed, Conflict: As for every correction.
    """
    if document_review(draft).item(key) is None:
        raise Conflict("This question is no longer there: the paper was changed in another window.")
    _correct(draft, user, Correction(key, is_left_out=is_left_out))


def document_reading_take(*, draft: DocumentDraft, user: User, key: str) -> str:
    """Take the language model's reading of a place, or of all places if `key` is empty, as one correction.

    Returns:
        The key of the first line that changed.

    Raises:
        NotAllowed, Conflict: As for every correction.
    """
    reading = second_reading(draft)
    places = reading.places if reading else {}
    taken = [pair for holder, place in places.items() if key in ("", holder) for pair in place.roles]
    if not taken:
        raise Conflict("This reading is no longer there: the paper was changed in another window.")
    _correct(draft, user, Correction(taken[0][0], taken=tuple(taken)))
    return taken[0][0]


def _line(draft: DocumentDraft, key: str) -> ReviewedLine:
    row = next((row for row in document_corrected(draft).lines if row.key == key), None)
    if row is None:
        raise Conflict("This line is no longer there: the paper was changed in another window.")
    return row


@transaction.atomic
def _correct(draft: DocumentDraft, user: User, correction: Correction) -> None:
    """Append a correction to the applied ones; undone corrections can no longer be redone."""
    fresh = _open_to_change(draft, user)
    fresh.corrections = [*fresh.corrections[: fresh.applied], as_json(correction)]
    if len(fresh.corrections) > MOST_STEPS:
        raise Conflict(f"A paper takes at most {MOST_STEPS:,} corrections.")
    fresh.applied = len(fresh.corrections)
    _save_steps(draft, fresh)


@transaction.atomic
def document_step(*, draft: DocumentDraft, user: User, by: int) -> str:
    """Undo the last correction (-1), or redo the last undone one (1).

    Returns:
        The key of the correction's line; empty if there is nothing to undo or redo.

    Raises:
        NotAllowed, Conflict: As for every correction.
    """
    fresh = _open_to_change(draft, user)
    if not 0 <= fresh.applied + by <= len(fresh.corrections):
        return ""
    fresh.applied += by
    _save_steps(draft, fresh)
    changed = fresh.corrections[fresh.applied if by < 0 else fresh.applied - 1]
    return str(changed["key"]).partition("~")[0]


def _open_to_change(draft: DocumentDraft, user: User) -> DocumentDraft:
    """Return the current row, locked for update."""
    fresh = DocumentDraft.objects.select_for_update(of=("self",)).filter(pk=draft.pk).first()
    if fresh is None:
        raise Conflict("This test paper was deleted.")
    if fresh.owner_id != user.pk:
        raise NotAllowed("This test paper belongs to somebody else.")
    if fresh.is_importing or fresh.state != DocumentDraft.State.READY:
        raise Conflict("This test paper is imported, or about to be: it can no longer be changed.")
    return fresh


def _save_steps(draft: DocumentDraft, fresh: DocumentDraft) -> None:
    fresh.save(update_fields=["corrections", "applied", "updated_at"])
    draft.corrections, draft.applied, draft.updated_at = fresh.corrections, fresh.applied, fresh.updated_at


# -- the end ------------------------------------------------------------------------------------------------------


@transaction.atomic
def document_draft_delete(*, draft: DocumentDraft, user: User) -> None:
    """Delete a test paper; questions imported from it stay in the bank.

    Raises:
        NotAllowed: If the person does not own it.
        Conflict: If it is being imported.
    """
    if draft.owner_id != user.pk:
        raise NotAllowed("This test paper belongs to somebody else.")
    fresh = DocumentDraft.objects.select_for_update(of=("self",)).filter(pk=draft.pk).first()
    if fresh is None:
        return
    if fresh.is_importing:
        raise Conflict("This test paper is being imported: wait for the end, or cancel the job.")
    if fresh.upload:
        with suppress(FileNotFoundError):
            storages["uploads"].delete(fresh.upload)
    fresh.delete()


def old_drafts(before: datetime) -> QuerySet[DocumentDraft]:
    """Return the test papers that were last changed before a time, without those that are being imported."""
    old = DocumentDraft.objects.filter(updated_at__lt=before)
    return old.exclude(import_run__state__in=(Run.State.QUEUED, Run.State.RUNNING))
