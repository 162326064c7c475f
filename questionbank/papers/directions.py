"""Directions: lines that explain what to do with the questions below, or only where and how to write."""

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
"""Instruction for each of the questions that follow."""
_ADMINISTERS = re.compile(
    r"\b(?:circle|choose|select|tick|shade|write|use|show|label|give)\b[^.]{0,40}\b(?:letters?|best|correct|right|box|options?"
    r"|answers?|(?:show )?work(?:ing)?|true|T|space|line|blank|units?)\b",
    re.IGNORECASE,
)


_TITLED_DIRECTIONS = re.compile(
    r"\W*(?:directions?|instructions?|anweisung|consigne|instrucciones|istruzioni)\W*\s?[:.–—-]\W*\w", re.IGNORECASE
)
WORD_BANK = re.compile(r"\W*(?:word ?(?:bank|box|list)|choose from|wörter(?:kasten)?|banque de mots)\b", re.IGNORECASE)
"""Introduces a list of words to choose from."""


def directs(text: str) -> bool:
    """Return whether a line gives instructions for each of the following questions, or for writing the answers."""
    return bool(_ORDERS.match(text) or _TITLED_DIRECTIONS.match(text))


def is_order(text: str) -> bool:
    """Return whether directions describe the task, rather than only where and how to write.

    >>> is_order("Directions: Circle the letter of the best answer."), is_order("Solve each equation. Show your work.")
    (False, True)
    """
    orders = [part for part in re.split(r"(?<=[.:])\s", text) if _ORDERS.match(part)]
    return bool(STATEMENTS.search(text)) or not all(map(_ADMINISTERS.search, orders))


def administers(text: str) -> bool:
    """Return whether a line only explains where and how to write: "Tick the right box."."""
    return _ADMINISTERS.search(text) is not None


def is_given(text: str) -> bool:
    """Return whether a line below a heading introduces the topic of its questions rather than giving instructions.

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
    """Return whether any sentence of a text asks something or leaves space for an answer.

    >>> asks("Two trains leave. Find how far they are apart."), asks("No calculator for this one!")
    (True, False)
    """
    is_task = any(map(TASK.match, re.split(r"[.!。;:\n]\s*", text.replace("*", ""))))
    return is_task or re.search(r"[?？=]|选|[（(]\s*[）)]|__", text) is not None
