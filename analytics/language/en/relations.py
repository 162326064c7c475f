"""English clauses that relate numbers, by kind of relation, for `analytics.solver.rules.relations`.

Numbers are already parsed and appear as ``#0``, ``#1`` without their units: "Ben is #0 younger than Carla". Days become
owners if one person does the same on several days: "On Sunday Hana read #0 pages" is read as "Sunday read #0 pages".
"""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from functools import lru_cache

from analytics.language.en.words import COMMON, past_of, singular

_ATTRIBUTES = {
    "age": "old older younger age ages aged",
    "height": "tall taller high higher lower height heights",
    "length": "long longer length",
    "width": "wide wider width",
    "weight": "heavy heavier lighter weigh weighs weighed weight weights",
    "price": "cost costs costed dearer cheaper pricier expensive price prices",
}
_ATTRIBUTE_OF = {word: name for name, words in _ATTRIBUTES.items() for word in words.split()}
LESS = frozenset(
    [*"fewer less younger shorter lower lighter cheaper smaller minus".split(), "decreased by", "less expensive"]
)
LIMBS = {
    "leg": dict.fromkeys(
        "chicken hen duck bird goose turkey ostrich rooster person emu parrot pheasant pigeon rider".split(), 2
    )
    | dict.fromkeys(
        "rabbit cow pig sheep goat horse dog cat lion elephant bunny donkey zebra giraffe pony lamb camel deer tortoise".split(),
        4,
    )
    | {"spider": 8, "ant": 6, "beetle": 6},
    "wheel": dict.fromkeys("bicycle bike motorcycle motorbike scooter".split(), 2)
    | dict.fromkeys("car truck van cart".split(), 4)
    | {"tricycle": 3, "unicycle": 1},
}
LIMBS |= {"foot": LIMBS["leg"], "feet": LIMBS["leg"]}
HEADS = frozenset("head animal vehicle creature seat saddle bike cycle pet insect".split())
COINS = {"penny": 1, "nickel": 5, "dime": 10, "quarter": 25}
FACTORS = {"twice": 2, "double": 2, "doubled": 2, "tripled": 3, "halve": 2, "halved": 2, "triple": 3, "thrice": 3}
PRONOUNS = frozenset("he she it this that which who him her".split())
EVERYONE = re.compile(
    r"(?:they|them|both|all|we|their(?: \w+)?|the (?:boys|girls|friends|children|pair)"
    r"|(?:all |the |these )*#\d+(?: of them| [a-z]+)?|they all|they both|both of them)",
    re.IGNORECASE,
)
TWO_NUMBERS = re.compile(
    r"(?:the |of )*(?P<count>#\d+) (?:natural |whole |positive )?(?:numbers|integers)", re.IGNORECASE
)
PEOPLE = frozenset("child student pupil people person kid member player dancer singer musician".split())
PEOPLE_PARTS = frozenset("boy girl man woman adult teacher".split())
_LARGEST = re.compile(r"\b(?:larg|great|bigg|high|old|tall|long|heavi)(?:er|est)\b|\bbigger\b", re.IGNORECASE)
_SMALLEST = re.compile(
    r"\b(?:smaller|smallest|lesser|least|youngest|younger|lowest|lower|shorter|shortest|lighter|lightest)\b",
    re.IGNORECASE,
)
_MIDDLE = re.compile(r"\bmiddle\b", re.IGNORECASE)
SUPERLATIVES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("middle", _MIDDLE),
    ("smallest", _SMALLEST),
    ("largest", _LARGEST),
)
OLD = re.compile(r"\b(?:(?<!the )old|older|younger|ages?|born)\b", re.IGNORECASE)

_FILLERS = re.compile(
    r"\b(?:(?<!from )now|currently|still|only|just|exactly|also|already|today|about|really|actually|times (?=#\d+ times)|for the school|respectively)\b ?"
    r"| (?:standing |growing |right )?(?:next to|beside|opposite|behind|near|in front of) (?:it|him|her|them)\b|,? in (?:that|this) order\b"
    r"|^(?:and|but|so|however,|if|then|given that|suppose(?: that)?|(?:altogether|in all|in total),|(?:altogether|in all|in total)(?= there)) +",
    re.IGNORECASE,
)
_DETERMINERS = re.compile(
    r"^(?:the|a|an|his|her|their|its|my|your|our|some|these|those|other of the)\s+", re.IGNORECASE
)
_NUMBER_OF = re.compile(
    r"^(?:the )?(?:number|amount|count|price|cost|age|height|weight|length|mass) of (?P<what>.*)$", re.IGNORECASE
)
_ONE_OF_TWO = re.compile(
    r"(?P<one>one(?: of them| of the numbers| number)?|number|(?:first|larger|bigger|greater)(?: number)?)|(?:other|second|another|smaller|lesser)(?: one| number)?"
)
_OWNER = re.compile(r"^(?P<owner>.*?)(?:['’]s?) (?P<what>.+)$|^(?P<alone>.*?)['’]s?$")

