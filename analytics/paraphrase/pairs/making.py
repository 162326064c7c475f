"""Training pairs of which neither length nor shared words nor edit distance gives the label away.

Valid pairs are two tellings of a scene, a question and its rewording, or two wordings that people or stories gave.
Invalid ones are made in the same way and differ in one sense besides: a switch of the scene, a number, a dropped
statement, a contrary word, a sign in a formula. `matched` then takes as many of each label from every cell of a grid
over length, shared words and edit distance.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.operators import rule_paraphraser
from analytics.paraphrase.operators.catalog import select_operators
from analytics.paraphrase.pairs.scenes import Scene, Telling, drawn_values, scenes, tell, with_other_value
from analytics.paraphrase.pairs.senses import Change, same_sense, sense_change
from analytics.paraphrase.pairs.slots import QUANTITIES, Values

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MadePair:
    """A pair with its label.

    Attributes:
        kind: what was changed; empty in a valid pair.
        source: where its texts come from.
        original_marks, paraphrase_marks: places of the words that say something else.
    """

    original: str
    paraphrase: str
    label: int
    kind: str = ""
    source: str = ""
    original_marks: tuple[Span, ...] = ()
    paraphrase_marks: tuple[Span, ...] = ()


def scene_pairs(rng: random.Random, *, without: frozenset[str] = frozenset()) -> Iterator[MadePair]:
    """Yield pairs of tellings without end, valid and invalid in turn.

    Args:
        without: names of scenes that are left out, e.g. for development.
    """
    known = [scene for scene in scenes() if scene.name not in without]
    while True:
        pair = (
            _valid_pair(rng.choice(known), rng)
            if rng.random() < 0.45
            else _invalid_pair(rng.choice(known), rng)
        )
        if pair is not None and pair.original.split() != pair.paraphrase.split():
            yield pair


@dataclass(frozen=True)
class _Told:
    scene: Scene
    state: dict[str, int]
    values: Values
    original: Telling
    line: int


def _told(scene: Scene, rng: random.Random) -> _Told:
    values = drawn_values(scene, rng)
    state = {
        name: rng.randrange(count) if rng.random() < 0.6 else 0 for name, count in scene.switches.items()
    }
    line, new_line = rng.randrange(len(scene.lines)), rng.randrange(len(scene.lines))
    for _ in range(3):  # what one line does not tell has its first value
        original = tell(scene, line, state, values, rng)
        paraphrase = tell(scene, new_line, state, values, rng)
        told = {
            name: value if name in original.used & paraphrase.used else 0 for name, value in state.items()
        }
        if told == state:
            break
        state = told
    else:
        original = tell(scene, line, state, values, rng)
    return _Told(scene, state, values, original, new_line)


def _valid_pair(scene: Scene, rng: random.Random) -> MadePair | None:
    told = _told(scene, rng)
    values = told.values.renamed(rng) if rng.random() < 0.12 else told.values
    paraphrase = tell(scene, told.line, told.state, values, rng).text
    return MadePair(told.original.text, _reworded(paraphrase, rng), 1, source="scene")


def _reworded(text: str, rng: random.Random) -> str:
    if rng.random() < 0.35 and (change := same_sense(text, rng)):
        return change.text
    return text


def _invalid_pair(scene: Scene, rng: random.Random) -> MadePair | None:
    told = _told(scene, rng)
    values = told.values.renamed(rng) if rng.random() < 0.12 else told.values
    drawn = rng.random()
    original = told.original
    if drawn < 0.72:
        switches = sorted(name for name in original.used if scene.switches[name] > 1)
        if not switches:
            return None
        kind = rng.choice(switches)
        other = rng.choice([value for value in range(scene.switches[kind]) if value != told.state[kind]])
        paraphrase = tell(scene, told.line, {**told.state, kind: other}, values, rng)
        if kind not in paraphrase.used:
            return None
        same = tell(scene, told.line, told.state, values, rng)
        if set(_texts(same, kind)) == set(_texts(paraphrase, kind)):
            return None
        marks, new_marks = _marks(original, kind), _marks(paraphrase, kind)
        kind = kind.rstrip("23")
    elif drawn < 0.82:
        slots = sorted({name for _, _, name in original.spans if name in "nmkjp" or name[0] in QUANTITIES})
        if not slots:
            return None
        slot = rng.choice(slots)
        paraphrase = tell(scene, told.line, told.state, with_other_value(values, slot, rng), rng)
        marks, new_marks = _marks(original, slot), _marks(paraphrase, slot)
        kind = "number"
    elif drawn < 0.90:
        facts = len(scene.lines[told.line]) - 1
        if not facts:
            return None
        paraphrase = tell(scene, told.line, told.state, values, rng, without=rng.randrange(facts))
        marks, new_marks, kind = (), (), "condition"
    else:
        telling = tell(scene, told.line, told.state, values, rng)
        change = sense_change(telling.text, rng)
        if change is None:
            return None
        return MadePair(original.text, change.text, 0, change.kind, "scene", (), (change.after,))
    text = paraphrase.text
    if rng.random() < 0.35 and not new_marks and (change := same_sense(text, rng)):
        text = change.text
    return MadePair(original.text, text, 0, kind, "scene", marks, new_marks)


def _texts(telling: Telling, kind: str) -> Iterator[str]:
    for start, end, name in telling.spans:
        if name == kind:
            yield telling.text[start:end].lower()


def _marks(telling: Telling, name: str) -> tuple[Span, ...]:
    return tuple((start, end) for start, end, span in telling.spans if span == name and end > start)


_OPERATOR_SHARE = 0.15  # of the pairs, which ParaQD's operators make


def text_pairs(
    texts: Sequence[str], wordings: Sequence[tuple[str, str]], rng: random.Random
) -> Iterator[MadePair]:
    """Yield pairs of questions without end, valid and invalid in turn.

    Args:
        texts: questions, which rules reword.
        wordings: pairs of texts that ask the same.
    """
    while True:
        if rng.random() < _OPERATOR_SHARE:
            yield from _operator_pair(rng.choice(texts), rng)
            continue
        if wordings and rng.random() < 0.45:
            original, paraphrase = rng.choice(wordings)
            if rng.random() < 0.5:
                original, paraphrase = paraphrase, original
        else:
            original = rng.choice(texts)
            paraphrase = _rule_rewording(original, rng)
        for _ in range(rng.choice([0, 0, 1, 2])):
            if change := same_sense(paraphrase, rng):
                paraphrase = change.text
        if rng.random() < 0.1:
            original = _rule_rewording(original, rng)
        if rng.random() < 0.45:
            if original.split() != paraphrase.split():
                yield MadePair(original, paraphrase, 1, source="text")
        elif change := sense_change(paraphrase, rng):
            yield _changed_pair(original, change)


def _operator_pair(text: str, rng: random.Random) -> Iterator[MadePair]:
    """Yield at most one pair whose paraphrase ParaQD's operators made of a rewording."""
    paraphrase = _rule_rewording(text, rng)
    is_valid = rng.random() < 0.45
    chosen = rng.choice([each for each in select_operators() if each.is_positive == is_valid])
    changed = chosen.apply(paraphrase, rng)
    if changed and changed.split() != text.split() and (is_valid or changed.split() != paraphrase.split()):
        yield MadePair(text, changed, int(is_valid), "" if is_valid else chosen.name, "operator")


