"""What models and rules say of pairs, and what reviewers see of it.

Findings are marked in both texts, a changed wording is scored before it is accepted, and the solver's answers to both
texts are compared. What the school's language model says is added to the verdict where that use is switched on; a pair
keeps its own verdict beside it, and gets it back when the use is switched off or lapses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from analytics.expression.evaluate import answers_agree
from analytics.language_model.pairs import Judgement, LeaningWeight, with_judgement
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.scorer import Scorer, UnreadReason
from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH, Solution
from analytics.text.question_tasks import is_word_problem
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.formats.answer_files import InputPair
from questionbank.models import LanguageModelAnswer, LanguageModelUse, ParaphrasePair, ReviewDecision
from questionbank.registry.artifact_selectors import artifact_numbered
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.registry.serving import ServedScorer, ServedSolver, scorer_of, served_scorer
from questionbank.review.pair_services import pair_findings, pair_priority

USE = LanguageModelUse.Use.PAIRS.value
KIND_NAMES: dict[str, str] = {  # kind of a finding -> its readable name; a literal table
    "number": "number",
    "unit": "unit",
    "entity": "name or thing",
    "comparison": "relation or meaning",
    "target": "what is asked",
    "wording": "wording",
}
_NOTICES = {  # why a scorer gives no number -> the notice; a literal table
    "language": "Some pairs are in a language that the scorer cannot read: they have findings only.",
    "question": "The original of some pairs asks nothing: they have findings only.",
    "length": "Some pairs are too long to be read: they have findings only.",
}
_MOST_SAID = 3  # findings per sentence


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `kind` and `change` are empty if it has no finding."""

    text: str
    kind: str = ""
    change: str = ""
    is_serious: bool = False

    @property
    def label(self) -> str:
        return f"{KIND_NAMES.get(self.kind, self.kind)}: {self.change}"


def marked_pieces(text: str, findings: Sequence[Mapping[str, Any]], side: str) -> list[Piece]:
    """Split `text` at the findings' spans on this `side` (`original` or `paraphrase`).

    If two spans overlap, the serious one is marked, else the first; a span outside the text is ignored.
    """
    spans: list[tuple[int, int, Mapping[str, Any]]] = []
    for finding in sorted(findings, key=lambda finding: not finding.get("is_serious", True)):
        span = finding.get(side)
        if not span or not 0 <= span[0] < span[1] <= len(text):
            continue
        start, end = span
        if all(end <= other_start or start >= other_end for other_start, other_end, _finding in spans):
            spans.append((start, end, finding))
    pieces, at = [], 0
    for start, end, finding in sorted(spans, key=lambda span: span[0]):
        if at < start:
            pieces.append(Piece(text[at:start]))
        pieces.append(Piece(text[start:end], finding["kind"], finding["change"], bool(finding.get("is_serious", True))))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces


def pair_pieces(pair: ParaphrasePair) -> dict[str, Any]:
    """Return the context of `review/_pair.html` for a pair, without findings while the assessment is hidden."""
    findings = [] if pair.is_machine_hidden else pair_findings(pair)
    return {
        "original": marked_pieces(pair.original, findings, "original"),
        "paraphrase": marked_pieces(pair.paraphrase, findings, "paraphrase"),
        "has_formulas": "$" in pair.original + pair.paraphrase,
        "findings": [
            {**finding, "kind_name": KIND_NAMES.get(finding["kind"], finding["kind"])} for finding in findings
        ],
        "no_number": unread_reason(pair),
    }


def scorer_by_number(model: str) -> Scorer:
    """Return the scorer with a number, or the one in use for ``"default"``.

    Raises:
        NotFound: there is no scorer with this number.
        ServiceUnavailable: no scorer is in use, or its files are missing.
    """
    if model == "default":
        served = served_scorer()
        if served is None:
            raise ServiceUnavailable(
                "There is no scorer of paraphrases yet: train one, or import one with import_model."
            )
        return served.scorer
    return scorer_of(artifact_numbered(capability="paraphrase", number=model)).scorer