_STOP = (
    "than|as|is|am|are|was|were|be|has|have|had|do|does|did|will|would|can|could|how|what|many|much|more|fewer|less|times|twice|double|triple|half"
    "|altogether|together|total|sum|if|when|and|or|in|on|at|from|for|with|to|by|each|every|per|older|younger|taller|shorter|heavier|lighter"
    "|not|no|but|then|after|before|while|there|gave|gives|give|left|rest|remaining|another|same|equal|equally|average|because|so|until|both"
)
_W = rf"(?!(?:{_STOP})\b)(?:[A-Za-z][\w'’/-]*|\d+[A-Z]\b)"
_NP = rf"(?:(?:the )?(?:older|younger|taller|shorter|heavier|lighter|more expensive|cheaper) )?{_W}(?: {_W}){{0,4}}?"
_LIST = rf"(?:{_NP}(?:, {_NP}){{0,3}},? and {_NP})"
_PP = rf"(?: (?:in|on|at|from|for|with|by) {_NP}){{0,2}}"
_ALL = r"(?:they|both|(?:all |the |these )*#\d+(?: of them| [a-z]+)?|we|both of them)"
_N = r"#\d+"
_MT = rf"(?P<m>twice|double|triple|thrice|{_N} times)"
_M = rf"(?P<m>twice|double|triple|thrice|{_N} times|{_N})"
_DONE = (
    "add answer bake borrow bring build buy catch climb collect come complete contain count cycle donate drive drink draw drop earn eat find"
    " finish fly gather give go grow harvest hold jump knit learn lend like make need order own pack paint pay pick plant play raise read receive ride run"
    " save score sell send share sing sleep solve spend swim take throw travel turn use walk want watch wear win write"
)
_ACTIONS = {form: verb for verb in _DONE.split() for form in (verb, verb + "s", past_of(verb))} | {
    "goes": "go",
    "catches": "catch",
}
_SAME_ACTION = {"find": "collect", "gather": "collect", "pick": "collect"}
_ACT = "|".join(sorted(_ACTIONS, key=len, reverse=True))
_BE = r"(?:is|am|are|was|were|will be|would be|be)"
_V = rf"(?P<verb>has got|have got|has|have|had|{_BE}|weighs?|weighed|costs?|got|gets?|(?:has |have |had )?(?:{_ACT}))"
_AUX = r"(?:is|am|are|was|were|do|does|did|has|have|had|will|would)"
_MORE = (
    r"(?P<more>more|fewer|less|older|younger|taller|shorter|longer|higher|lower|heavier|lighter|dearer|cheaper"
    r"|bigger|larger|greater|smaller|wider|more expensive|less expensive)"
)
_ADJ = r"old|tall|high|long|heavy|wide|expensive|big|large|of age"
_TOG = r"(?:altogether|together|in all|in total|combined|all together|between them|in sum)"
_ADD = r"(?:adds? up to|add to|equals?|totals?|totalled|totaled|sums? up to|sums? to|make|makes)"
_OF_B = rf"(?P<b>{_LIST}|{_NP}|another(?: number)?)(?: {_AUX})?(?: {_BE}| (?:{_ACT}))?"
_NO_KINDS = r"(?!(?:different )?(?:kinds|types|sorts|varieties|colou?rs)\b)"  # two kinds are just two numbers
_GONE = "gave|gives|spent|spends|used|uses|sold|sells|ate|eats|lost|donated"


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_REST = (
    r"(?:the |what |all )*(?:rest|remainder|remaining [a-z]+(?: [a-z]+)?|(?:of )?what (?:was|is|were|remained|he had|she had|they had)(?: left| remaining)?"
    r"|(?:was|is|were) left|[a-z]+ (?:that (?:was|were) )?left|[a-z]+ (?:he|she|they) had left|left)(?: of (?:it|them|the [a-z]+))?"
)
REST = _p(_REST)
_WHOLE = rf"(?:{_REST}|(?:the|his|her|their|its|my)?(?: ?{_N}(?:-[a-z]+)?)? ?(?!(?:[a-z]+ )*(?:who|which|that)\b){_NP}(?: with {_N} {_W})?|{_N})"
_TAIL = r"(?P<tail>(?: (?:on|to|for|in|at|with|from|by|during|yesterday|today) [^#,;]*)?)"

