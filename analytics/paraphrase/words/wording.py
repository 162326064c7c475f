"""Words of a question as the capability compares them: stop words, stems, and synonyms that are safe in mathematics.

The table of synonyms is curated: two words share a row only if a word problem keeps its equation when one
replaces the other. "More" and "greater", "sum" and "product", "circle" and "ellipse" are in no row together.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

STOP_WORDS = frozenset(
    str.split(
        """
        a about after again all also am among an and any are as at away back be because been before being
        both but by can could did do does doing down during each either else ever every few for from
        further get gets had has have having he her here hers him his how however i if in into is it its
        itself just last less let like many may me more most much must my no nor not now of off on once
        one only or other our out over own per please same shall she should since so some such than that
        the their them then there therefore these they this those through thus to too under until up upon
        us very was we were what when where which while who whom whose why will with within without would
        you your two three four five six seven eight nine ten eleven twelve hundred thousand million half
        twice thrice find calculate determine given following
        """
    )
)
"""Words that carry no topic."""


def rows_of(table: str) -> tuple[tuple[str, ...], ...]:
    """Return the rows between bars, each of words between blanks; a blank within a word is written as "_".

    >>> rows_of("cannot can't | at_most at_least")
    (('cannot', "can't"), ('at most', 'at least'))
    """
    return tuple(tuple(word.replace("_", " ") for word in row.split()) for row in table.split("|"))


def pairs_of(table: str) -> tuple[tuple[str, str], ...]:
    """Return the rows of a table whose rows are pairs, as `rows_of` does."""
    return tuple((first, second) for first, second in rows_of(table))


SYNONYMS = rows_of(
    """
    buy purchase | buys purchases | bought purchased | buying purchasing | kids children | kid child |
    mom mother | dad father | big large | bigger larger | biggest largest | small little | start begin |
    starts begins | started began | needs requires | need require | needed required | gathers collects |
    gathered collected | gather collect | gets receives | got received | finishes completes | finish
    complete | finished completed | journey trip | constant steady | shop store | picture image |
    pictures images | wants wishes | entire whole | remaining leftover | pupils schoolchildren | worker
    labourer | workers labourers | identical alike | approximately roughly | decides chooses | decided
    chose | build construct | builds constructs | built constructed | fast quickly | car automobile |
    cars automobiles | bike bicycle | bikes bicycles | sofa couch | movie film | movies films | town
    city | road street | pieces bits | employees staff_members | teacher instructor | rides travels
    """
)
"""Rows of words that replace one another."""

_COMPARED = rows_of(
    """
    gift present | candy sweet | package parcel packet | bag sack | doughnut donut | plough plow |
    colour color | grey gray | neighbour neighbor | tyre tire | metre meter | centre center | aeroplane
    airplane plane | cellphone phone | mobile cell | cookie biscuit | lorry truck | flat apartment |
    pupil student schoolchild learner | colleague coworker | wage salary | contest competition | survey
    poll | answer respond reply | answered responded replied | select choose pick | selected chose
    picked | chosen selected picked | error mistake | velocity speed | jump leap | fabric cloth | carpet
    rug | boat ship | author writer | client customer | trousers pants | jug pitcher | tap faucet |
    forest woods | rubbish garbage trash | lady woman | gentleman man | rock stone | distribute hand |
    donate give | donated gave | donates gives | work labor labour | programme program | cheque check |
    cinema movie | percent percentage | vehicle automobile | price cost | jog run | chair seat | coat
    jacket | soccer football | photo photograph picture | rabbit bunny | crate box | mum mom mother
    mummy | dad father daddy | grandma grandmother | grandpa grandfather | sketch drawing | hallway
    corridor | petrol gas gasoline | purse wallet
    """
)
"""Rows of words that may stand for one another when two texts are compared; none is written in another's place."""

_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_VOWEL = re.compile(r"[aeiouy]")
_PLURALS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_IRREGULAR = dict(
    pair.split(":")
    for pair in str.split(
        """
        used:use using:use children:child people:person persons:person men:man women:woman feet:foot
        teeth:tooth mice:mouse geese:goose knives:knife halves:half leaves:leaf loaves:loaf
        shelves:shelf wives:wife bought:buy sold:sell gave:give given:give went:go ate:eat eaten:eat
        made:make took:take taken:take paid:pay spent:spend left:leave had:have has:have ran:run
        read:read drove:drive driven:drive got:get found:find kept:keep lost:lose put:put cut:cut
        built:build wrote:write written:write is:be are:be was:be were:be been:be
        """
    )
)


def words(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return [match[0].lower() for match in _WORD.finditer(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Take off plural and verb endings, for comparing; the result need be no word.

    >>> stem("carries"), stem("travelled"), stem("children"), stem("boxes"), stem("sharing") == stem("share")
    ('carry', 'travel', 'child', 'box', True)
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4:
        return word
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"  # a cookie and the cookies
    for ending, new in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + new
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "sz" else base
            break
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    rows: dict[str, str] = {}
    for row in (*SYNONYMS, *_COMPARED):
        stems = [stem(word) for word in row if " " not in word]
        first = next((rows[base] for base in stems if base in rows), stems[0])
        rows |= dict.fromkeys(stems, first)
    return rows


def canonical(word: str) -> str:
    """Return one stem for words that may stand for one another.

    >>> canonical("purchased") == canonical("bought"), canonical("kids") == canonical("child")
    (True, True)
    """
    base = stem(word)
    return _rows().get(base, base)


def shared_words(first: str, second: str) -> float:
    """Return the share of the words of two texts that both have, in [0, 1]; 1 if neither has any.

    >>> shared_words("Ann bought 3 pens.", "Ann has purchased 3 pens.")
    0.75
    """
    first_words, second_words = ({canonical(word) for word in words(text)} for text in (first, second))
    return shared_share(first_words, second_words)


def shared_share(first: Set[str], second: Set[str]) -> float:
    """Return the share of the words of two sets that both have, in [0, 1]; 1 where both are empty."""
    return len(first & second) / len(first | second) if first or second else 1.0


_NO_ADVERBS = frozenset(
    str.split(
        """
        assembly bully butterfly daily equally evenly family fly fortnightly half-yearly hourly jelly jointly lily
        monthly nightly only quarterly rally reply separately simultaneously supply weekly yearly
        """
    )
)


def is_adverb(word: str) -> bool:
    """Return whether a word in small letters is an adverb that changes no question; "daily" and "equally" do.

    >>> is_adverb("slowly"), is_adverb("daily"), is_adverb("family")
    (True, False, False)
    """
    return word.endswith("ly") and word not in _NO_ADVERBS


GENERIC = frozenset(
    canonical(word)
    for word in str.split(
        """
        amount amounts bit bits count group groups individual individuals instance instances item items kind
        kinds lot lots member members number numbers object objects occasion one ones part parts people person
        piece pieces portion portions quantity rest set sets some thing things time times total type types
        unit units variety
        """
    )
)
"""Nouns that may stand for any other, by their `canonical` form."""
