"""Import pupils' responses to questions."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from questionbank.core.errors import ImportRefused, ValidationFailed
from questionbank.core.wording import counted
from questionbank.management.base import VISIBLE_TO_HELP, BankCommand
from questionbank.people.school_selectors import shows_to
from questionbank.responses.set_selectors import order_of_list, order_of_worksheet
from questionbank.responses.set_services import ImportPlan, SetDetails, responses_import, responses_plan, responses_read

PROBLEMS_SHOWN = 50
EMPTY = {"auto": None, "zero": True, "not-asked": False}


class Command(BankCommand):
    """Reads the file as the page does; names and addresses are replaced by keyed hashes before anything is written."""

    help = "Import pupils' responses: a row per response or per pupil, Moodle's reports, Canvas's student analysis."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FILE")
        parser.add_argument("--title", default="", help="name of the test; by default the file's")
        parser.add_argument("--class", dest="class_label", default="", help="class that took the test, for example 7b")
        parser.add_argument(
            "--date", default="", metavar="YYYY-MM-DD", help="day of the test; questions are read as they were then"
        )
        order = parser.add_mutually_exclusive_group()
        order.add_argument("--worksheet", type=int, metavar="ID", help="question numbers are positions on it")
        order.add_argument("--list", type=int, metavar="ID", help="question numbers are positions on this list")
        parser.add_argument(
            "--empty",
            choices=EMPTY,
            default="auto",
            help="what a question without a response means: 0 marks or not asked",
        )
        parser.add_argument("--visible-to", default="", metavar="WHO", help=VISIBLE_TO_HELP)
        parser.add_argument("--dry-run", action="store_true", help="show what would be imported, write nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        shows_to(None, options["visible_to"])  # raises before the file is read
        details = SetDetails(
            title=" ".join((options["title"] or path.stem).split())[:120],
            class_label=options["class_label"][:60],
            day=_day(options["date"]),
            counts_unreached=EMPTY[options["empty"]],
            worksheet=options["worksheet"],
            visible_to=options["visible_to"],
        )
        plan = self._plan(path, options, details.day)
        for problem in plan.problems[:PROBLEMS_SHOWN]:
            self.stderr.write(str(problem))
        if len(plan.problems) > PROBLEMS_SHOWN:
            self.stderr.write(f"... and {len(plan.problems) - PROBLEMS_SHOWN:,} more")
        for match in plan.unmatched:
            self.stderr.write(f"{match.reference.name}: {match.how}")
        if plan.is_empty:
            raise ImportRefused("No response of this file can be used.", plan.problems)
        response_set = None if options["dry_run"] else responses_import(plan=plan, details=details, user=None)
        report = {
            "layout": plan.table.kind,
            "questions": len(plan.matched),
            "unmatched": len(plan.unmatched),
            "pupils": plan.people,
            "responses": len(plan.rows),
            "refused": len(plan.problems),
            "set": response_set.pk if response_set else None,
        }
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        for note in plan.table.notes:
            self.stdout.write(note)
        verb = f"imported as set {response_set.pk}" if response_set else "would be imported"
        if plan.published:
            figures = counted(len(plan.published), "question’s figures", "questions’ figures")
            self.stdout.write(f"{plan.table.kind}: {figures} {verb}.")
            return
        responses, pupils = counted(len(plan.rows), "response", "responses"), counted(plan.people, "pupil", "pupils")
        questions = counted(len(plan.matched), "question", "questions")
        self.stdout.write(f"{plan.table.kind}: {responses} of {pupils} to {questions} {verb}.")

    @staticmethod
    def _plan(path: Path, options: dict[str, Any], day: date | None) -> ImportPlan:
        order: list[int] = []
        if options["worksheet"] is not None:
            order = order_of_worksheet(worksheet_id=options["worksheet"])
        elif options["list"] is not None:
            order = order_of_list(list_id=options["list"])
        return responses_plan(table=responses_read(path=path), user=None, order=order, day=day)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValidationFailed(f"{text!r} is not a date; write YYYY-MM-DD.") from error
