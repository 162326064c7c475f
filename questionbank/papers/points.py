"""Points in the lines of a paper: the patterns for them, and how they are taken out of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from questionbank.papers.paper_lines import Line, Role

COUNTED = (
    r"(?:marks?|mks?\.?|points?|pts?\.?|punkte?n?|punkt[yów]+|pkt\.?|p\.?|be|punt(?:os?|en|i)|pontos?|ptos?\.?"
    r"|credits?|分)"
)
_EACH = r"(?:each|je|chacun\w*|cada un[oa])"
_VALUE = r"\d{1,3}(?:[.,]\d{1,2})?|\d?[½¼¾]"
POINTS = re.compile(
    rf"[\s\u2003]*(?:[(（\[【]\s*(?:total(?: for question \d+)?(?: is)?\s*[:=]?\s*|本[小大]?题(?:满分)?|满分"
    rf"|worth |0\s*[-–]\s*)?(?P<points>{_VALUE})\s*(?:{COUNTED}\s*(?:total)?|(?:{COUNTED}\s*)?{_EACH})\s*[)）\]】]"
    rf"|[(\[]\s*(?:points?|marks?|punti|puntos|punkte|pts)\s*[:=]?\s*(?P<named>\d{{1,2}}(?:[.,]\d)?)\s*[)\]]"
    rf"|[-–—]\s*(?P<bare>\d{{1,2}})\s*{COUNTED}"
    r"|(?<=[.?!:\s]\s)(?P<plain>\d{1,2})\s*(?:marks?|mks?|points?|pts|punkte|puntos|punti|each)\.?(?=\s*$)"
    rf"|(?<!_)_{{1,40}}\s*/\s*(?P<of>\d{{1,2}})\s*{COUNTED}?"
    rf"|[(\[]\s*_*\s*/\s*(?P<slash>\d{{1,2}})\s*{COUNTED}?\s*[)\]]"
    rf"|(?<=[.?!:]\s)/\s?(?P<over>\d{{1,2}})(?=\s*$))[\s\u2003.:]*",
    re.IGNORECASE,
)
"""Points in brackets, before or after a question."""
FOR_EACH = re.compile(
    rf"(?:[(\[（][^()\[\]（）]{{1,20}}\b{_EACH}\s*[)\]）]|(?<=[.?!:]\s)\d{{1,2}}\s*each)[\s.:]*$", re.IGNORECASE
)
"""Points that each part gives: "(5 each)"."""
BARE_POINTS = re.compile(
    r"(?:(?<=[.?!:。？])|(?<=\s)|^)[\s\u2003]*(?P<open>[\[(])\s?(?P<points>\d{1,2}(?:[.,]5)?|\d?[½¼¾])\s?[\])]\s*$"
)
"""A bare number in brackets at the end of a line: points in some papers."""
POINTS_ALONE = re.compile(
    r"[\s(\[（【]*(?:total(?: for (?:question|part) \S+)?(?: is| =|:)?\s*)?(?:marks?:?\s*"
    r"|points?:?\s*)?_*\s*/?\s*"
    rf"(?P<points>\d{{1,3}}|\d?[½¼¾]|\d{{1,2}}[.,]\d{{1,2}}(?=\s*(?:{COUNTED}|[)\]])))\s*{COUNTED}?\s*(?:total)?[\s)\]）】.]*",
    re.IGNORECASE,
)
_NUMBER = r"(\d{1,2}(?:[.,]5)?|one|two|three|four|five)"
_GIVES = r"(?:(?:is |are )?(?:worth|of)|carry|carries|carrying|scores?|earns?)"
IMPOSSIBLE_POINTS = re.compile(rf"[(\[]\s*[-–−]\s?\d{{1,3}}(?:[.,]\d)?\s?{COUNTED}\s*[)\]]", re.IGNORECASE)
"""Negative points: "(-1 mark)"."""
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
POINTS_EACH = re.compile(
    rf"每小?[题題]\s*(\d{{1,2}}(?:\.5)?)\s*分"
    rf"|{_NUMBER}\s*{COUNTED}\s*(?:each|(?:per|for each|for every|every|a) (?:question|item|problem)"
    r"|je(?:weils)?\b|pro (?:aufgabe|frage)|chac\w+|par (?:question|exercice|affirmation|réponse)"
    r"|(?:for|per) (?:each|every) (?:right|correct) answer|cada|por (?:cada )?\w+|ciascun\w+"
    r"|(?:per|a) (?:ogni )?(?:domanda|esercizio)|za ka[żz]de|per vraag)"
    r"|(?:(?:each|every)(?: correct)?(?: question| item| problem| answer| of (?:them|these))?"
    rf"(?: (?:in|of) (?:this|the) (?:section|part))?(?: {_GIVES})?|all(?: questions| items)? {_GIVES})"
    rf"\s*:?\s*{_NUMBER}\s*{COUNTED}"
    r"|\b(?:je(?:weils)?|po|jede \w+(?: gibt)?|para cada \w+,?|chaque question(?: vaut)?)"
    rf"\s*:?\s*{_NUMBER}\s*{COUNTED}"
    rf"|\b\d{{1,2}}(?: questions?| items?)?\s*[x×*]\s*{_NUMBER}\s*(?:{COUNTED}|=\s*\d+\s*(?:{COUNTED}|[)\]]))"
    rf"|\b{_NUMBER}[- ](?:marks?|points?) (?:questions|items|problems)"
    r"|(?:bonne réponse|richtige antwort|(?:correct|right) answer) (?:rapporte|vaut|gibt|gives|scores|earns)"
    rf" {_NUMBER}\s*{COUNTED}"
    rf"|[(\[]{_NUMBER} each[)\]]",
    re.IGNORECASE,
)
"""Points that each question of a section gives."""
NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def points_of(text: str) -> float:
    """Return the points given by a number or a word.

    >>> points_of("2"), points_of("1,5"), points_of("2½"), points_of("two")
    (2.0, 1.5, 2.5, 2.0)
    """
    whole, fraction = (text[:-1], _FRACTIONS[text[-1]]) if text[-1:] in _FRACTIONS else (text, 0.0)
    return float(NUMBER_WORDS.get(whole.lower(), 0) or whole.replace(",", ".") or 0) + fraction


TITLED_POINTS = re.compile(r"(?:points?|marks?|type|title|difficulty|topic)\s*[:：]\s*(.*)$", re.IGNORECASE)
"""A line of Respondus or text2qti: ``Points: 2``, ``Type: E``."""
ENDS_QUESTION = re.compile(r"\W*total for (?:question|q)\.? ?\d{1,3}\b.*", re.IGNORECASE)
"""Sums up a question's points, below its last line."""
SUM = re.compile(
    rf"(?=.{{0,50}}(?:total|gesamt|summ?e|insgesamt|max|score|grade|note|out of|合[计計]|[总總满滿]分|共|/\s*\d))"
    rf"(?:[\W_]"
    rf"|(?:grand|overall|total\w*|available|possible|max(?:imum|imal\w*)?|your|my|final|raw|sum|score|grade|for|of|on|out|is"
    rf"|the|this|whole|entire|paper|test|exam|quiz|worksheet|section [A-K\d]|part [A-K\d]|all questions|end"
    rf"|gesamt\w*|summe|insgesamt|erreich\w*|von|note|{COUNTED}|punktzahl|sur|su|sobre|de|de la|general|complessivo"
    rf"|[总總满滿]分|合[计計]|本卷|全卷|共)(?=[\W\d_]|$|(?<=[分共卷计計]))|\d{{1,3}}(?:\.5)?(?!.*\d))+",
    re.IGNORECASE,
)
"""A line that gives the total points of the lines above."""
POINTS_COLUMN = re.compile(
    r"(?:max(?:imum|imal\w*)?\.? ?)?(?:marks?|points?|pts?\.?|punkte|score|worth|barème|puntos|punti|punten|分值|分数)"
    r"(?:\s*[/(].{0,20})?",
    re.IGNORECASE,
)
"""Header of the column with each question's points."""
OF_SECTION = re.compile(r"\b(?:section|part|teil|partie|sección|parte)\b", re.IGNORECASE)
STATED_POINTS = re.compile(r"(?:points?|marks?)\s*[:：]\s*(\d{1,3}(?:\.\d)?)", re.IGNORECASE)


