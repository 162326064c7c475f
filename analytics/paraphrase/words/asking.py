"""Whether a text asks for something, as a question or as a task; only what plainly does not is said to ask nothing."""

from __future__ import annotations

import re

from analytics.text.clauses import split_sentences
from analytics.text.formulas import segment_text

_ASKS = re.compile(
    r"\b(?:what|how|which|who|whose|when|where|why|whether|true or false|find|calculate|determine|work out|compute"
    r"|identify|figure out|evaluate|solve|simplify|expand|factor|factori[sz]e|differentiate|integrate|convert|round"
    r"|multiply|subtract|divide|draw|sketch|plot|graph|write|express|give|show|prove|state|name|list|put|arrange|order"
    r"|sort|compare|complete|estimate|explain|choose|select|count|construct|rewrite|reduce|rationali[sz]e|reflect|rotate"
    r"|enter|share|approximate|perform|sum|rearrange|rounding|consider|translate|mark|match|label|shade|describe|answer|decide|verify|return|use|fill)\b"
    r"|_{2,}|[?？]|[=:]\s*\\?[)$]*\s*$|\.\.\.|…|~~|\s{2,}[.．]?\s*$|\\(?:uline|underline|square|boxed)"
    r"|\b(?:is|be|are|equals?)\s*[.．。]?\s*$|\(A\)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 4  # in prose; a bare formula is a task


def asks_something(text: str) -> bool:
    """Return whether a text asks a question, sets a task or leaves a blank.

    >>> asks_something("Ann gives 3 pens to Tom."), asks_something("Simplify $3a + a$."), asks_something("3 + 4 = ____")
    (False, True, True)
    """
    if _ASKS.search(text) or any(sentence.is_question for sentence in split_sentences(text)):
        return True
    prose = " ".join(segment.body for segment in segment_text(text) if segment.kind != "formula")
    return len(re.findall(r"[^\W\d_]{2,}", prose)) < _FEWEST_WORDS
