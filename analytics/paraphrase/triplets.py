"""Triplets for training: a question, a valid paraphrase of it, and an invalid one.

ParaQD (Gupta et al., 2022), section 3.4, draws one output per operator. The similarity of wording then gives the label
away (a distant rewording is always valid, a deleted sentence never). Here, both kinds are generated near and far:
positives also pass through several operators, negatives are also made from a reworded question, and pairs are drawn so
that in a given share of the triplets the positive is farther from the question, by Levenshtein distance, than the
negative.

Questions from the test sets are excluded by `KeptOut`, and counted.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from analytics.errors import DataError
from analytics.json_lines import read_objects
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.operators.catalog import ParaphraseOperator
from analytics.paraphrase.operators.rule_paraphraser import reword
from analytics.paraphrase.words.wording import tidy
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut, masked_text

_COMPOSED = 4
_SYMBOLS = re.compile(r"[\W_]+")
_GIVEN = "given"
_TEST_SOURCES = ("aqua_rat/dev", "aqua_rat/test", "asdiv/all", "asdiv_a/cv")
_TEST_PAIRS = ("paraqd/aquarat_val", "paraqd/aquarat_test", "paraqd/sawp_test")


@dataclass(frozen=True, slots=True)
class Triplet:
    """A question, a valid paraphrase, and an invalid one, with the operators that made them."""

    anchor: str
    positive: str
    negative: str
    positive_operator: str = ""
    negative_operator: str = ""

    @property
    def is_given(self) -> bool:
        """Whether a person wrote or judged one of its wordings, even if operators changed it afterwards."""
        return _GIVEN in (self.positive_operator.split("+")[0], self.negative_operator)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    operator: str
    distance: float


def question_number(text: str) -> int:
    """Return a 64-bit fingerprint of a question that ignores numbers, case, whitespace and punctuation.

    It is stored with every scorer, so it does not use `analytics.text.fingerprints.story_key`, which may change.
    """
    form = _SYMBOLS.sub("", masked_text(text))
    return int.from_bytes(hashlib.sha256(form.encode()).digest()[:8], "big")


def load_kept_out(data: Path) -> KeptOut:
    """Read what must be excluded from the folder of public data sets: AQuA-RAT dev and test, ASDiv, ParaQD.

    Raises:
        DataError: one of the files is missing or unreadable; a check that cannot be made must not appear to pass.
    """
    files = [data / f"{name}.jsonl.gz" for name in (*_TEST_SOURCES, *_TEST_PAIRS)]
    return KeptOut.of(
        row[key]
        for file in files
        for _, row in read_objects(file)
        for key in ("text", "original", "paraphrase")
        if row.get(key)
    )


def make_triplets(
    questions: Sequence[str],
    operators: Sequence[ParaphraseOperator],
    *,
    count: int = 6,
    far_share: float = 0.5,
    seed: int = 3407,
    given: Sequence[ParaphrasePair] = (),
    check_positives: bool = True,
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> list[Triplet]:
    """Make triplets of questions; a question's triplets depend only on its text, the seed and the settings.

    Args:
        questions: the texts; duplicates are used once.
        operators: both positive and negative operators; test operators are refused.
        count: triplets per question, fewer if there are not enough negatives and positives to combine.
        far_share: share of triplets whose positive should be farther from the question than the negative.
        given: labelled pairs (decisions, other corpora); their paraphrases are candidates for their original too.
        check_positives: whether to leave out positives with serious findings.
        progress: called before each question with (questions done, total).
        cancel: called before each question; if it returns True, the triplets made so far are returned.

    Raises:
        DataError: a test operator is among the operators, or one kind is missing.
    """
    if any(not operator.is_training for operator in operators):
        raise DataError("Test operators make test sets; training must not see them.")
    if {operator.is_positive for operator in operators} != {True, False}:
        raise DataError("There must be a positive and a negative operator.")
    by_question: dict[str, list[ParaphrasePair]] = {}
    for pair in given:
        if pair.label is not None:
            by_question.setdefault(tidy(pair.original), []).append(pair)
    triplets: list[Triplet] = []
    wanted = list(dict.fromkeys([*(tidy(text) for text in questions), *by_question]))
    for done, question in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted))
        if cancel is not None and cancel():
            break
        if not question:
            continue
        rng = random.Random(f"{seed}:{question}")
        pairs = by_question.get(question, [])
        triplets += _triplets_of(question, operators, pairs, count, far_share, check_positives, rng)
    return triplets


def make_test_pairs(
    questions: Sequence[str], operators: Sequence[ParaphraseOperator], *, seed: int = 3407
) -> list[ParaphrasePair]:
    """Make a synthetic test set (section 4.2): one positive and one negative operator's output per question.

    The label is what the operator intends; people correct it. If an operator does not apply, the next of its kind is
    used.
    """
    pairs = []
    for number, question in enumerate(questions):
        rng = random.Random(f"{seed}:{question}")
        for is_positive in (True, False):
            kind = [operator for operator in operators if operator.is_positive == is_positive]
            for operator in rng.sample(kind, len(kind)):
                changed = operator.apply(question, rng)
                if changed is not None:
                    pairs.append(
                        ParaphrasePair(f"{number}-{operator.name}", question, changed, int(is_positive), operator.name)
                    )
                    break
    return pairs


def triplet_pairs(triplets: Iterable[Triplet]) -> list[ParaphrasePair]:
    """Return the two labelled pairs of each triplet."""
    return [
        ParaphrasePair("", triplet.anchor, text, label, name)
        for triplet in triplets
        for text, label, name in (
            (triplet.positive, 1, triplet.positive_operator),
            (triplet.negative, 0, triplet.negative_operator),
        )
    ]


def _triplets_of(
    question: str,
    operators: Sequence[ParaphraseOperator],
    given: Sequence[ParaphrasePair],
    count: int,
    far_share: float,
    check_positives: bool,
    rng: random.Random,
) -> list[Triplet]:
    positives = _positives(
        question, [operator for operator in operators if operator.is_positive], given, check_positives, rng
    )
    valid = {candidate.text for candidate in positives}
    negatives = _negatives(
        question, [operator for operator in operators if not operator.is_positive], given, positives, rng
    )
    negatives = {
        name: kept
        for name, candidates in negatives.items()
        if (kept := [candidate for candidate in candidates if candidate.text not in valid])
    }
    if not positives or not negatives:
        return []
    return _drawn(question, positives, negatives, count, far_share, rng)


def _drawn(
    question: str,
    positives: Sequence[_Candidate],
    negatives: Mapping[str, Sequence[_Candidate]],
    count: int,
    far_share: float,
    rng: random.Random,
) -> list[Triplet]:
    """Draw up to `count` triplets, using operators in turn and preferring those with a pair at the wanted distance."""
    triplets: list[Triplet] = []
    names = [_GIVEN] * min(len(negatives.get(_GIVEN, [])), count)  # human decisions come first
    for _ in range(count):
        names = names or rng.sample(list(negatives), len(negatives))
        wants_far = rng.random() < far_share
        pairs = {name: _unused_pairs(positives, negatives[name], triplets) for name in names}
        fit = {
            name: [pair for pair in pairs[name] if (pair[0].distance > pair[1].distance) == wants_far] for name in names
        }
        name = next((name for name in names if fit[name]), names[0])
        names.remove(name)
        if choices := fit[name] or pairs[name]:
            positive, negative = rng.choice(choices)
            triplets.append(Triplet(question, positive.text, negative.text, positive.operator, negative.operator))
    return triplets


def _unused_pairs(
    positives: Sequence[_Candidate], negatives: Sequence[_Candidate], triplets: Sequence[Triplet]
) -> list[tuple[_Candidate, _Candidate]]:
    """Return the pairs in no triplet yet; no negative is reused before all others were used."""
    used = {(triplet.positive, triplet.negative) for triplet in triplets}
    seen = {triplet.negative for triplet in triplets}
    edits = [edit for edit in negatives if edit.text not in seen] or negatives
    return [(rewording, edit) for rewording in positives for edit in edits if (rewording.text, edit.text) not in used]


def _positives(
    question: str,
    operators: Sequence[ParaphraseOperator],
    given: Sequence[ParaphrasePair],
    check: bool,
    rng: random.Random,
) -> list[_Candidate]:
    rewordings = {tidy(pair.paraphrase): _GIVEN for pair in given if pair.label == 1}
    for operator in operators:
        changed = operator.apply(question, rng)
        if changed is not None:
            rewordings.setdefault(changed, operator.name)
    made = list(rewordings.items())
    several = [operator for operator in operators if operator.name != "same_sentence"]
    for _ in range(_COMPOSED if several else 0):
        text, names = rng.choice(made) if made else (question, "")
        text = reword(text, rng, strength=2) or text if "back_translation" in names or not names else text
        for operator in rng.sample(several, min(len(several), rng.randint(1, 3))):
            changed = operator.apply(text, rng)
            if changed is not None:
                text, names = changed, f"{names}+{operator.name}" if names else operator.name
        if names and text != question:
            rewordings.setdefault(text, names)
    return [
        _Candidate(text, names, wording_distance(question, text))
        for text, names in rewordings.items()
        if not check or names == _GIVEN or not any(finding.is_serious for finding in find_changes(question, text))
    ]


def _negatives(
    question: str,
    operators: Sequence[ParaphraseOperator],
    given: Sequence[ParaphrasePair],
    positives: Sequence[_Candidate],
    rng: random.Random,
) -> dict[str, list[_Candidate]]:
    """Return minimal edits of the question and its rewordings, by operator."""
    by_operator: dict[str, list[_Candidate]] = {}
    for text in dict.fromkeys(tidy(pair.paraphrase) for pair in given if pair.label == 0):
        by_operator.setdefault(_GIVEN, []).append(_Candidate(text, _GIVEN, wording_distance(question, text)))
    far = sorted(positives, key=lambda positive: -positive.distance)
    for operator in operators:
        bases = [
            question,
            *(positive.text for positive in far[:1]),
            *(positive.text for positive in rng.sample(far, min(1, len(far)))),
        ]
        for base in dict.fromkeys(bases):
            changed = operator.apply(base, rng)
            if changed is not None and changed != question:
                name = operator.name if base == question else f"{operator.name} of a rewording"
                by_operator.setdefault(operator.name, []).append(
                    _Candidate(changed, name, wording_distance(question, changed))
                )
    return by_operator


def wording_distance(one: str, other: str) -> float:
    """Return the normalised edit distance of two texts."""
    return Levenshtein.normalized_distance(one, other)