# a clause about another time: the shift in years, and the statement about that time
TIMES_OF_AGE: tuple[tuple[int, re.Pattern[str]], ...] = (
    (1, _p(rf"in (?P<t>{_N})(?: time|['’] time| from now)?,? (?P<clause>.+)")),
    (-1, _p(rf"(?P<t>{_N}) ago,? (?P<clause>.+)")),
    (1, _p(rf"(?P<t>{_N}) (?:from now|later),? (?P<clause>.+)")),
    (1, _p(rf"(?P<clause>.+?) (?:in|after) (?P<t>{_N})(?:['’]? time| from now)?")),
    (-1, _p(rf"(?P<clause>.+?) (?P<t>{_N}) ago")),
    (1, _p(rf"(?P<clause>.+?),? (?P<t>{_N}) (?:from now|later)")),
    (0, _p(r"(?P<clause>.+?),? when (?P<event>.+)")),
    (0, _p(r"when (?P<event>.+?), (?P<clause>.+)")),
)
UNKNOWN_TIME = _p(
    r"(?:(?:in|after) how (?:much|many years|many years['’] time)|how (?:much|many years) (?P<ago>ago)"
    r"|how (?:much|many years|long) from now),? (?:time )?(?P<clause>.+)"
)

# fmt: off
STATEMENTS: tuple[tuple[str, str], ...] = (
    ("ratio", rf"(?:(?:in|at|on) {_NP},? )?(?:the )?ratio of (?:the )?(?:number of )?(?P<a>{_NP}) to (?:the )?(?:number of )?(?P<b>{_NP})(?: to (?P<c>{_NP}))?{_PP} (?:is|was) (?P<r>{_N}(?: ?(?::|to) ?{_N}){{1,2}})"),
    ("ratio", rf"(?:(?:in|at|on) {_NP},? )?(?P<list>{_LIST}) (?:are|is|were|shared?(?: {_NP})?) in the ratio (?:of )?(?P<r>{_N}(?: ?(?::|to) ?{_N}){{1,2}})"),
    ("shared", rf"(?:(?P<count>{_N}) [a-z]+,? )?(?P<list>{_LIST}),? (?:agree to )?(?:share|divide|split)[sd]?(?: a total of)? (?P<n>{_N})(?: (?!among|between)(?P<noun>{_NP}))?(?: (?:between|among|amongst) (?:them|themselves))? in the ratio (?:of )?(?P<r>{_N}(?: ?(?::|to) ?{_N}){{1,2}})"),
    ("sum_difference", rf"(?P<list>{_N} {_NP}) have a sum of (?P<n>{_N}) and a difference of (?P<d>{_N})"),
    ("consecutive", rf"(?:the )?(?:sum|total) of (?P<count>{_N}) consecutive (?P<step>even |odd )?(?:{_W} )?(?:numbers|integers) is (?P<n>{_N})"),
    ("consecutive", rf"(?P<count>{_N}) consecutive (?P<step>even |odd )?(?:{_W} )?(?:numbers|integers) (?:{_ADD}|have a sum of) (?P<n>{_N})"),
    ("sum", rf"(?:the )?(?:sum|total)(?: (?:number|age|weight|price|cost))? of (?P<list>{_N} {_NP}|{_LIST}|their (?:{_W})|them|(?:the )?(?:{_N} )?{_NP}) (?:is|was|will be|are) (?P<n>{_N})(?: (?P<noun>{_NP}))?"),
    ("sum", rf"their (?:sum|total(?: (?:age|weight|cost|price))?|combined age) (?:is|was|will be) (?P<n>{_N})"),
    ("sum", rf"(?P<list>{_LIST}|{_ALL}|their (?:{_W})|the ages of {_LIST}|{_N} {_NP}|(?:{_NP} )?ages) (?:will )?(?:{_ADD}|have a (?:sum|total) of|had a total of) (?P<n>{_N})(?: (?P<noun>{_NP}))?{_PP}"),
    ("sum", rf"(?P<list>{_LIST}|{_ALL})(?: together)? {_V}(?: a (?:combined )?total of)?(?: together)? (?P<n>{_N})(?: (?P<noun>{_NP}))?(?: {_ADJ})?{_PP},? {_TOG}(?: (?:{_ADJ}))?{_PP}"),
    ("sum", rf"there (?:are|were)(?: a total of)? (?P<n>{_N})(?: (?P<noun>{_NP}))?{_PP},? {_TOG}{_PP}"),
    ("sum", rf"the (?:total )?number of (?P<list>their {_W}) {_TOG} (?:is|was) (?P<n>{_N})"),
    ("sum", rf"{_TOG},? (?P<list>{_LIST}|their {_W}) {_ADD} (?P<n>{_N})"),
    ("sum", rf"(?P<list>{_LIST}|{_ALL}) {_TOG} {_V} (?P<n>{_N})(?: (?P<noun>{_NP}))?(?: {_ADJ})?{_PP}"),
    ("sum", rf"(?P<list>{_LIST}|{_ALL}) {_V} a (?:combined )?total of (?P<n>{_N})(?: (?P<noun>{_NP}))?{_PP}"),
    ("sum", rf"{_TOG},? (?P<list>{_LIST}|{_ALL}) {_V} (?P<n>{_N})(?: (?P<noun>{_NP}))?(?: {_ADJ})?{_PP}"),
    ("sum", rf"there (?:are|were) (?:a total of )?(?P<n>{_N}) (?P<things>{_LIST}){_PP}(?: {_TOG})?"),
    ("sum", rf"a total of (?P<n>{_N}) (?P<things>{_LIST}|{_NP}) (?:are|were) .+"),
    ("sum", rf"(?P<a>{_NP}) {_V} (?:a total of )?(?P<n>{_N}) (?P<things>{_LIST}){_PP}(?: {_TOG})?"),
    ("difference", rf"(?:the )?difference (?:between|of) (?P<list>{_N} {_NP}|{_LIST}) (?:is|was) (?P<n>{_N})"),
    ("difference", rf"(?:their|the) difference(?: (?:between|of) (?:them|the numbers))? (?:is|was) (?P<n>{_N})"),
    ("difference", rf"(?:the )?difference (?:between|of) (?P<list>{_N} {_NP}) (?:is|was) (?P<n>{_N})"),
    ("difference", rf"(?:they|the numbers|(?P<list>(?:the )?{_N} {_NP})) differ by (?P<n>{_N})"),
    ("times", rf"(?P<a>{_LIST}|{_NP}) {_V} (?P<n>{_N})(?: {_NP})? (?P<more>more|less|fewer|older|younger) (?:{_NP} )?than {_MT} (?:as (?:many|much|(?P<adj>{_ADJ}))(?: (?P<noun>{_NP}))? as|the (?:number|amount|age|price|weight|height)(?: of (?P<noun2>{_NP}))? (?:of|as|that)|of)? ?{_OF_B}{_PP}"),
    ("times", rf"there are (?P<n>{_N}) (?P<more>more|less|fewer) (?P<a>{_NP}) than {_M} as many {_OF_B}{_PP}"),
    ("times", rf"(?P<a>{_NP}) {_V} {_M} (?:as|so) (?:many|much|(?P<adj>{_ADJ}))(?: (?P<noun>{_NP}))?{_PP} as {_OF_B}{_PP}"),
    ("times", rf"will (?P<a>{_NP}) (?P<verb>be) {_M} (?:as|so) (?:many|much|(?P<adj>{_ADJ})) as {_OF_B}"),
    ("times", rf"(?P<verb>was|were) (?P<a>{_NP}) {_M} (?:as|so) (?P<adj>{_ADJ}) as {_OF_B}"),
    ("times", rf"there (?:are|were) {_M} as (?:many|much) (?P<a>{_NP}){_PP} as {_OF_B}{_PP}"),
    ("times", rf"(?P<a>{_NP}){_PP} {_V} {_MT} (?:of )?(?:the (?:number|amount|age|price|weight|height)(?: of (?P<noun>{_NP}))? (?:of|as|that) )?{_OF_B}"),
    ("more", rf"(?P<a>{_NP}) {_BE} (?P<n>{_N}) (?!more|less|fewer|higher|lower){_MORE}"),
    ("more", rf"(?P<a>{_NP}){_PP} {_V} (?P<n>{_N})(?: (?P<noun2>{_NP}))? {_MORE}(?: (?P<noun>{_NP}))?{_PP} than {_OF_B}{_PP}"),
    ("more", rf"(?P<n>{_N}) {_MORE}(?: (?P<noun>{_NP}))? than {_OF_B}{_PP}"),
    ("more", rf"there (?:are|were) (?P<n>{_N}) {_MORE} (?P<a>{_NP}){_PP} than {_OF_B}{_PP}"),
    ("add", rf"(?:(?:i|you|we) )?add(?:ed)? (?P<n>{_N}) to (?:a|my|the) (?:certain )?number"),
    ("part", rf"{_NP} (?:{_V}|lost) (?P<f>{_N}) of (?P<w>{_WHOLE}){_TAIL}"),
    ("part", rf"(?:another )?(?P<f>{_N}) of (?P<w>{_WHOLE}){_PP} (?:{_V}|goes|went|(?:was|were|is) (?:used|spent)|come|comes|like|likes|play|plays)(?P<tail>(?: [^#,; ]+){{0,6}})"),
    ("part", rf"(?:another )?(?P<f>{_N}) of (?P<w>{_WHOLE}){_TAIL}"),
    ("part", rf"(?:then )?(?P<f>{_N}) (?:{_BE})(?! (?:added|subtracted|taken))(?P<tail>(?: [^# ]+){{1,4}})"),
    ("part", rf"{_NP} (?:{_GONE}) (?P<n>{_N})(?: of them| {_NP})? (?P<tail>(?:to|on|for)(?: [^#,; ]+){{1,5}})"),
    ("others", rf"(?:all )?(?:the )?(?:others?|rest|remainder|remaining {_NP})(?: of (?:them|the {_NP}))? (?:{_BE}|{_V}|go|went|like|play)(?P<tail>(?: [^# ]+){{1,7}})"),
    ("left", rf"the (?:other|remaining) (?P<n>{_N})[^#,;]*"),
    ("left", rf"{_NP} {_V} (?P<n>{_N})(?: (?P<noun>{_NP}))?{_PP} (?:left|remaining|left over|to (?:read|go|walk|paint|sell|do|solve))(?: .*)?"),
    ("left", rf"(?:there|that) (?:are|is|were|was|leaves|left) (?P<n>{_N})(?: (?P<noun>{_NP}))? (?:left|remaining|left over)(?: .*)?"),
    ("left", rf"(?P<n>{_N})(?: (?P<noun>{_NP}))? (?:are|were|is|was) left(?: .*)?"),
    ("begin", r"i (?:think|am thinking|thought) of a (?:certain )?number"),
    ("begin", r"i am a number"),
    ("multiply", rf"(?:(?:i|you|we|she|he) )?(?:multipl(?:y|ied|ies)) (?:it|this|the (?:number|result|answer|sum|difference)|this number) by (?P<n>{_N})"),
    ("multiply", rf"(?:when )?(?:i |you |we |she |he )?multipl(?:y|ied|ies) a (?:certain )?number by (?P<n>{_N})"),
    ("multiply", r"(?:a|the|this|my) (?:certain )?(?:number|result) (?:is |was )?(?P<n>doubled|tripled)"),
    ("multiply", rf"(?:a|the|this|my) (?:certain )?(?:number|result) (?:is |was )?multiplied by (?P<n>{_N})"),
    ("divide", rf"(?:(?:i|you|we|she|he) )?divided? (?:it|this|the (?:number|result|answer|sum|difference)|this number) by (?P<n>{_N})"),
    ("divide", rf"(?:(?:a|the|this|my) (?:certain )?(?:number|result) )?(?:is |was )?divided by (?P<n>{_N})"),
    ("multiply", r"(?:(?:i|you) )?(?P<n>doubled?) (?:it|this|the (?:number|result|answer|sum))"),
    ("divide", r"(?:(?:i|you) )?(?P<n>halved?) (?:it|this|the (?:number|result|answer|sum))"),
    ("add", rf"(?:(?:i|you|we|she|he) )?add(?:ed)? (?P<n>{_N})(?: to (?:it|this|the (?:number|result|answer|product)))?"),
    ("add", rf"(?P<n>{_N}) is added(?: to (?:it|the (?:number|result|product)))?"),
    ("add", rf"(?:a|the|this|my) (?:certain )?(?:number|result) (?:is )?(?:increased by|plus) (?P<n>{_N})"),
    ("subtract", rf"(?:(?:i|you|we|she|he) )?(?:subtract(?:ed)?|take away|took away|take) (?P<n>{_N})(?: (?:away )?from (?:it|this|the (?:number|result|answer|product)))?"),
    ("subtract", rf"(?P<n>{_N}) is (?:subtracted|taken away)(?: from (?:it|the (?:number|result|product)))?"),
    ("subtract", rf"(?:a|the|this|my) (?:certain )?(?:number|result) (?:is )?(?:decreased by|minus) (?P<n>{_N})"),
    ("result", rf"(?:the |my |your )?(?:final )?(?:result|answer|it|i get|you get|i got|get|i end up with|end up with|gives?|giving)(?: (?:is|was|of))? (?P<n>{_N})"),
    ("phrase", rf"(?P<n>{_N}) (?P<more>more|less) than {_M} (?:a|the|some|an unknown) (?:certain )?number (?:is|equals|gives) (?P<s>{_N})"),
    ("phrase", rf"{_M} (?:of )?(?:a|the|some) (?:certain )?number,? (?P<more>plus|minus|increased by|decreased by) (?P<n>{_N}) (?:is|equals|gives) (?P<s>{_N})"),
    ("phrase", rf"{_M} (?:of )?(?:a|the|some) (?:certain )?number (?:is|equals) (?P<s>{_N})"),
    ("value", rf"(?:there|here) (?:are|were|is) (?P<n>{_N}) {_NO_KINDS}(?P<noun>{_NP}){_PP}"),
    ("count", rf"(?:there are )?(?:the )?(?P<count>{_N}) (?:{_W} )?(?:friends|classes|children|brothers|sisters|boys|girls|pupils|people|teams|shops|schools)(?: {_V})?(?: [a-z]+){{0,7}}"),
    ("value", rf"(?P<a>{_NP}){_PP} {_V} (?P<n>{_N})(?: of (?:them|these))?(?: {_NO_KINDS}(?P<noun>{_NP}))?{_PP}"),
    ("born", rf"(?P<a>{_NP}) (?:was|is) born"),
    ("nothing", rf"{_NP} and {_NP} (?:are|were) {_NP}"),
)

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("difference", rf"how (?:many|much) (?P<more>more|fewer|less) (?P<noun>{_NP} )?(?:do|does|did|has|have|is|are|was|were)? ?(?P<a>{_NP})(?: {_V})?(?: (?P<noun2>{_NP}))?{_PP} than (?P<b>{_NP})(?: {_AUX})?"),
    ("difference", rf"how (?:many|much) (?P<more>more|fewer) (?P<a>{_NP}) than (?P<b>{_NP}) (?:are there|{_AUX} .*|there are)"),
    ("difference", rf"how many (?:years|cm|metres) (?P<more>older|younger|taller|shorter) is (?P<a>{_NP}) than (?P<b>{_NP})"),
    ("difference", rf"how much {_MORE} is (?P<a>{_NP}) than (?P<b>{_NP})"),
    ("left", rf"how (?:many|much)(?: (?P<noun>{_NP}))? .*(?:left|remain|remains|remaining|still|left over|to read|not [a-z]+)(?: .*)?"),
    ("share_left", r"what (?:fraction|part) of .*(?:left|remain|remains|remaining|over)"),
    ("one", rf"how (?:many|much) (?P<noun>{_NP}) (?:are|were|is)(?: there)? in (?P<a>{_NP}(?=['’]s)|(?:class )?\d+[A-Z])(?:['’]s {_W})?"),
    ("all_in", rf"how many (?P<noun>{_NP}) (?:are|were)(?: there)? in (?:the|this|that|his|her|their) {_NP}(?: {_TOG})?"),
    ("whole", rf"how (?:many|much)(?: (?P<noun>{_NP}))? (?:did|was|were) .*(?:at first|at the (?:start|beginning)|(?:begin|start) (?:out |off )?with|originally|initially|in the beginning)"),
    ("total", rf"(?:what (?:is|was|are|will be) |find |calculate )(?:the |their )(?:sum|total|combined)(?: (?:of|number|age|price|weight|cost|amount|ages))*(?: of (?P<list>{_LIST}|{_NP}))?{_PP}"),
    ("total", rf"how (?:many|much|old)(?: (?P<noun>{_NP}))? (?:do|does|did|are|were|have|had|will) (?P<list>{_LIST}|{_ALL}|the #\d+ of them|there|the {_NP})(?: (?:{_V}|be))?{_PP},? {_TOG}{_PP}"),
    ("total", rf"how (?:many|much)(?: (?P<noun>{_NP}))? (?:do|does|did|are|were|have|had) (?P<list>{_LIST}|{_ALL}) {_TOG}(?: {_V})?{_PP}"),
    ("total", rf"how (?:many|much)(?: (?P<noun>{_NP}))? (?:are|were)(?: there)?{_PP},? {_TOG}{_PP}"),
    ("one", rf"how (?:many|much|{_ADJ}|far)(?: (?P<noun>{_NP}))? (?:do|does|did|is|am|are|was|were|will|would|has|have|had|must|can) (?P<a>{_LIST}|{_NP})(?: (?:{_V}|got|be|have))?{_PP},?{_PP}(?: (?:at|now))?"),
    ("one", rf"how (?:many|much)(?: (?P<noun>{_NP})) (?:are|were|is)(?: there)?{_PP}"),
    ("one", rf"how (?:many|much) (?P<noun>{_NP})(?: (?:{_V}|can))?{_PP}"),
    ("superlative", rf"(?:what (?:is|are|was)|find|calculate|determine|work out) (?:the )?(?:value of )?(?:the )?(?P<which>(?:larger|greater|bigger|smaller|largest|greatest|biggest|smallest|middle|lesser)(?: (?:number|one|integer|{_W}))?(?: {_W})?)(?: of (?:the {_N} )?(?:numbers|integers|them))?"),
    ("superlative", rf"how (?:old|tall|heavy|much|many).* (?:is|does|has) (?:the )?(?P<which>(?:oldest|youngest|tallest|elder|younger|older|larger|smaller)(?: {_W})?)(?: have)?"),
    ("number", r"(?:what (?:is|was)|find|calculate) (?:the|my|this|her|his|that) (?:original )?number(?: i (?:am thinking|think|thought) of)?"),
    ("number", r"(?:what|which) number (?:am i|did i think of|is it|did i start with)(?: thinking of)?"),
    ("one", rf"(?:what (?:is|was|will be|are|will)|find|calculate) (?P<a>{_NP})(?: be)?{_PP},?{_PP}"),
)


