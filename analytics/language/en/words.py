"""English words by their role, forms of verbs, where sentences end, and what questions ask for.

The forms of verbs are enough to turn a question into a statement and back.
"""

from __future__ import annotations

import re
from collections import defaultdict

from analytics.language.en.units import WORDS

COMMON = frozenset(
    str.split(
        "the a an of to in on at for and with from by was is are were be has have had do does did he she they it his"
        " her their its this that there how many much what which who if each more than as or not will would can all"
        " into out up one two your you find per"
    )
)
"""Words that occur in nearly every sentence."""

EMPTY = frozenset(
    str.split(
        """
        about above according actual actually add added adding after again all allowed almost along already
        also although always among amount and another answer any appear are asked away back bad based
        because been before begin beginning being belong below beside best better between big bigger both
        bought box bring but button buy calculate calculator call called came can cannot case casio cent
        centimeter centimetre certain change choice choose chosen classpad clear click close come compute
        condition consider contain containing correct correctly could currently days decide denote describe
        described desired determine different directly distinct does dollar done down draw drawn during each
        easily eight either eleven else end enough enter equal equally evaluate even ever every exact
        exactly example except exist expect express expressed expression far feet few fill finally find five
        follow followed following foot for found four from full further gave get give given goes going gone
        good got gram graphing great greater group guarantee guaranteed had happen has have having help here
        hers herself high higher him himself his hour how however hundred image inch include included
        including inside instead interactive into item its itself job just keep kilogram kilometer kilometre
        kind know known large larger later leave left less let like likely list liter litre little longer
        longest look looking low lower made make making many match may meter metre might mile minute month
        more most much must name need needed never new next nine none nor not nothing notice now obtain off
        often old once one only onto open option original other others our out outside over own particular
        people perform person piece please plus possible present problem provide put question quick quickly
        randomly rather reach read remain remaining replace replaced represent represented require required
        respectively rest result round rounded same satisfy say section see select selected sentence
        separate set seven shall should show showed shown side simplest simplified simplify since single six
        small smaller solution solve some someone something spend spent start started state statement step
        still student students submit such suppose sure system take taken task technology ten than that the
        their them themselves then there therefore these they thing things think thirty this those though
        thousand three through thus till time times together told too took top total try turn twelve twenty
        twice two type under unknown until upon use used useful using usually value values various very want
        wanted was way week well went were what whatever when where whether which while who whom whose why
        will wish with within without word words work would write writes writing written wrong year yes yet
        you your yours
        """
    )
)
"""Words of four letters or more that show that there is a question, but not what it is about."""

ONLY_IN_PHRASES = frozenset(
    str.split(
        """
        common complete constant diagram figure first form greatest half highest largest last least level
        line long lowest mean negative number order part place point positive random right second similar
        simple smallest table term third unit whole
        """
    )
)
"""Words that carry meaning only in a phrase: "decimal place", "right angle", "least common multiple"."""

_NOT_PLURAL = frozenset(
    str.split("does goes always perhaps series species lens news mathematics physics gas sometimes besides whereas")
)


def search_word(word: str) -> str:
    """Remove a plural s. The result is a word again, so that it can be offered as a spelling suggestion."""
    if len(word) < 4 or word[-1] != "s" or word in _NOT_PLURAL or word.endswith(("us", "ss", "is")):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    return word[:-1]


_IRREGULAR_PLURALS = {"children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot"}


def singular(word: str) -> str:
    """Return a lower-case noun without its plural ending; for comparison, not for display.

    >>> singular("boxes"), singular("berries"), singular("children"), singular("glass")
    ('box', 'berry', 'child', 'glass')
    """
    return search_word(_IRREGULAR_PLURALS.get(word, word))


ABBREVIATIONS = r"(?:[A-Za-z]\.)+|(?:{})\.".format(
    "|".join(
        str.split(
            """
            mr mrs ms dr prof st jr sr no nos fig eq ex ch sec vs etc approx cf dept est min max avg ft in
            lb lbs oz yd mi hr hrs sq cu gal pt qt co inc ltd ave blvd jan feb mar apr jun jul aug sep sept
            oct nov dec mon tue wed thu fri sat sun rs p pp vol e\\.g i\\.e a\\.m p\\.m u\\.s
            """
        )
    )
)
"""Regular expression of abbreviations whose full stop does not end a sentence."""