def pair_scores(pairs: Sequence[InputPair], *, scorer: Scorer, notices: set[str]) -> list[dict[str, Any]]:
    """Return ``{"id", "score", "verdict", "probability", "findings"}`` for each pair.

    A pair with a text that the scorer cannot read gets findings only, and a notice explains why.
    """
    reasons = [scorer.unread_reason(pair.original, pair.paraphrase) for pair in pairs]
    scored = iter(
        scorer.score(
            [(pair.original, pair.paraphrase) for pair, reason in zip(pairs, reasons, strict=True) if not reason]
        )
    )
    rows: list[dict[str, Any]] = []
    for pair, reason in zip(pairs, reasons, strict=True):
        if not reason:
            rows.append({"id": pair.id, **next(scored).as_dict()})
            continue
        notices.add(_NOTICES[reason])
        findings = [finding.as_dict() for finding in find_changes(pair.original, pair.paraphrase)]
        rows.append({"id": pair.id, "score": None, "verdict": None, "probability": None, "findings": findings})
    return rows


def unread_reason(pair: ParaphrasePair) -> UnreadReason:
    """Return why the scorer in use gives no number for a pair; empty if it gives one or has not scored it yet."""
    if pair.score is not None or pair.scored_by_id is None:
        return ""
    served = _scorer()
    return served.scorer.unread_reason(pair.original, pair.paraphrase) if served else ""


@transaction.atomic
def decided_in_sight(decide: Callable[[], ReviewDecision], *, seen: str) -> ReviewDecision:
    """Decide, but refuse a changed wording once if the scorer or a serious finding speaks against it.

    A reviewer who has seen the objections may decide all the same. If the pair's assessment is hidden, none are shown.

    Args:
        decide: stores the decision.
        seen: the wording that was refused before.

    Raises:
        ValidationFailed: on `text`, with the objections; nothing is decided.
    """
    decision = decide()
    if decision.text and decision.text != seen.strip() and not decision.pair.hides_machine:
        said = _doubts(decision.pair.original, decision.text)
        if said:
            raise ValidationFailed.beside(
                "text", f"{said} Change it, or press “Accept with changes” again to accept it as it is."
            )
    return decision


def _doubts(original: str, text: str) -> str:
    served = _scorer()
    scored = (
        served.scorer.score([(original, text)])[0]
        if served is not None and served.scorer.knows(original, text)
        else None
    )
    findings = find_changes(original, text) if scored is None else scored.findings
    sentences = [finding.sentence for finding in findings if finding.is_serious][:_MOST_SAID]
    if scored is not None and scored.verdict == "invalid":
        sentences.append(f"The probability that it is valid is {scored.probability:.0%}.")
    return "In your wording: " + " ".join(sentences) if sentences else ""


def _scorer() -> ServedScorer | None:
    try:
        return served_scorer()
    except ServiceUnavailable:
        return None


def pairs_solved(
    pairs: Sequence[ParaphrasePair], solver_for: Callable[[str], ServedSolver | None]
) -> list[dict[str, Any] | None]:
    """Solve both texts of each pair.

    Args:
        pairs: the pairs to solve.
        solver_for: returns the solver in use for a language, or None.

    Returns:
        For each pair ``{"solver", "original", "paraphrase", "agree"}``: the solver's name; for each text
        ``{"equation", "answer", "probability"}``, or None if no equation with a value was found; and whether the
        answers are equal, None if one of them is too uncertain to tell. None instead of the dictionary if a text of
        the pair is not a word problem, or if no solver serves its language.
    """
    evidence: list[dict[str, Any] | None] = [None] * len(pairs)
    for language in {pair.language for pair in pairs}:
        rows = [row for row, pair in enumerate(pairs) if pair.language == language and _is_readable(pair)]
        served = solver_for(language) if rows else None
        if served is None:
            continue
        problems = [
            ProblemRecord("", text, language) for row in rows for text in (pairs[row].original, pairs[row].paraphrase)
        ]
        solutions = iter(served.solver.solve(problems))
        for row in rows:
            evidence[row] = _evidence(next(solutions), next(solutions), served)
    return evidence