_EMPHASISED = re.compile(r"(?:^|(?<=\s))(?P<mark>\*{1,2}|_{1,2})(?P<inside>[^*_\n]{1,30})(?P=mark)\s*$")
_LONGEST_SUM = 80  # characters


def without_points(text: str, *, may_begin: bool = False, bare_points: bool = False) -> tuple[str, float | None, bool]:
    """Return a text without its points, the points, and whether they are a total.

    Args:
        may_begin: whether points may come before the text.
        bare_points: whether a number in round brackets at the end is points: "(2)".

    >>> without_points("Find x. (2 marks)"), without_points("Total: 5 marks"), without_points("Find x. *2 marks*")
    (('Find x.', 2.0, False), ('', 5.0, True), ('Find x.', 2.0, False))
    """
    text = _without_emphasis(text)
    is_total = re.search(r"\btotal\b|本[小大]?题|满分", text, re.IGNORECASE) is not None
    alone = POINTS_ALONE.fullmatch(text)
    if alone and re.search(r"[(\[（/]|[a-z分]", text, re.IGNORECASE):
        return "", points_of(alone["points"]), is_total
    for match in POINTS.finditer(text):
        value = points_of(next(filter(None, match.groups())))
        if match.end() == len(text) and match.start():
            return text[: match.start()].rstrip(), value, is_total
        if may_begin and match.start() == 0:
            return text[match.end() :].lstrip(), value, is_total
    bare = BARE_POINTS.search(text)
    if bare and (bare["open"] == "[" or bare_points) and text[: bare.start()].strip():
        return text[: bare.start()].rstrip(), points_of(bare["points"]), False
    return text, None, False