ASKS = re.compile(
    r"^\W*(?:and |then |so |thus |hence |please )?(?:how|what|which|who|whom|whose|when does|where|why|find"
    r"|calculate|compute|determine|evaluate|solve|simplify|express|estimate|prove|show that|give|state|name"
    r"|write down|work out|factor|expand|is it|are there|does|do you|can you)\b"
    r"|\bhow (?:many|much|long|far|old|fast|tall|often)\b"
    r"|\bwhat (?:is|are|was|were|will|would|percent|fraction)\b",
    re.IGNORECASE,
)

PART_END = re.compile(r";\s+")
QUESTION = re.compile(r"\b(?:how|what|which|who|when|where|find|calculate|determine)\b", re.IGNORECASE)
ORDER = re.compile(r"(?:find|calculate|determine)\b", re.IGNORECASE)
QUESTION_MARK = "?"
FULL_STOP = "."
NAMES_IN_RATIO = re.compile(
    r"\b(?:between|among|ratio of|of|from)\s(?:the\s)?(?P<a>[\w']+)(?:,\s(?P<b>[\w']+),?)?\s(?:and"
    r"|to)\s(?:the\s)?(?P<c>[\w']+)"
    r"|(?:(?P<d>[\w']+), )?(?P<e>[\w']+) and (?P<last>[\w']+)\b(?=[^.]*\bratio\b)",
    re.IGNORECASE,
)

_HOW_MANY = re.compile(r"\bhow many\b((?:\W+[a-z]+){1,3})", re.IGNORECASE)
_LATIN_WORD = re.compile(r"[a-z]+")
_MEASURED = frozenset({"times", "square", "cubic", "percent", "degrees", "units", "fraction"}) | WORDS.keys()
_NO_NUMBER = re.compile(
    r"^(?:and |so |but |then )?(?:what (?:colou?r|name|kind|type|sort|animal"
    r"|fruit|subject|sport|flavou?r|material|language)\b(?!.*\b(?:probability"
    r"|percent))"
    r"|what (?:is|was|are|were) (?:the )?(?:name|colou?r|favou?rite)\b(?! tag)"
    r"|what (?:is|was) [^?]{1,40}['’]s? (?:name|favou?rite|colou?r)\b(?! number)"
    r"|what (?:is|was) (?:his|her|their|its) (?:\w+['’]s? )?(?:name|favou?rite)\b"
    r"|why\b|where (?:is|was|does|did|do|are|were)\b(?!.*\b(?:distance|ratio))|who (?:is|was)\b(?!.*\b(?:older"
    r"|taller|faster|more|less|winner|first|\w+est|most|least)))",
    re.IGNORECASE,
)

_YES_OR_NAME = re.compile(  # only as a whole sentence: "how much, in dollars, does he have" asks for a number
    r"^(?:(?:does|do|did|is|are|was|were|can|could|will|would|has|have|had|should) (?!you (?:tell|say|work|find))"
    r"|who(?:se)? (?:has|had|have|got|gets|ran|scored|collected|won|did|does|is|was)\b[^?]*"
    r"\b(?:more|most|fewer|fewest|less|least|\w+er|\w+est)\b)(?!.*\b(?:how|what|which)\b)[^?]*\?",
    re.IGNORECASE,
)


def asks_for_count(text: str) -> bool:
    """Return whether a text finally asks how many things there are."""
    counted = _HOW_MANY.findall(text)
    return bool(counted) and _MEASURED.isdisjoint(_LATIN_WORD.findall(counted[-1].lower()))


def asks_no_number(question: str, clause: str) -> bool:
    """Return whether a question, or its last clause, asks for a name, a colour, a reason ..."""
    asks_how = re.search(r"\bhow\b", clause, re.IGNORECASE) is not None
    is_no_number = _NO_NUMBER.match(question) or _YES_OR_NAME.match(question)
    return is_no_number is not None or (not asks_how and _NO_NUMBER.match(clause) is not None)


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