def _is_readable(pair: ParaphrasePair) -> bool:
    return is_word_problem(pair.original) and is_word_problem(pair.paraphrase)


def _evidence(original: Sequence[Solution], paraphrase: Sequence[Solution], served: ServedSolver) -> dict[str, Any]:
    first, second = (solutions[0] if solutions else None for solutions in (original, paraphrase))
    return {
        "solver": served.artifact.name,
        "original": _side(first),
        "paraphrase": _side(second),
        "agree": _agree(first, second),
    }


def _side(solution: Solution | None) -> dict[str, Any] | None:
    if solution is None or solution.value is None:
        return None
    return {"equation": solution.equation, "answer": solution.answer, "probability": round(solution.probability, 4)}


def _agree(first: Solution | None, second: Solution | None) -> bool | None:
    if first is None or second is None or first.value is None or second.value is None:
        return None
    if min(first.probability, second.probability) < CERTAIN_ENOUGH:
        return None
    return answers_agree(first.value, second.value)


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
    _save_verdict(fresh, verdict, [*(fresh.findings or []), *_judgement_findings(fresh, judgement.span, row)])
    return True


def judgements_withdraw() -> int:
    """Give the pairs their own verdicts back, unless the use is on; return how many pairs there were."""
    row = language_model_use(USE)
    if row is not None and row.is_on:
        return 0
    numbers = list(ParaphrasePair.objects.filter(language_model_answers__use=USE).values_list("pk", flat=True))
    for number in numbers:
        _judgement_withdraw(number)
    return len(numbers)


def judgements_of_question_withdraw(*, question_id: int) -> None:
    """Give the pairs of a question their own verdicts back."""
    for number in ParaphrasePair.objects.filter(question=question_id).order_by("pk").values_list("pk", flat=True):
        _judgement_withdraw(number)


@transaction.atomic
def _judgement_withdraw(number: int) -> None:
    """Give a pair its own verdict back; the pair is locked first, as where a judgement is stored."""
    pair = ParaphrasePair.objects.select_for_update().filter(pk=number).first()
    answer = LanguageModelAnswer.objects.filter(use=USE, pair=number).first()
    if pair is None or answer is None:
        return
    is_ours = pair.verdict == answer.answer.get("verdict") and answer.answer.get("leaning") is not None
    if is_ours and pair.state != ParaphrasePair.State.DECIDED:
        others = [each for each in pair.findings or [] if not _is_finding_of(each, answer)]
        _save_verdict(pair, answer.answer["own"], others)
    answer.delete()


def _judgement_sentence(name: str, host: str, span: str) -> str:
    return f"Read with {name} at {host}: “{span}” makes the difference."


def _judgement_findings(pair: ParaphrasePair, span: str, row: LanguageModelUse) -> list[dict[str, Any]]:
    """Return the words that make the difference as a finding that is worth a look."""
    if not span:
        return []
    places = {name: text.find(span) for name, text in (("original", pair.original), ("paraphrase", pair.paraphrase))}
    spans = {name: (start, start + len(span)) if start >= 0 else None for name, start in places.items()}
    finding = Finding(
        "wording",
        "changed",
        _judgement_sentence(row.name, row.host, span),
        spans["original"],
        spans["paraphrase"],
        before=span if spans["original"] else "",
        after=span if spans["paraphrase"] else "",
        is_serious=False,
    )
    return [finding.as_dict()]


def _is_finding_of(finding: Mapping[str, Any], answer: LanguageModelAnswer) -> bool:
    return bool(finding.get("sentence") == _judgement_sentence(answer.name, answer.host, answer.answer.get("span", "")))


def _save_verdict(pair: ParaphrasePair, verdict: float, findings: list[dict[str, Any]]) -> None:
    pair.verdict, pair.findings = verdict, findings
    pair.priority = pair_priority(score=pair.score, verdict=verdict, findings=findings)
    pair.save(update_fields=["verdict", "findings", "priority"])
