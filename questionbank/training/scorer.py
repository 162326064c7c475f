"""Training data of paraphrase scorers, and a report on it for admins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from analytics.languages import primary_language
from analytics.records import ParaphrasePair as LabelledPair
from analytics.splits import split_place
from questionbank.bank.question_selectors import in_language
from questionbank.core.capability_report import CachedReport, Report, Row, Table, TableRow
from questionbank.core.wording import counted
from questionbank.models import ParaphrasePair, ReviewDecision
from questionbank.review.selectors import decided_pairs
from questionbank.training.questions import (
    EXAMINED,
    Divider,
    Parts,
    TrainingQuestion,
    is_test_source,
    part_rows,
    training_questions,
)

LANGUAGE = "en"  # the only language that the operators support


@dataclass(frozen=True, slots=True)
class ScorerMaterial:
    """The data of a training run.

    Attributes:
        questions: ready English questions, each text once, without sources named as a test split.
        decided: pairs labelled by reviewers' decisions.
        ready: number of ready questions in any language.
        english: ready questions in English.
        examined: English questions examined; all, unless a limit was given.
        repeated: examined questions that exactly repeat another one.
        test_items: examined questions from a test split.
    """

    questions: Parts[str]
    decided: Parts[LabelledPair]
    ready: int
    english: int
    examined: int
    repeated: int
    test_items: int


def scorer_material(
    *, hierarchies: Sequence[str] | None = None, decisions: bool = True, limit: int = 0
) -> ScorerMaterial:
    """Split the bank's questions and the decided pairs.

    Args:
        limit: examine at most this many questions, always the same ones; 0 for all.
    """
    by_id: dict[int, TrainingQuestion] = {}
    chosen: set[int] = set()
    for row in training_questions():
        by_id[row.id] = row
        if hierarchies is None or row.hierarchy in hierarchies:
            chosen.add(row.id)
    english = [row for row in by_id.values() if primary_language(row.language) == LANGUAGE]
    rows = sorted(english, key=lambda row: row.content_hash)[:limit] if limit else english
    tests = [row.text for row in rows if is_test_source(row.source)]
    others = [row for row in rows if not is_test_source(row.source)]
    places = {row.text: split_place(row.text) for row in others}
    pairs = list(decided_pairs(language=LANGUAGE)) if decisions else []
    places |= {pair.original: split_place(pair.original) for pair in pairs if pair.original not in places}
    keep = Divider(places, tests)
    texts = dict.fromkeys(row.text for row in others if row.id in chosen)
    return ScorerMaterial(
        questions=keep.parts(texts, lambda text: (text,)),
        decided=keep.parts(pairs, lambda pair: (pair.original, pair.paraphrase)),
        ready=len(chosen),
        english=sum(row.id in chosen for row in english),
        examined=sum(row.id in chosen for row in rows),
        repeated=sum(row.id in chosen for row in others) - len(texts),
        test_items=sum(row.id in chosen for row in rows if is_test_source(row.source)),
    )


FEWEST = 300  # training questions; with fewer, a scorer hardly learns


def decision_counts() -> dict[str, int]:
    """Count the decided pairs that the operators support: accepted, rejected, and accepted with changes."""
    outcome = ParaphrasePair.Outcome
    decided = ParaphrasePair.objects.filter(in_language(LANGUAGE), state=ParaphrasePair.State.DECIDED)
    return decided.aggregate(
        accepted=Count("pk", filter=Q(outcome=outcome.ACCEPT)),
        rejected=Count("pk", filter=Q(outcome=outcome.REJECT)),
        changed=Count("pk", filter=Q(outcome=outcome.EDIT)),
    )


def _scorer_report(hierarchies: Sequence[str] | None) -> Report:
    material = scorer_material(hierarchies=hierarchies, limit=EXAMINED)
    questions, decided = material.questions, material.decided
    introduction = f"{material.english:,} of {material.ready:,} are in English."
    if material.examined < material.english:
        introduction += f" Texts were compared for {material.examined:,} of them."
    note = (
        "If a pair was accepted with changes, the changed text counts as valid. The unchanged paraphrase is used, as"
        " not valid, only if it has a serious finding."
    )
    if decided.left_out:
        one = "pair is left out because its question is left out."
        several = "pairs are left out because their questions are left out."
        note += f" {counted(decided.left_out, one, several)}"
    parts = {
        "to learn from": decided.learned,
        "to measure with meanwhile": decided.validation,
        "held out for comparison": decided.held_out,
    }
    return Report(
        rows=(
            Row("english", material.english),
            Row("examined", material.examined),
            Row("learned", len(questions.learned), "to learn from"),
            Row("validation", len(questions.validation), "to measure with meanwhile"),
            *part_rows(questions, repeated=material.repeated, test_items=material.test_items),
        ),
        advice=tuple(_advice(material)),
        tables=(
            Table(
                title="How many decisions of reviewers there are",
                labels="Reviewers’ decisions",
                columns={"Valid": "count", "Not valid": "count"},
                rows=tuple(TableRow(part, (_labelled(pairs, 1), _labelled(pairs, 0))) for part, pairs in parts.items()),
            ),
        ),
        introduction=introduction,
        note=note,
    )


def _labelled(pairs: Iterable[LabelledPair], label: int) -> int:
    return sum(pair.label == label for pair in pairs)


def _advice(material: ScorerMaterial) -> Iterator[str]:
    if len(material.questions.learned) < FEWEST:
        yield f"With fewer than {FEWEST} questions a scorer hardly learns."
    if unused := material.ready - material.english:
        foreign = counted(unused, "question is", "questions are")
        yield f"{foreign} not in English and left out: the operators know no other language."
    if material.test_items:
        one = "question comes from a source that is named as a test split and is left out."
        several = "questions come from sources that are named as a test split and are left out."
        yield counted(material.test_items, one, several)
    if not material.questions.held_out:
        yield "No question is held out: the score cannot be set so that 0.5 divides the pairs."


def _decisions_version() -> str:
    return str(
        ReviewDecision.objects.aggregate(count=Count("pk"), last=Max("pk"), undone=Count("undone_at"))
        | ParaphrasePair.objects.aggregate(decided=Count("pk", filter=Q(state="decided")))
    )


scorer_report = CachedReport(
    "scorer", _scorer_report, lambda _scope: sum(decision_counts().values()), lambda: [_decisions_version()]
)
"""The report on the data of a scorer, with all decisions so far."""
