"""Verb forms of English word problems: enough to turn a question into a statement and back."""

from __future__ import annotations

from collections import defaultdict

_IRREGULAR = dict(
    pair.split("/")
    for pair in """
    be/was have/had do/did go/went buy/bought sell/sold give/gave get/got make/made take/took find/found eat/ate
    spend/spent leave/left lose/lost put/put cut/cut run/ran read/read ride/rode drive/drove fly/flew see/saw
    send/sent keep/kept catch/caught bring/brought build/built pay/paid grow/grew throw/threw win/won draw/drew
    write/wrote swim/swam drink/drank break/broke feed/fed hold/held come/came cost/cost hit/hit think/thought
    teach/taught tell/told begin/began sit/sat stand/stood fall/fell lend/lent know/knew wear/wore blow/blew
    steal/stole meet/met shoot/shot split/split deal/dealt stick/stuck bite/bit sing/sang speak/spoke sleep/slept
    light/lit hang/hung dig/dug lay/laid sew/sewed
    """.split()
)
_REGULAR = """
add adopt arrange ask attend bake borrow call carry cash change check chop clean climb close collect color complete
contain cook cover deliver deposit discover divide donate download drop earn empty end enroll enter exchange fill
finish fit fix follow gain gather hand harvest help hike hire include increase install invite join jog jump last learn
listen live load lock look mail mow move need notice open order own pack paint park pass pick place plan plant play
pour practice prepare produce pull purchase raise rake receive recycle remain remove rent repair replace return save
score seat serve share ship shop sign sort start stay stack stop store study suggest supply support talk travel trade
try turn type use visit wait walk want wash watch water weigh work wrap miss mark charge like brush burn camp cheer
count crack dance decide enjoy equal expect gallop hop ignore introduce kick knock nail offer perform pile print push
reach recover rescue row sail scrub spill stretch swap tie total trim trip vote wander yell
""".split()

BASES = frozenset({*_IRREGULAR, *_REGULAR} - {"be"})
_MORE_PASTS = {
    "choose": "chose",
    "hear": "heard",
    "hide": "hid",
    "let": "let",
    "say": "said",
    "set": "set",
    "skip": "skipped",
    "spread": "spread",
}
_PAST_BASES = {past: base for base, past in _IRREGULAR.items() if base != "be"}
VERBS = BASES | frozenset(
    """
    answer chew choose exercise form grade hear hide knit let lift owe pitch plow say set skip solve spray spread taste
    treat
    """.split()
)
"""Verbs that occur in questions; in statements, those outside `BASES` are often nouns."""

_DOUBLED = frozenset("chop drop fit hop jog nap pat plan rip scrub ship shop stop swap trim trip wrap".split())
_VOWELS = "aeiou"


def past_of(base: str) -> str:
    """Return the past tense.

    >>> past_of("buy"), past_of("carry"), past_of("stop"), past_of("bake"), past_of("play")
    ('bought', 'carried', 'stopped', 'baked', 'played')
    """
    if irregular := _IRREGULAR.get(base) or _MORE_PASTS.get(base):
        return irregular
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    return base + "ed"


def third_person(base: str) -> str:
    """Return the third-person singular.

    >>> third_person("have"), third_person("carry"), third_person("wash"), third_person("buy")
    ('has', 'carries', 'washes', 'buys')
    """
    if base == "have":
        return "has"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


_PASTS = {past_of(base): base for base in BASES} | _PAST_BASES
_THIRDS = {third_person(base): base for base in BASES}


def base_of_past(word: str) -> str:
    """Return the base form of a known past tense, else ``""``."""
    return _PASTS.get(word, "")


def base_of_present(word: str) -> str:
    """Return the base form of a known third-person singular, else ``""``."""
    return _THIRDS.get(word, "")


def gerund(base: str) -> str:
    """Return the -ing form.

    >>> gerund("share"), gerund("stop"), gerund("tie"), gerund("agree"), gerund("multiply")
    ('sharing', 'stopping', 'tying', 'agreeing', 'multiplying')
    """
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return base + base[-1] * (base in _DOUBLED or base in _DOUBLED_IRREGULAR) + "ing"


_DOUBLED_IRREGULAR = frozenset("begin cut dig get hit put run set sit spin split swim win".split())
_MATHEMATICAL = """
calculate compare convert differentiate enlarge estimate expand factor factorise factorize increase decrease integrate
measure multiply overtake rearrange reflect roll rotate round simplify spin substitute subtract toss translate
""".split()
_NOUNS = dict(
    pair.split("/")
    for pair in """
    add/addition subtract/subtraction multiply/multiplication divide/division convert/conversion estimate/estimation
    compare/comparison reflect/reflection rotate/rotation translate/translation enlarge/enlargement measure/measurement
    simplify/simplification expand/expansion factorise/factorisation factorize/factorization substitute/substitution
    differentiate/differentiation integrate/integration calculate/calculation arrange/arrangement
    """.split()
)
_FAMILIES: defaultdict[str, set[str]] = defaultdict(set)
for _base in VERBS.union(_MATHEMATICAL):
    _family = {_base, past_of(_base), gerund(_base), _NOUNS.get(_base, _base)}
    for _form in _family:
        _FAMILIES[_form] |= _family


def word_family(word: str) -> frozenset[str]:
    """Return all forms of the verb that a word belongs to, with its noun (addition); only the word if there is none.

    >>> sorted(word_family("sharing")), sorted(word_family("addition")), sorted(word_family("number"))
    (['share', 'shared', 'sharing'], ['add', 'added', 'adding', 'addition'], ['number'])
    """
    return frozenset(_FAMILIES.get(word, ())) | {word}
