"""STACK questions that draw nothing and whose answers are plain values: they are read as gaps, numbers and choices.

https://docs.stack-assessment.org/en/Authoring/Inputs/
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer, Blank
from questionbank.formats.computed_answers import followed
from questionbank.formats.items import numbered_gaps
from questionbank.formats.kinds import lettered
from questionbank.formats.moodle.gift_items import GAP
from questionbank.formats.written_numbers import finite_number

TYPE = "stack"
_CHOSEN = {"radio": True, "dropdown": True, "checkbox": False}
"""Types of input that offer a list, and whether one of it is chosen."""
_TYPED = frozenset({"algebraic", "numerical", "string"})
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DRAWS = re.compile(r"\brand(?:om)?(?:_\w+)?\s*\(")
_STRING = r'"(?:[^"\\]|\\.)*"'
_STATEMENT = re.compile(rf'(?:{_STRING}|[^;$"])+')
_NAMED = re.compile(r"\s*(?P<name>[A-Za-z]\w*)\s*:\s*(?P<value>.*?)\s*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:\s*/\s*\d+)?")
_CHOICE = rf'\[\s*({_STRING}|[^\[\],"]+?)\s*,\s*(true|false)\s*(?:,\s*({_STRING})\s*)?\]'
_CHOICES = re.compile(rf"\[\s*(?:{_CHOICE}\s*,\s*)*{_CHOICE}\s*\]")
_INPUT = re.compile(r"\[\[ ?input ?: ?(\w+) ?\]\]")
_SAID = re.compile(r"[ \t]*\[\[ ?(?:validation|feedback) ?: ?[^\]\n]{1,100}\]\]")


def read_stack(
    element: Element, text: str, text_of: Callable[[str], str]
) -> tuple[str, tuple[Blank, ...], bool] | None:
    """Return text, gaps, and whether one option is chosen; None where a value is drawn or computed.

    Several gaps stand in the text as ``[[1]]``; a single one is a line for a typed answer, and nothing for a choice.

    Args:
        text: ours, with STACK's marks.
        text_of: returns our text of the HTML of an option.
    """
    code = _COMMENT.sub("", element.findtext("questionvariables/text") or "")
    if _DRAWS.search(code) or "{@" in text or "{#" in text:
        return None
    values = _values(code)
    inputs = {one.findtext("name") or "": one for one in element.iterfind("input")}
    names = _INPUT.findall(text)
    types = [one.findtext("type") or "" for one in inputs.values()]
    if not names or sorted(names) != sorted(inputs) or (len(names) > 1 and "checkbox" in types):
        return None
    blanks = [_blank(inputs[name], values, text_of) for name in names]
    if not all(blanks):
        return None
    text = _SAID.sub("", text)
    if len(names) > 1:
        text = numbered_gaps(_INPUT, text)
    else:
        text = _INPUT.sub("" if blanks[0] and blanks[0].options else GAP, text)
    return text.strip(), tuple(filter(None, blanks)), _CHOSEN.get(types[0], True)


def _values(code: str) -> dict[str, str]:
    """Return the code of each variable that a statement of its own assigns, and nothing else does."""
    named = [match for one in _STATEMENT.findall(code) if (match := _NAMED.fullmatch(one))]
    return {
        match["name"]: match["value"]
        for match in named
        if len(re.findall(rf"\b{match['name']}\s*(?:\[[^\]]*\]\s*)?:", code)) == 1
    }


def _blank(asked: Element, values: dict[str, str], text_of: Callable[[str], str]) -> Blank | None:
    type = asked.findtext("type") or ""
    value = followed((asked.findtext("tans") or "").strip(), values)
    if type in _TYPED:
        is_string = type == "string" and re.fullmatch(_STRING, value)
        if not is_string and not _NUMBER.fullmatch(value):
            return None
        answer = _unquoted(value) if is_string else "".join(value.split())
        kind = "short" if finite_number(answer) is None else "number"
        return Blank(kind, (AcceptedAnswer(answer),)) if answer else None
    if type not in _CHOSEN or not _CHOICES.fullmatch(value):
        return None
    choices = re.findall(_CHOICE, value)
    names = {
        name for shown, _right, _label in choices for name in re.findall(r"\w+", re.sub(_STRING, "", shown))
    }
    if names & values.keys():  # an option that is computed
        return None
    right = sum(is_right == "true" for _value, is_right, _label in choices)
    options = lettered((_shown(one, text_of), (one[1] == "true") / max(right, 1), "") for one in choices)
    return Blank("choice", (), options) if right else None


def _shown(choice: tuple[str, str, str], text_of: Callable[[str], str]) -> str:
    value, _right, label = choice
    quoted = label or (value if value.startswith('"') else "")
    return text_of(_unquoted(quoted) if quoted else escape(value, quote=False))


def _unquoted(string: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", string[1:-1])
