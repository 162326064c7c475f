"""Training data of paraphrase scorers, and a report on it for admins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from analytics.languages import primary_language
from analytics.records import ParaphrasePair as LabelledPair
from analytics.splits import split_place
from questionbank.bank.question_selectors import in_language
from questionbank.core.wording import counted
from questionbank.models import ParaphrasePair, ReviewDecision
from questionbank.review.selectors import decided_pairs
from questionbank.training.data_report import EXAMINED, KeptReport
from questionbank.training.questions import Divider, Parts, TrainingQuestion, is_test_source, training_questions

LANGUAGE = "en"  # the only language that the operators support


@dataclass(frozen=True, slots=True)
class ScorerMaterial:
    """The data of a training.

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
        limit: examine at most so many questions, always the same ones; 0 for all.
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


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """Decided pairs by outcome; `unused` counts those in a language that the operators do not support."""

    accepted: int
    rejected: int
    changed: int
    unused: int

    @property
    def usable(self) -> int:
        return self.accepted + self.rejected + self.changed


@dataclass(frozen=True, slots=True)
class DecidedPart:
    """Labelled pairs of one part; a pair accepted with changes counts as two."""

    valid: int
    invalid: int


@dataclass(frozen=True, slots=True)
class ScorerReport:
    """Counts of the data for training a scorer.

    Attributes:
        examined: English questions examined; all, or a sample of a large bank. The counts from `learned` to
            `test_items` refer to these.
        learned: questions from which triplets are made.
        validation: questions that evaluate the model during training.
        held_out: questions excluded from every training, for the fixed comparison and the score's threshold.
        left_out: questions that match a validation or held-out question except for numbers and punctuation.
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


# The data that a scorer would be trained on, with all decisions so far.
scorer_data_report: KeptReport[ScorerReport] = KeptReport(
    "scorer",
    lambda hierarchies: _report(scorer_material(hierarchies=hierarchies, limit=EXAMINED)),
    lambda: [_decisions_version()],
)
