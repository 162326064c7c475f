"""What the school's language model says of pairs, added to the verdict where that use is switched on.

A pair keeps its own verdict beside the model's answer, and gets it back when the use is switched off or lapses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from analytics.language_model.pairs import Judgement, LeaningWeight, with_judgement
from analytics.paraphrase.findings.finding import Finding
from questionbank.models import LanguageModelAnswer, LanguageModelUse, ParaphrasePair
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.review.pair_services import pair_priority

USE = LanguageModelUse.Use.PAIRS.value


def pairs_to_judge(numbers: Sequence[int]) -> QuerySet[ParaphrasePair]:
    """Return those of some pairs that have a verdict, are not decided, and may be sent."""
    return (
        ParaphrasePair.objects.filter(pk__in=numbers, verdict__isnull=False)
        .exclude(state=ParaphrasePair.State.DECIDED)
        .exclude(question__language_model_exclusion__isnull=False)
        .order_by("pk")
    )


def judgement_kept(pair: ParaphrasePair) -> Judgement | None:
    """Return what the model said of a pair before; None if it was not asked."""
    answer = LanguageModelAnswer.objects.filter(use=USE, pair=pair).first()
    if answer is None:
        return None
    return Judgement(answer.answer.get("leaning"), answer.answer.get("span", ""), answer.reason)


@transaction.atomic
def judgement_store(*, pair: ParaphrasePair, judgement: Judgement, row: LanguageModelUse) -> bool:
    """Store what the model says of a pair, and add it to the verdict once; return whether it says something.

    Nothing is stored if the pair was decided or scored anew, or its question excluded, while the model was asked.
    """
    fresh = ParaphrasePair.objects.select_for_update().filter(pk=pair.pk, verdict=pair.verdict).first()
    if fresh is None or fresh.verdict is None or fresh.state == ParaphrasePair.State.DECIDED:
        return False
    if fresh.question_id is not None and not may_be_sent(question_id=fresh.question_id):
        return False
    before = LanguageModelAnswer.objects.filter(use=USE, pair=fresh).first()
    if before is not None and before.answer.get("verdict") == fresh.verdict:
        return False  # its verdict has the judgement already
    weight = LeaningWeight(**{name: float(row.weights.get(name, 0.0)) for name in ("leaning", "middle")})
    verdict = with_judgement(fresh.verdict, judgement.leaning, weight)
    said = {"leaning": judgement.leaning, "span": judgement.span, "own": fresh.verdict, "verdict": verdict}
    LanguageModelAnswer.objects.update_or_create(
        use=USE, pair=fresh, defaults={"answer": said, "reason": judgement.reason, "name": row.name, "host": row.host}
    )
    if judgement.leaning is None:
        return False
    _save(fresh, verdict, [*(fresh.findings or []), *_findings(fresh, judgement.span, row)])
    return True


def judgements_withdraw() -> int:
    """Give the pairs their own verdicts back, unless the use is on; return how many pairs there were."""
    row = language_model_use(USE)
    if row is not None and row.is_on:
        return 0
    numbers = list(ParaphrasePair.objects.filter(language_model_answers__use=USE).values_list("pk", flat=True))
    for number in numbers:
        _withdraw(number)
    return len(numbers)


def judgements_of_question_withdraw(*, question_id: int) -> None:
    """Give the pairs of a question their own verdicts back."""
    for number in ParaphrasePair.objects.filter(question=question_id).order_by("pk").values_list("pk", flat=True):
        _withdraw(number)


@transaction.atomic
def _withdraw(number: int) -> None:
    """Give a pair its own verdict back; the pair is locked first, as where a judgement is stored."""
    pair = ParaphrasePair.objects.select_for_update().filter(pk=number).first()
    answer = LanguageModelAnswer.objects.filter(use=USE, pair=number).first()
    if pair is None or answer is None:
        return
    is_ours = pair.verdict == answer.answer.get("verdict") and answer.answer.get("leaning") is not None
    if is_ours and pair.state != ParaphrasePair.State.DECIDED:
        others = [each for each in pair.findings or [] if not _is_of(each, answer)]
        _save(pair, answer.answer["own"], others)
    answer.delete()


def _sentence(name: str, host: str, span: str) -> str:
    return f"Read with {name} at {host}: “{span}” makes the difference."


def _findings(pair: ParaphrasePair, span: str, row: LanguageModelUse) -> list[dict[str, Any]]:
    """Return the words that make the difference as a finding that is worth a look."""
    if not span:
        return []
    places = {name: text.find(span) for name, text in (("original", pair.original), ("paraphrase", pair.paraphrase))}
    spans = {name: (start, start + len(span)) if start >= 0 else None for name, start in places.items()}
    finding = Finding(
        "wording",
        "changed",
        _sentence(row.name, row.host, span),
        spans["original"],
        spans["paraphrase"],
        before=span if spans["original"] else "",
        after=span if spans["paraphrase"] else "",
        is_serious=False,
    )
    return [finding.as_dict()]


def _is_of(finding: Mapping[str, Any], answer: LanguageModelAnswer) -> bool:
    return bool(finding.get("sentence") == _sentence(answer.name, answer.host, answer.answer.get("span", "")))


def _save(pair: ParaphrasePair, verdict: float, findings: list[dict[str, Any]]) -> None:
    pair.verdict, pair.findings = verdict, findings
    pair.priority = pair_priority(score=pair.score, verdict=verdict, findings=findings)
    pair.save(update_fields=["verdict", "findings", "priority"])