def paper_totals(lines: Sequence[Line], roles: Sequence[Role]) -> Iterator[int]:
    """Yield the lines that give the total of a paper or section, below its last question: "Total: 50 points".

    A line with less than the total of the questions above it is the total of its own question, as is every such line in
    a paper that totals its questions one by one.
    """
    starts = [place for place, role in enumerate(roles) if role in (Role.QUESTION, Role.HEADING, Role.KEY)]
    above: list[float] = []  # points of each question in the section
    sums_questions = False
    for start, end in pairwise([*starts, len(roles)]):
        if roles[start] is not Role.QUESTION:
            above = []
            continue
        sums = [place for place in range(start + 1, end) if roles[place] is Role.MORE and _sum_of(lines[place].text)]
        given = [
            without_points(lines[place].text, may_begin=True)[1] or 0
            for place in range(start, end)
            if place not in sums
        ]
        is_last = end == len(roles) or roles[end] is not Role.QUESTION
        if sums and is_last and above:
            value = _sum_of(lines[sums[-1]].text)
            if len(sums) > 1 or (not sums_questions and value > max(sum(above), sum(given))):
                yield sums[-1]
        sums_questions = sums_questions or (bool(sums) and not is_last)
        above.append(sum(given))


def stated_total(lines: Sequence[Line], roles: Sequence[Role]) -> float:
    """Return the total points that a paper states; 0 if it states none."""
    is_asked = [role in (Role.QUESTION, Role.HEADING) for role in roles]
    sums = [
        _sum_of(line.text)
        for place, (line, role) in enumerate(zip(lines, roles, strict=True))
        if role is Role.NOTHING
        and (not any(is_asked[:place]) or not any(is_asked[place:]))
        and not OF_SECTION.search(line.text)
    ]
    return max(sums, default=0.0)


def _sum_of(text: str) -> float:
    """Return the points of a line that only gives a total; 0 for any other line."""
    is_sum = len(text) <= _LONGEST_SUM and SUM.fullmatch(text.replace("*", ""))
    return float(max(re.findall(r"\d{1,3}(?:\.5)?", text), default=0, key=float)) if is_sum else 0


def _without_emphasis(text: str) -> str:
    """Put emphasised points at the end of a text in brackets."""
    found = _EMPHASISED.search(text)
    if found is None or not re.search(r"[a-z分\])）】]", found["inside"], re.IGNORECASE):
        return text
    if not POINTS_ALONE.fullmatch(found["inside"]):
        return text
    return f"{text[: found.start()]}({found['inside'].strip(' ()[]（）【】')})"