TWO_TIMES = _p(r"\b(?:in|ago|after)\b.*\b(?:as|that|than|age|of)\b.*\b(?:now|currently|today)\b|\b(?:next|last) year\b"
    r"|\b(?:is|are)\b.*\b(?:as|than)\b.*\b(?:was|were|will be)\b|\bwill be\b.*\b(?:as|than)\b.*\b(?:is|are|was|were)\b"
)
HAS = _p(r"\b(?:has|have|keep)\b")
OF_WHOLE = frozenset("them those money his her cash total all whole one my our your amount".split())
ASKS_REST = HAS
PAST = _p(r"\b(?:did|was|were|at first|hold|contain)\b")
WHOLES = frozenset("animal vehicle fruit flower tree coin ticket bird ball drink".split())
FUTURE = _p(r"\bwill\b")
WHO = frozenset({"who"})
ASKED_BEFORE = _p(r"\bhow (?:many|much) $")
UNMEASURED = ""
UNIT = "units"
"""Placeholder for a unit that belongs to no number."""

MATTERS = _p(
    r".*(?:#|\b(?:each|every|half|twice|double|triple|same|equal\w*|rest|remaining|left|average|another|lost|gave|more|fewer|less|times|per"
    r"|either|neither|how|what|find)\b)"
)
"""What a clause may not contain if it is not parsed."""

