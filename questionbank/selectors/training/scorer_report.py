"""What an admin should know of the bank and the reviewers' decisions before a scorer is trained on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from analytics.records import ParaphrasePair as LabelledPair
from questionbank.models import ParaphrasePair, ReviewDecision
from questionbank.numbers import counted
from questionbank.selectors.questions.questions import in_language
from questionbank.selectors.training.data_report import EXAMINED, KeptReport
from questionbank.selectors.training.scorer_material import LANGUAGE, ScorerMaterial, scorer_material

FEWEST = 300  # questions to learn from, below which a scorer hardly learns


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """Decided pairs by outcome; `unused` are in a language that the operators do not know."""

    accepted: int
    rejected: int
    changed: int
    unused: int

    @property
    def usable(self) -> int:
        return self.accepted + self.rejected + self.changed


@dataclass(frozen=True, slots=True)
class DecidedPart:
    """Labelled pairs of one part; one that was accepted with changes is two of them."""

    valid: int
    invalid: int


@dataclass(frozen=True, slots=True)
class ScorerReport:
    """Counts of what a training of a scorer would get.

    Attributes:
        examined: of these looked at; all, or a sample of a large bank. The counts from `learned` to `test_items` are
            of these.
        learned: questions from which triplets are made.
        validation: questions that measure while it trains.
        held_out: questions kept out of every training, for the fixed comparison and the score's boundary.
        left_out: questions that one of the two has too but for numbers and marks.
        decided_learned, decided_validation, decided_held_out: pairs from reviewers' decisions.
    """

    ready: int
    english: int
    examined: int
    learned: int
    validation: int
    held_out: int
    left_out: int
    repeated: int
    test_items: int
    decided_learned: DecidedPart
    decided_validation: DecidedPart
    decided_held_out: DecidedPart
    decided_left_out: int
    advice: tuple[str, ...]


def decision_counts() -> DecisionCounts:
    """Count the decided pairs by outcome."""
    outcome = ParaphrasePair.Outcome
    usable = in_language(LANGUAGE)
    return DecisionCounts(
        **ParaphrasePair.objects.filter(state=ParaphrasePair.State.DECIDED).aggregate(
            accepted=Count("pk", filter=usable & Q(outcome=outcome.ACCEPT)),
            rejected=Count("pk", filter=usable & Q(outcome=outcome.REJECT)),
            changed=Count("pk", filter=usable & Q(outcome=outcome.EDIT)),
            unused=Count("pk", filter=~usable),
        )
    )


def _decisions_version() -> str:
    return str(
        ReviewDecision.objects.aggregate(count=Count("pk"), last=Max("pk"), undone=Count("undone_at"))
        | ParaphrasePair.objects.aggregate(decided=Count("pk", filter=Q(state="decided")))
    )


def _report(material: ScorerMaterial) -> ScorerReport:
    questions, decided = material.questions, material.decided
    return ScorerReport(
        ready=material.ready,
        english=material.english,
        examined=material.examined,
        learned=len(questions.learned),
        validation=len(questions.validation),
        held_out=len(questions.held_out),
        left_out=questions.left_out,
        repeated=material.repeated,
        test_items=material.test_items,
        decided_learned=_labels(decided.learned),
        decided_validation=_labels(decided.validation),
        decided_held_out=_labels(decided.held_out),
        decided_left_out=decided.left_out,
        advice=tuple(_advice(material)),
    )


def _labels(pairs: Iterable[LabelledPair]) -> DecidedPart:
    labels = [pair.label for pair in pairs]
    return DecidedPart(valid=labels.count(1), invalid=labels.count(0))


def _advice(material: ScorerMaterial) -> list[str]:
    advice = []
    if len(material.questions.learned) < FEWEST:
        advice.append(f"With fewer than {FEWEST} questions a scorer hardly learns.")
    if unused := material.ready - material.english:
        foreign = counted(unused, "question is", "questions are")
        advice.append(f"{foreign} not in English and left out: the operators know no other language.")
    if material.test_items:
        one = "question comes from a source that is named as a test split and is left out."
        several = "questions come from sources that are named as a test split and are left out."
        advice.append(counted(material.test_items, one, several))
    if not material.questions.held_out:
        advice.append("No question is held out: the score cannot be set so that 0.5 divides the pairs.")
    return advice


# What a scorer's training would get, of all decisions so far.
scorer_data_report: KeptReport[ScorerReport] = KeptReport(
    "scorer",
    lambda hierarchies: _report(scorer_material(hierarchies=hierarchies, limit=EXAMINED)),
    lambda: [_decisions_version()],
)
