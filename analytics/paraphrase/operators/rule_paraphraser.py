"""The offline stand-in for f1, back-translation: a rule-based paraphraser that preserves a question's mathematics.

No weights are downloaded by default, so it replaces the translation models until they are configured. Every
rule preserves numbers, units, names and relations: clause order, joined sentences, contractions, a curated
list of synonyms, and reworded questions. It makes no passives and neither replaces nor deletes random words:
the test operators do that (f_a, f_c, f_d).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from analytics.paraphrase.operators import rewording
from analytics.paraphrase.words.editing import formula_spans, tidy

Rule = Callable[[str, random.Random], str | None]

_RULES: tuple[tuple[Rule, float], ...] = (
    (rewording.reword_question, 0.7),
    (rewording.replace_synonyms, 0.7),
    (rewording.replace_phrases, 0.7),
    (rewording.contract, 0.5),
    (rewording.existential, 0.4),
    (rewording.move_condition, 0.5),
    (rewording.move_adjunct, 0.5),
    (rewording.join_sentences, 0.4),
    (rewording.question_first, 0.15),
)
"""Maps a rule to the probability with which it is tried, in order."""


def reword(question: str, rng: random.Random, *, strength: float = 1.0) -> str | None:
    """Reword a question; None if no rule applies.

    Args:
        strength: multiplies the probability of each rule; with 10, every applicable rule is used.
    """
    changed = question
    for rule, probability in _RULES:
        if rng.random() < probability * strength:
            changed = _outside_formulas(rule, changed, rng)
    if _same(changed, question):
        for rule, _ in rng.sample(_RULES, len(_RULES)):
            changed = _outside_formulas(rule, question, rng)
            if not _same(changed, question):
                break
    changed = tidy(changed)
    return None if not changed or _same(changed, question) else changed


def _same(first: str, second: str) -> bool:
    return first.split() == second.split()


def _outside_formulas(rule: Rule, text: str, rng: random.Random) -> str:
    """Apply a rule unless it would touch a formula."""
    changed = rule(text, rng)
    if changed is None:
        return text
    formulas = [text[start:end] for start, end in formula_spans(text)]
    kept = [changed[start:end] for start, end in formula_spans(changed)]
    return changed if sorted(kept) == sorted(formulas) else text