MAY_BE_LEFT = _p(r"(?:in|on|at|for|during|after|from) [^#]+")
"""Clauses beside others that are irrelevant to the numbers."""

THERE = _p(r"there(?: be)?|it|#\d+")


def with_subject(clause: str) -> str:
    """Return a clause with a pronoun added as its subject."""
    return f"it {clause.removeprefix('then ')}"


def retold(text: str) -> str:
    """Return a text with days as owners if one person or shop does the same thing on several days."""
    text = re.sub(r"\bas (he|she|they) (?:is|are|will be) then\b", r"as \1 will be", text)
    return times_as_owners(text, f"{'|'.join(_ACTIONS)}|has|have|had")


def attribute(word: str) -> str:
    """Return what a verb or an adjective measures: the age, the price; empty if it measures nothing."""
    return _ATTRIBUTE_OF.get(word.split()[-1].lower() if word else "", "")


def action(verb: str) -> str:
    """Return the action of a verb; empty if it only means being or having."""
    deed = _ACTIONS.get(verb.split()[-1].lower(), "") if verb else ""
    return _SAME_ACTION.get(deed, deed)


def is_thing(words: str) -> bool:
    """Return whether a noun phrase names things that are counted, rather than their owner."""
    first = words.split()[0]
    return (
        first[0].islower()
        and not _DETERMINERS.match(words)
        and words.lower() not in PRONOUNS
        and re.search(r"(?:s|children|people|men)$", words) is not None
        and "'" not in words
    )