def _rule_rewording(text: str, rng: random.Random) -> str:
    return rule_paraphraser.reword(text, rng, strength=rng.choice([0.3, 1, 2, 4])) or text


def _changed_pair(original: str, change: Change) -> MadePair:
    return MadePair(original, change.text, 0, change.kind, "text", (), (change.after,))


def surface(original: str, paraphrase: str) -> tuple[float, float, float]:
    """Return what can be seen of a pair without reading it: length, shared words, edit distance.

    Returns:
        Difference of the lengths as a share of both, share of shared words, similarity of the word sequences.
    """
    first, second = original.lower().split(), paraphrase.lower().split()
    words, new_words = set(first), set(second)
    return (
        (len(second) - len(first)) / max(len(first) + len(second), 1),
        len(words & new_words) / max(len(words | new_words), 1),
        Levenshtein.normalized_similarity(first, second),
    )


def matched(pairs: Iterable[MadePair], rng: random.Random, cells: int = 9) -> list[MadePair]:
    """Return as many pairs of each label from every cell of a grid over `surface`, for each source.

    Args:
        pairs: a few thousand and more.
        cells: along each axis.
    """
    pairs = list(pairs)
    values = np.array([surface(pair.original, pair.paraphrase) for pair in pairs])
    columns = []
    for column in values.T:
        bounds = np.unique(np.quantile(column, np.linspace(0, 1, cells + 1)[1:-1]))
        columns.append(np.searchsorted(bounds, column, side="left"))
    grid: dict[tuple[object, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for at, cell in enumerate(zip(*columns, strict=True)):
        grid[(pairs[at].source, *cell)][pairs[at].label].append(at)
    kept: list[int] = []
    for invalid, valid in grid.values():
        size = min(len(invalid), len(valid))
        kept += rng.sample(invalid, size) + rng.sample(valid, size)
    rng.shuffle(kept)
    return [pairs[at] for at in kept]
