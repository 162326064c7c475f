"""Extra negative: an unrelated word stands in the place of a name, a unit, a number, or what is counted.

The rule-made pairs of ParaQD's validation set have such negatives, and a scorer that learned names for names and units
for units alone calls them near. The words put in are neither names nor things that can be counted, so that no question
becomes the same one about something else, which would be valid (the paper's Table 3).
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.paraphrase.words.entities import find_entities
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

WORDS = tuple(
    dict.fromkeys(
        """
        adventure silence opinion habit courage rumour fashion weather justice memory freedom laughter patience music
        gravity grammar honesty winter poetry traffic advice anger beauty climate comfort culture danger darkness
        democracy desire doubt echo education electricity envy evidence excuse fame fate fear friendship fog gossip
        guilt harmony health history hope humour hunger idea illness imagination impurity influence instinct irony
        jealousy knowledge law legend luck luxury magic meaning mercy mischief mood mystery nature noise nonsense
        oxygen parliament peace philosophy physics politics poverty pride progress proof rain reason religion revenge
        rhythm rust sadness science shade shame skill sleep smoke sorrow spirit sunshine surprise taste theory thunder
        tradition trouble truth vanity victory virtue wisdom wonder youth
        apologise argue arrive bark believe blink borrow breathe celebrate complain cough dance decide deny dream
        empty escape forget forgive frown gallop giggle hesitate hide hope imagine invent judge knock laugh listen
        mourn nod obey whisper pray pretend promise quarrel refuse regret remember rescue resign shiver shout sing sleep
        slide smile sneeze snore stumble surrender swim tremble vanish wander weep whistle wonder worry yawn
        acoustic ancient anxious bitter brave brittle clumsy crooked cruel curious dusty eager elegant faint famous
        fierce foggy fragile gentle gloomy grateful hollow humble invisible jealous lazy loyal lunar medieval
        muddy naked nervous obvious peculiar polite proud rainy rusty secondary shallow silent sleepy slippery solar
        stubborn sudden tender thirsty tropical unknown vague wicked wooden
        abroad afterwards almost backwards barely downstairs elsewhere forever gladly hardly indoors loudly nowhere
        otherwise outside perhaps politely quietly rarely seldom sideways somehow suddenly tomorrow upwards
""".split()
    )
)
"""Words that are no names, no units and nothing that a word problem counts."""

_COUNTED = re.compile(r"\s(?:[a-z]+\s)?([a-z]{4,})\b")


def apply(question: str, rng: random.Random) -> str | None:
    """Put one unrelated word, at times two, in; None where there is nothing to put it for outside formulas."""
    places = _places(question)
    if not places:
        return None
    count = min(len(places), 2 if rng.random() < 0.3 else 1)
    free = [word for word in WORDS if word not in question.lower()]
    edits = [(*place, rng.choice(free)) for place in rng.sample(places, count)]
    return apply_edits(question, [(start, end, _like(question[start], word)) for start, end, word in edits])


def _places(question: str) -> list[tuple[int, int]]:
    """Return where names, units, numbers and counted things stand, each place once."""
    numbers = find_numbers(question)
    spans = [(entity.start, entity.end) for entity in find_entities(question)]
    spans += [(unit.start, unit.end) for unit in find_units(question)]
    spans += [(number.start, number.end) for number in numbers]
    for number in numbers:
        counted = _COUNTED.match(question, number.end)
        if counted and counted[1] not in STOP_WORDS:
            spans.append(counted.span(1))
    formulas = formula_spans(question)
    places: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda place: (place[0], -place[1])):
        if not overlaps(start, end, formulas) and not overlaps(start, end, places):
            places.append((start, end))
    return places


def _like(first: str, word: str) -> str:
    return word.capitalize() if first.isupper() else word
