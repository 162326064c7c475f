"""Importing a file: always a check first (a dry run), then the import of what was checked. And exports of questions.

The upload is stored and read by a worker, so that no request waits for a large file; the job's page shows the refused
lines and has the button to import. An export is streamed, after a page that shows what the format cannot hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from analytics.records import QuestionRecord
from questionbank.core.errors import Conflict, ImportRefused, LineProblem, LineWarning
from questionbank.core.storage import UPLOADS_KEPT
from questionbank.core.views import button_for, check_permission, form_for, warning_of
from questionbank.core.wording import counted, whole_number
from questionbank.formats import WRITTEN
from questionbank.formats.catalog import layout_of, read
from questionbank.formats.columns import holds_rows
from questionbank.formats.layout import FileLayout
from questionbank.formats.seam import ConceptRow
from questionbank.imports.export_services import (
    ExportLosses,
    export_losses,
    export_pieces,
    with_figures,
    with_predictions,
)
from questionbank.imports.forms import ColumnsForm, chosen_reading
from questionbank.imports.options import ImportOptions
from questionbank.imports.pipeline import record_problems
from questionbank.imports.services import KeptUpload, import_kept, import_repeat, upload_keep
from questionbank.imports.undo_selectors import import_undo_plan
from questionbank.imports.undo_services import import_undo_request
from questionbank.imports.updates import import_conflicts_of, import_conflicts_settle, shown_conflicts
from questionbank.jobs.run_selectors import run_get
from questionbank.registry.serving import serving

_SALT = "kindred.imports.2"  # change its number whenever the signed content changes

CONFLICTS_SHOWN = 50  # per page
ROWS_SHOWN = 10
_UNPACKED = 8 * 1024 * 1024  # bytes of a gzip file that are decompressed for ten rows
KEPT_SHOWN = 100  # questions listed on the undo page as kept


def check_file(request: HttpRequest, file: UploadedFile, options: ImportOptions) -> HttpResponse:
    """Store an uploaded file and redirect to its column mapping, or to the job that checks it.

    Raises:
        ImportRefused: the file cannot be read. ValidationFailed: its format is unknown.
    """
    user = request.user
    kept = upload_keep(upload=file, name=file.name or "", user=user, format=options.format)
    if _has_columns(kept, options.format):
        token = signing.dumps([user.pk, kept.stored, kept.name, options.as_json()], salt=_SALT)
        return redirect(f"{reverse('import_columns')}?{urlencode({'file': token})}")
    run = import_kept(kept=kept, user=user, options=options)
    return redirect("run_detail", run_id=run.pk)


def _has_columns(kept: KeptUpload, format: str) -> bool:
    """Return whether the columns must be mapped by the person.

    Raises:
        ImportRefused: the file cannot be read, or is of another kind.
    """
    try:
        with kept.beginning() as path:
            layout = layout_of(path, format)
    except ImportRefused:
        kept.delete()
        raise
    return layout.is_table or bool(layout.names and [*layout.names] != [*layout.fields])


@form_for("import")
def import_columns(request: HttpRequest) -> HttpResponse:
    """Map the columns of a file, with a preview of the first rows; then queue its check."""
    try:
        owner, stored, name, options = signing.loads(request.GET.get("file", ""), salt=_SALT, max_age=UPLOADS_KEPT)
        if owner != request.user.pk:
            raise signing.BadSignature
        kept = KeptUpload(stored, name)
        with kept.beginning() as path:
            return _columns_page(request, kept, path, ImportOptions.of_json(options))
    except (signing.BadSignature, Conflict):
        messages.warning(request, "The file is no longer stored; upload it again.")
    except ImportRefused as error:
        messages.error(request, str(error))
    return redirect("import_create")


def _columns_page(request: HttpRequest, kept: KeptUpload, path: Path, options: ImportOptions) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    guessed = layout_of(path, options.format)
    if sent is not None:
        guessed = layout_of(path, options.format, **chosen_reading(sent, guessed))
    # another delimiter, encoding or header changes the columns, so the earlier choices no longer apply
    header = "|".join(guessed.names)
    is_relaid = sent is not None and sent.get("header") != header
    form = ColumnsForm(None if is_relaid else sent, layout=guessed)
    layout, problem = guessed, ""
    if form.is_bound:
        try:
            layout = form.layout() if form.is_valid() else guessed
        except ImportRefused as error:
            problem = str(error)
    if not problem and not holds_rows(layout.fields):
        problem = "Choose the column that holds the question."
    if form.is_bound and form.is_valid() and not problem and sent and sent.get("action") == "check":
        run = import_kept(kept=kept, user=request.user, options=replace(options, layout=layout))
        return redirect("run_detail", run_id=run.pk)
    context = {
        "form": form,
        "name": kept.name,
        "header": header,
        "problem": problem,
        "layout": layout,
        "rows": [] if problem else import_preview(path=path, layout=layout, scale=options.scale),
    }
    is_refused = sent is not None and sent.get("action") == "check" and not is_relaid
    return render(request, "imports/columns.html", context, status=422 if is_refused else 200)


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row as it would be read: a question, a concept's name, or the reason for refusal."""

    line: int
    question: QuestionRecord | None = None
    concept: str = ""
    problem: str = ""
    warnings: list[str] = field(default_factory=list)


