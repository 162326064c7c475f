r"""Values that a question's source draws or computes: ``{@a@}`` in our texts, shown as ‹a› in prose and formulas alike.

Other marks that STACK leaves in a text are shown as what students see: an input is a blank, feedback is nothing yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from analytics.text.formulas import segment_text

_LONGEST = 40  # characters of an expression that is shown
_MARK = re.compile(r"\{([@#])(?P<name>(?:(?!\1\})[^\n]){1,300}?)\1\}")
_INPUT = re.compile(r"\[\[ ?input ?:[^\]\n]{1,100}\]\]")
_FEEDBACK = re.compile(r"\[\[ ?(?:validation|feedback) ?:[^\]\n]{1,100}\]\]")
_SPECIAL = re.compile(r"[\\{}_^#%&$~]")
_LATEX = {"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "}


def drawn_names(texts: Iterable[str]) -> list[str]:
    """Return the names of the values that some texts hold, each once.

    >>> drawn_names(["Solve ${@a@} x = {@b@}$.", "{@a@}"])
    ['a', 'b']
    """
    return list(dict.fromkeys(_name(match) for text in texts for match in _MARK.finditer(text)))


def with_drawn_names(text: str) -> str:
    r"""Return a text whose drawn values stand as names that prose and formulas can show.

    >>> with_drawn_names("Solve ${@a_1@} x = 2$ for {@name@}. [[input:ans1]] [[validation:ans1]]")
    'Solve $\\text{‹a\\_1›} x = 2$ for ‹name›. ____ '
    """
    if "{@" not in text and "{#" not in text and "[[" not in text:
        return text
    text = _FEEDBACK.sub("", _INPUT.sub("____", text))
    return "".join(
        _MARK.sub(lambda match: f"‹{_name(match)}›", segment.source)
        if segment.kind == "text"
        else _MARK.sub(_in_formula, segment.source)
        for segment in segment_text(text)
    )


def _name(match: re.Match[str]) -> str:
    name = " ".join(match["name"].split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _in_formula(match: re.Match[str]) -> str:
    shown = _SPECIAL.sub(lambda sign: _LATEX.get(sign[0], f"\\{sign[0]}"), _name(match))
    return rf"\text{{‹{shown}›}}"
