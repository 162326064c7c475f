"""Where English sentences end, what questions ask for, and how their parts are reordered."""

from __future__ import annotations

import re

from analytics.language.en.units import WORDS

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