# fmt: on


def tidied(clause: str) -> str:
    """Return a clause without words that are irrelevant to its numbers."""
    clause = re.sub(r"\s+", " ", clause).strip(" ,:")
    for _ in range(2):
        clause = _FILLERS.sub("", clause).strip(" ,")
    clause = re.sub(r"\bhow (?:many|much) units(?: of money)?\b", "how much", clause, flags=re.IGNORECASE)
    clause = re.sub(
        r"^(on [a-z]+day|in the (?:morning|afternoon|evening)),? (.+#.+)$", r"\2 \1", clause, flags=re.IGNORECASE
    )
    return re.sub(r"\b(?:years?|units)[- ]old\b", "old", clause)


def name_of(words: str) -> tuple[str, str]:
    """Return the owner and the thing that a noun phrase names; either may be empty."""
    words, thing = words.strip(" ,").lower().replace("’", "'"), ""
    if match := re.fullmatch(
        r"(?:the )?(?:number|amount) of (?P<what>[a-z]+s|[a-z]+ [a-z]+s|children|people|men|women)", words
    ):
        return "", thing_of(match["what"])
    if match := _NUMBER_OF.match(words):
        thing = _ATTRIBUTE_OF.get(words.removeprefix("the ").split()[0], "")
        words = match["what"]
    words = _DETERMINERS.sub("", words)
    if words in ("me", "i", "mine"):
        return "i", thing
    if match := _ONE_OF_TWO.fullmatch(words):
        return ("one" if match["one"] else "other"), thing
    if match := _OWNER.match(words):
        owner, what = match["owner"] or match["alone"], match["what"] or ""
        if what and what.split()[-1] not in _ATTRIBUTE_OF and what.split()[0] not in ("number",):
            if what.endswith(("s", "money")) and len(what.split()) == 1:
                return _DETERMINERS.sub("", owner), thing_of(what)
            return " ".join(map(_singular, words.replace("'s", "").split())), ""
        return _DETERMINERS.sub("", owner), thing or thing_of(what)
    return " ".join(map(_singular, words.split())), thing


