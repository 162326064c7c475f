"""Patterns for points in the lines of a paper."""

from __future__ import annotations

import re

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
