"""Options of an import, shared by form, command and job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any

from questionbank.core.errors import ValidationFailed
from questionbank.formats.catalog import AUTO
from questionbank.formats.layout import FileLayout
from questionbank.formats.limits import SET_LIMIT, set_name
from questionbank.models import Question, User


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to import from a file, and how.

    Attributes:
        format: a name from `FORMATS`, or ``"auto"``.
        source: name of the set; by default that of the folder or file.
        hierarchy: name of the hierarchy for its concepts; by default the one shared by all files of the format, or else
            one named after the set.
        scale: difficulty scale of lines without one.
        dry_run: write nothing; the report lists refused lines.
        skip_invalid: import the lines that are not refused.
        update: update questions imported from this file before, if their lines have changed.
        status: status of new questions: ``"ready"``, or ``"draft"`` for the importer's own drafts.
        visible_to: who sees new questions (`questionbank.people.school_selectors`); empty for the importer's usual.
        without: fields to leave out.
        layout: the file's layout; guessed if it is None.
    """

    format: str = AUTO
    source: str = ""
    hierarchy: str = ""
    scale: str = ""
    dry_run: bool = False
    skip_invalid: bool = False
    update: bool = False
    status: str = Question.Status.READY.value
    visible_to: str = ""
    without: tuple[str, ...] = ()
    layout: FileLayout | None = None

    def named(self, path: PurePath) -> ImportOptions:
        """Return the options completed for a file: the set's name, and the hierarchy's if a set was given.

        Raises:
            ValidationFailed: the name of the set is too long.
        """
        source = " ".join(self.source.split()) or set_name(path)
        if len(source) > SET_LIMIT:
            raise ValidationFailed(
                f"The source's name has more than {SET_LIMIT} characters.", {"source": ["Too long."]}
            )
        hierarchy = " ".join(self.hierarchy.split()) or (source if self.source else "")
        return replace(self, source=source, hierarchy=hierarchy)

    def as_json(self) -> dict[str, Any]:
        """Return the options as a run's parameters."""
        layout = {"layout": asdict(self.layout)} if self.layout else {}
        return {name: getattr(self, name) for name in _PLAIN} | {"without": list(self.without)} | layout

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> ImportOptions:
        """Return the options from a run's parameters, including those of earlier versions."""
        plain = {name: kept[name] for name in _PLAIN if kept.get(name)}
        layout = kept.get("layout") or {}
        if "fields" in layout:  # otherwise queued by an earlier version: the layout is guessed again
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in layout.items()
            }
            plain["layout"] = FileLayout(**values)
        return cls(**plain, without=tuple(kept.get("without", ())))


_PLAIN = ("format", "source", "hierarchy", "scale", "dry_run", "skip_invalid", "update", "status", "visible_to")


def usual_status(user: User) -> str:
    """Return the default status of imported questions: ready for admins, drafts for others."""
    is_admin = user.has_perm("questionbank.question_edit")
    return Question.Status.READY.value if is_admin else Question.Status.DRAFT.value


def allowed_status(user: User | None, status: str) -> str:
    """Return the status of new questions in a person's import: drafts if they may not publish.

    Args:
        user: None is the system itself.
        status: the requested status.
    """
    may_publish = user is None or user.has_perm("questionbank.import_publish")
    is_ready = may_publish and status != Question.Status.DRAFT
    return Question.Status.READY.value if is_ready else Question.Status.DRAFT.value