def _singular(word: str) -> str:
    return {"children": "child", "men": "man", "women": "woman", "people": "people"}.get(word) or singular(word)


def thing_of(words: str) -> str:
    """Return what a noun phrase, an adjective or a verb counts or measures."""
    words = words.strip().lower()
    parts = [word for word in re.split(r"[ ,]+", _DETERMINERS.sub("", words)) if word]
    if not parts:
        return ""
    return _ATTRIBUTE_OF.get(parts[-1]) or " ".join(map(_singular, parts))


def content(words: str) -> frozenset[str]:
    """Return the words that distinguish one part from another."""
    return (
        frozenset(_singular(word) for word in re.findall(r"[a-z]+", words.lower()))
        - COMMON
        - _ACTIONS.keys()
        - {"left"}
    )


def alike(names: list[str]) -> list[str]:
    """Return names completed with the noun that only the last one has: "red to blue marbles"."""
    noun = names[-1].split()[-1]
    if len(names[-1].split()) > 1 and all(re.fullmatch("[a-z]+", name) for name in names[:-1]):
        return [*(f"{name} {noun}" for name in names[:-1] if singular(name) == name), names[-1]]
    return names


def listed(words: str) -> list[str]:
    """Return the noun phrases of a list."""
    return [part for part in re.split(r", and |,| and ", words) if part.strip()]


