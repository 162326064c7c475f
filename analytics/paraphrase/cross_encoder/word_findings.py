"""Words that a cross-encoder sees changed, as findings beside those of the rules."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.paraphrase.cross_encoder.reading import PairReading
from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.words.editing import overlaps

_MOST_PLACES = 3  # changed places in a text; more mean that the model points nowhere


def with_changed_words(
    findings: Sequence[Finding], reading: PairReading | None, original: str, paraphrase: str
) -> tuple[Finding, ...]:
    """Return the findings, and the words that the reading of an invalid pair points at where none points yet.

    Args:
        findings: of the rules.
        reading: of the pair, if it was read.
        original, paraphrase: both texts.
    """
    if reading is None or reading.log_odds > 0:
        return tuple(findings)
    serious = [finding for finding in findings if finding.is_serious]
    taken = [finding.original for finding in serious if finding.original]
    new_taken = [finding.paraphrase for finding in serious if finding.paraphrase]
    places = [span for span in reading.original if not overlaps(*span, taken)]
    new_places = [span for span in reading.paraphrase if not overlaps(*span, new_taken)]
    if max(len(places), len(new_places)) > _MOST_PLACES:
        return tuple(findings)
    words = [Words.at(place, original) for place in places]
    new_words = [Words.at(place, paraphrase) for place in new_places]
    if len(words) == len(new_words) == 1 and words[0].text.lower() != new_words[0].text.lower():
        sentence = f"“{words[0].text}” became “{new_words[0].text}”."
        return (*findings, Finding.of("wording", sentence, words[0], new_words[0]))
    said, new_said = ({word.text.lower() for word in side} for side in (words, new_words))
    missing = "The paraphrase does not say “{}” in the same sense."
    added = "The original does not say “{}” in the same sense."
    return (
        *findings,
        *(
            Finding.of("wording", missing.format(word.text), word, None)
            for word in words
            if word.text.lower() not in new_said
        ),
        *(
            Finding.of("wording", added.format(word.text), None, word)
            for word in new_words
            if word.text.lower() not in said
        ),
    )
