"""Directions: lines that tell what to do with the questions that follow, or only where and how to write."""

from __future__ import annotations

import re

from questionbank.papers.phrases import CIRCLES_ONE, GAP_SECTION, OFFERS_CHOICE, STATEMENTS, TASK, TRUTH_SECTION
from questionbank.papers.point_phrases import POINTS_ALONE

_ORDERS = re.compile(
    r"\W*(?:(?:directions?|instructions?|anweisung|consigne|instrucciones|istruzioni)\W*)?"
    r"(?=(?:simplify|expand|factor|work out|calculate|evaluate|solve|compute|differentiate|integrate|find|write|round"
    r"|convert|complete|multiply|divide|add|subtract|fill in|determine|decide|say|state|express|order|graph|use|reduce"
    r"|berechne\w*|löse\w*|vereinfache\w*|ergänze\w*|entscheide\w*|bestimme\w*|calcul\w+|résou\w+|développ\w+"
    r"|complèt\w+|indiqu\w+|resuelv\w+|complet\w+|simplific\w+|risolv\w+|oblicz)\b)"
    r"[^.?!]{0,60}\b(?:each|every|the following|these|them|below|all (?:the|of)|folgende\w*|jede\w*|chaque|chacun\w*"
    r"|suivant\w*|siguiente\w*|cada|seguent\w*)\b",
    re.IGNORECASE,
)
"""Tells what to do with each of the questions that follow."""
_ADMINISTERS = re.compile(
    r"\b(?:circle|choose|select|tick|shade|write|use|show|label|give)\b[^.]{0,40}\b(?:letters?|best|correct|right|box|options?"
    r"|answers?|(?:show )?work(?:ing)?|true|T|space|line|blank|units?)\b",
    re.IGNORECASE,
)


_TITLED_DIRECTIONS = re.compile(
    r"\W*(?:directions?|instructions?|anweisung|consigne|instrucciones|istruzioni)\W*\s?[:.–—-]\W*\w", re.IGNORECASE
)
WORD_BANK = re.compile(r"\W*(?:word ?(?:bank|box|list)|choose from|wörter(?:kasten)?|banque de mots)\b", re.IGNORECASE)
"""Begins the words to choose from."""


def directs(text: str) -> bool:
    """Return whether a line tells what to do with each of the questions that follow, or how to write the answers."""
    return bool(_ORDERS.match(text) or _TITLED_DIRECTIONS.match(text))


def is_order(text: str) -> bool:
    """Return whether directions tell what is asked, and not only where and how to write.

    >>> is_order("Directions: Circle the letter of the best answer."), is_order("Solve each equation. Show your work.")
    (False, True)
    """
    orders = [part for part in re.split(r"(?<=[.:])\s", text) if _ORDERS.match(part)]
    return bool(STATEMENTS.search(text)) or not all(map(_ADMINISTERS.search, orders))


def administers(text: str) -> bool:
    """Return whether a line only tells where and how to write: "Tick the right box."."""
    return _ADMINISTERS.search(text) is not None


def is_given(text: str) -> bool:
    """Return whether a line below a heading says what its questions are about, and not what to do with them.

    >>> is_given("A ladder is 6.5 m long."), is_given("Solve each equation."), is_given("True or false? Circle T or F.")
    (True, False, False)
    """
    tells_how = (TRUTH_SECTION, GAP_SECTION, CIRCLES_ONE, OFFERS_CHOICE, _ADMINISTERS)
    is_sentence = text.startswith(("|", "![")) or (" " in text and text.endswith((".", "。", ":", "：")))
    return (
        is_sentence
        and not directs(text)
        and not POINTS_ALONE.fullmatch(text)
        and not any(pattern.search(text) for pattern in tells_how)
    )


def asks(text: str) -> bool:
    """Return whether a sentence of a text asks, or leaves a place to answer in.

    >>> asks("Two trains leave. Find how far they are apart."), asks("No calculator for this one!")
    (True, False)
    """
    is_task = any(map(TASK.match, re.split(r"[.!。;:\n]\s*", text.replace("*", ""))))
    return is_task or re.search(r"[?？=]|选|[（(]\s*[）)]|__", text) is not None
