"""How a file is imported: what a form, a command and a job say, in one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any

from questionbank.core.errors import ValidationFailed
from questionbank.formats.catalog import AUTO
from questionbank.formats.layout import FileLayout
from questionbank.formats.limits import SET_LIMIT
from questionbank.formats.naming import set_name
from questionbank.models import Question, User


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to import of a file and how.

    Attributes:
        format: a name of `FORMATS`, or ``"auto"``.
        source: name of the set; by default the folder's or the file's.
        hierarchy: name of the hierarchy for its concepts; by default that which all files of the format share, else one
            named after the set.
        scale: difficulty scale of lines that name none.
        dry_run: write nothing; refused lines are in the report.
        skip_invalid: import the lines that are not refused.
        update: give questions that the bank has from this file before a new version where their line has changed.
        status: of new questions: ``"ready"``, or ``"draft"`` for the importer's own drafts.
        without: fields that are left out.
        layout: how the file is laid out; guessed where it is not given.
    """

    format: str = AUTO
    source: str = ""
    hierarchy: str = ""
    scale: str = ""
    dry_run: bool = False
    skip_invalid: bool = False
    update: bool = False
    status: str = Question.Status.READY.value
    without: tuple[str, ...] = ()
    layout: FileLayout | None = None

    def named(self, path: PurePath) -> ImportOptions:
        """Return the options for a file, with the name of its set, and of the hierarchy where a set was given.

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
        """Return the options for a run's parameters."""
        layout = {"layout": asdict(self.layout)} if self.layout else {}
        return {name: getattr(self, name) for name in _PLAIN} | {"without": list(self.without)} | layout

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> ImportOptions:
        """Return the options that a run's parameters hold, those of earlier versions included."""
        plain = {name: kept[name] for name in _PLAIN if kept.get(name)}
        layout = kept.get("layout") or {}
        if "fields" in layout:  # else queued by an earlier version: guessed again
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in layout.items()
            }
            plain["layout"] = FileLayout(**values)
        return cls(**plain, without=tuple(kept.get("without", ())))


_PLAIN = ("format", "source", "hierarchy", "scale", "dry_run", "skip_invalid", "update", "status")


def usual_status(user: User) -> str:
    """Return the status that a file's new questions get unless the person chooses: drafts, but ready for admins."""
    is_admin = user.has_perm("questionbank.question_edit")
    return Question.Status.READY.value if is_admin else Question.Status.DRAFT.value


def allowed_status(user: User | None, status: str) -> str:
    """Return the status that a person's import gives new questions: drafts where they may not publish.

    Args:
        user: None is the system itself.
        status: what was asked for.
    """
    may_publish = user is None or user.has_perm("questionbank.import_publish")
    is_ready = may_publish and status != Question.Status.DRAFT
    return Question.Status.READY.value if is_ready else Question.Status.DRAFT.value
