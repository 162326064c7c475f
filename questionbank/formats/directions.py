"""Directions in papers and files: what to do with each of the questions that follow, or where to write the answers."""

from __future__ import annotations

import re

ORDERS = re.compile(
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
ADMINISTERS = re.compile(
    r"\b(?:circle|choose|select|tick|shade|write|use|show|label|give)\b[^.]{0,40}\b(?:letters?|best|correct|right|box|options?"
    r"|answers?|(?:show )?work(?:ing)?|true|T|space|line|blank|units?)\b",
    re.IGNORECASE,
)


_TITLED_DIRECTIONS = re.compile(
    r"\W*(?:directions?|instructions?|anweisung|consigne|instrucciones|istruzioni)\W*\s?[:.–—-]\W*\w", re.IGNORECASE
)


def directs(text: str) -> bool:
    """Return whether a line gives instructions for each of the following questions, or for writing the answers."""
    return bool(ORDERS.match(text) or _TITLED_DIRECTIONS.match(text))


def administers(text: str) -> bool:
    """Return whether a line only explains where and how to write: "Tick the right box."."""
    return ADMINISTERS.search(text) is not None
