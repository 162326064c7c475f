"""What the formulas of a pair mean: ``(x-3)(x+3)`` became ``x^2-9``, which is the same, or ``(x-3)(x-3)``."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.editing import overlaps
from analytics.text.formulas import Segment, formula_segments
from analytics.text.meaning import same_meaning

_MOST = 8  # formulas of a text that are compared


def weigh_formulas(pair: Pair, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those inside formulas that mean the same.

    A formula that means something else is a finding of its own, unless another finding in it says so already. Formulas
    are compared in their order, where both texts have as many.
    """
    settled = list(findings)
    formulas = [formula_segments(text.text) for text in (pair.original, pair.paraphrase)]
    if len(formulas[0]) != len(formulas[1]) or len(formulas[0]) > _MOST:
        return settled
    for old, new in zip(*formulas, strict=True):
        if old.body == new.body:
            continue
        meaning = same_meaning(old.body, new.body)
        if meaning == "same":
            settled = [finding for finding in settled if not _is_within(finding, old, new)]
        elif meaning == "different" and not any(
            finding.is_serious and finding.original and overlaps(*finding.original, [(old.start, old.end)])
            for finding in settled
        ):
            sentence = f"{old.source} became {new.source}, which means something else."
            words = [Words(formula.start, formula.end, formula.source) for formula in (old, new)]
            settled.append(Finding.of("number", sentence, *words))
    return settled


def _is_within(finding: Finding, old: Segment, new: Segment) -> bool:
    """Return whether all that a finding names is inside a formula of each text."""
    places = ((finding.original, old), (finding.paraphrase, new))
    return any(span for span, _ in places) and all(
        span is None or (formula.start <= span[0] and span[1] <= formula.end) for span, formula in places
    )