def import_preview(*, path: Path, layout: FileLayout, scale: str = "") -> list[PreviewRow]:
    """Read the first rows; `path` may be only the beginning of a longer file.

    Raises:
        ImportRefused: not even the first row can be read.
    """
    rows: list[PreviewRow] = []
    warnings: list[str] = []
    try:
        for line, entry in read(path, layout=layout, scale=scale, unpacked_limit=_UNPACKED):
            if isinstance(entry, LineWarning):
                warnings.append(entry.reason)
            elif isinstance(entry, LineProblem):
                rows.append(PreviewRow(line, problem=entry.reason))
            elif isinstance(entry, ConceptRow):
                rows.append(PreviewRow(line, concept=" > ".join(entry.path) or entry.name))
            else:
                rows.append(PreviewRow(line, question=entry, warnings=warnings + record_problems(entry)))
                warnings = []
            if len(rows) == ROWS_SHOWN:
                break
    except ImportRefused:
        if not rows:
            raise
    return rows


@button_for("import")
def import_confirm(request: HttpRequest, run_id: int) -> HttpResponse:
    """Import a file after its dry run; with `skip_invalid`, without its refused lines.

    With `without` (fields to leave out) or `update`, the file is checked again instead.
    """
    checked = run_get(run_id=run_id)
    check_permission(request, "import_continue", checked)
    without = request.POST.getlist("without")
    run = checked
    with warning_of(request):
        run = import_repeat(
            run=checked,
            user=request.user,
            dry_run=bool(without) or "update" in request.POST,
            skip_invalid="skip_invalid" in request.POST,
            without=without,
            update=True if "update" in request.POST else None,
        )
    return redirect("run_detail", run_id=run.pk)


@form_for("import")
def import_conflicts(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show both versions of questions edited in the bank and changed in the file; POST settles them."""
    run = run_get(run_id=run_id)
    check_permission(request, "import_continue", run)
    if request.method == "POST":
        question = whole_number(request.POST.get("question", ""))
        with warning_of(request):
            count = import_conflicts_settle(
                run=run, user=request.user, take=request.POST.get("choice") == "take", question=question
            )
            messages.success(request, f"{counted(count, 'question was', 'questions were')} settled.")
        return redirect("import_conflicts", run_id=run.pk)
    conflicts = import_conflicts_of(run=run)
    return render(
        request,
        "imports/conflicts.html",
        {"run": run, "waiting": conflicts.count(), "conflicts": shown_conflicts(conflicts[:CONFLICTS_SHOWN])},
    )


@form_for("read")
def import_undo(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show what undoing an import removes and keeps; POST queues the undo."""
    run = run_get(run_id=run_id)
    check_permission(request, "import_continue", run)
    if request.method == "POST":
        with warning_of(request):
            run = import_undo_request(run=run, user=request.user)
        return redirect("run_detail", run_id=run.pk)
    plan = import_undo_plan(run=run)
    kept = [{"question": pk, "reasons": reasons} for pk, reasons in sorted(plan.kept.items())[:KEPT_SHOWN]]
    return render(request, "imports/undo.html", {"run": run, "plan": plan, "kept_questions": kept})


LOOKED_AT = 2_000  # questions checked before the file is sent
MOST_WITH_PREDICTIONS = 2_000  # questions whose texts are encoded within the request


@dataclass(frozen=True, slots=True)
class Exported:
    """The questions to export.

    Attributes:
        records: returns an iterator over all (id, record) pairs.
        stem: the file's name without its extension.
        back: label and URL of the page from which the export was started.
    """

    records: Callable[[], Iterable[tuple[int, QuestionRecord]]]
    count: int
    stem: str
    back: tuple[str, str]


def export_links(count: int, address: Callable[[str], str]) -> dict[str, list[tuple[str, str]]]:
    """Return (label, URL) of an export in each format, without and with predictions.

    Args:
        count: number of questions.
        address: returns the download URL for a format's name.
    """
    are_offered = count <= MOST_WITH_PREDICTIONS and bool(serving().sets)
    return {
        "exports": [(format.label, address(name)) for name, format in WRITTEN.items()],
        "predicted_exports": [
            (format.label, f"{address(name)}{'&' if '?' in address(name) else '?'}predicted=1")
            for name, format in WRITTEN.items()
            if format.takes_predictions and are_offered
        ],
    }


def questions_file(request: HttpRequest, exported: Exported, *, format: str) -> HttpResponseBase:
    """Return questions as a download, preceded by a page with what the format cannot hold, if anything.

    Raises:
        NotFound: there is no such format.
    """
    records = with_figures(exported.records(), user=request.user)
    if "predicted" in request.GET and format in WRITTEN and WRITTEN[format].takes_predictions:
        if exported.count > MOST_WITH_PREDICTIONS:
            messages.warning(
                request, f"Predictions can be exported with up to {MOST_WITH_PREDICTIONS:,} questions. Select fewer."
            )
            return redirect(exported.back[1])
        records = with_predictions(records)
    if "confirmed" not in request.GET:
        losses = export_losses(records=islice(exported.records(), LOOKED_AT), format=format)
        if losses:
            return render(request, "imports/losses.html", _context(request, exported, losses, format))
    pieces = export_pieces(records=(record for _pk, record in records), format=format)
    first = next(pieces, b"")
    return StreamingHttpResponse(chain([first], pieces), headers=WRITTEN[format].headers(exported.stem, first))


def _context(request: HttpRequest, exported: Exported, losses: ExportLosses, format: str) -> dict[str, object]:
    def named(counts: Counter[str]) -> list[tuple[str, int, list[tuple[int, str]], int]]:
        found = counts.most_common()
        return [(what, count, losses.first[what], count - len(losses.first[what])) for what, count in found]

    pairs = [(name, value) for name, values in request.GET.lists() for value in values]
    return {
        "format": WRITTEN[format],
        "losses": losses,
        "refused": named(losses.refused),
        "lost": named(losses.lost),
        "is_part": losses.questions == LOOKED_AT,
        "nothing_left": sum(losses.refused.values()) == losses.questions < LOOKED_AT,
        "address": f"?{urlencode([*pairs, ('confirmed', '1')])}",
        "back": exported.back,
    }