def splits(sentence: str) -> list[tuple[str, str]]:
    """Return the possible splits of a sentence into two clauses."""
    found = []
    if match := re.fullmatch(r"(.+) (?:in|at|on) an? [a-z]+ of (#\d+ [a-z]+)", sentence):
        found.append((match[1], f"there are {match[2]}"))
    if match := re.fullmatch(r"(?:in|at|on) an? [a-z]+ of (#\d+ [a-z]+),? (.+)", sentence, re.IGNORECASE):
        found.append((f"there are {match[1]}", match[2]))
    for match in re.finditer(
        r", and |; |, but |, which |, who |, so | and | but |, then |, (?=\D)| then | with (?=#)", sentence
    ):
        left, right = sentence[: match.start()], sentence[match.end() :]
        if match[0] in (
            ", which ",
            ", who ",
        ):  # "which is 8 more than" refers to the whole; "which costs 9" to the last thing named
            is_compared = match[0] == ", which " and re.search(r"\b(?:than|as)\b", right) is not None
            right = f"that {right}" if is_compared else f"who {right}"
        found.append((left, right))
    return found


_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_TIME = (
    r"(?:(?:[Oo]n )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[Yy]esterday|[Tt]oday|[Ii]n the (?:morning|afternoon|evening)"
    r"|[Oo]n the (?:first|second|third) day|(?:[Ll]ast|[Tt]his) (?:week|month|year)"
    rf"|[Ii]n (?:{_MONTH}))\b"
)
_SUBJECT = (
    rf"(?P<s>(?!(?:[A-Z][a-z]+day|In|On|{_MONTH})\b)[A-Z][a-z]+|(?:[Aa]n?|[Tt]he) [a-z]+(?: [a-z]+)?|he|she|it|they|we)"
)


@lru_cache(maxsize=1)
def _forms(verbs: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    time, verb = rf"(?P<t>{_TIME})", rf"(?P<v>{verbs})\b"
    end = r"(?=[,.;?]| which| that| and| than| but|$)"
    forms = (
        (rf"\b(?P<c>than|as) (?:{_SUBJECT} (?:(?:{verbs}|did) ))?{time}", r"\g<c> \g<t>"),
        (rf"\b(?P<a>did|does|do) {_SUBJECT} {verb}(?P<w>[^,.;?]*?) {time}{end}", r"\g<a> \g<t> \g<v>\g<w>"),
        (rf"(?:^|(?<=[.,;] )|(?<=and ))(?P<t>{_TIME}),? {_SUBJECT} {verb}", r"\g<t> \g<v>"),
        (rf"\b{_SUBJECT} {verb}(?P<w>(?:(?! than | as )[^,.;?])*?) {time}{end}", r"\g<t> \g<v>\g<w>"),
    )
    return tuple((re.compile(pattern), told) for pattern, told in forms)


def times_as_owners(text: str, verbs: str) -> str:
    """Return a text with its days instead of the person, if there is only one person and more than one day."""
    sentences = re.split(r"[.?!;] ", text)
    is_timed = all(re.search(_TIME, sentence) for sentence in sentences if "#" in sentence)
    is_timed = is_timed and not re.search(r"#\d+ of\b|\b(?:rest|remain\w*|left)\b", text)  # parts of a whole
    if not is_timed or len({time.lower() for time in re.findall(_TIME, text)}) < 2:
        return text
    told, subjects = text, set[str]()
    for pattern, words in _forms(verbs):
        subjects |= {(match["s"] or "it").lower() for match in pattern.finditer(told)}
        told = pattern.sub(words, told)
    names = {re.sub("^(?:an?|the) ", "", subject) for subject in subjects}
    if len(names - {"he", "she", "it", "they", "we"}) > 1:
        return text
    in_all = rf"\b(did|does|do) \w+ (?=(?:{verbs})\b[^,.;?]*\b(?:altogether|in all|in total)\b)"
    told = re.sub(r"(?i)\btoday\b", "the present day", re.sub(in_all, r"\1 they ", told))
    return re.sub(
        rf"(?i)\b[io]n (?=(?:\w+day|{_MONTH}|the (?:morning|afternoon|evening|first|second|third))\b)", "", told
    )
