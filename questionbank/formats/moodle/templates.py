"""Moodle's questions with random numbers: calculated, Formulas, STACK; some can be read as plain questions."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer, Blank
from questionbank.formats.items import numbered_gaps
from questionbank.formats.kinds import assigned, computed_answer, followed, lettered
from questionbank.formats.moodle.gift_items import GAP
from questionbank.formats.written_numbers import finite_number

STACK = "stack"
_CALCULATED = frozenset({"calculated", "calculatedsimple", "calculatedmulti"})
WIRIS = "wiris"
"""Suffix of question types whose formulas WIRIS renders and grades."""
_WIRIS_NAME = re.compile(r"(?<![\w&])#([A-Za-z]\w{0,30})")
BRACED = _CALCULATED | {"formulas"}
_EXPRESSION = r"=(?:[^{}\n]|\{\w+\}){1,300}"
_PLACEHOLDER = re.compile(r"\{@([^{}@\n]*(?:\{\w+\}[^{}@\n]*)*)@\}")
_WIRIS_SET = re.compile(r"(?:^|[;>])\s*(?P<name>[A-Za-z]\w*)\s*=\s*(?P<value>[^;<>\"]{1,400})")
_MAXIMA = re.compile(r"(?P<name>[A-Za-z]\w*)\s*:\s*(?P<value>[^;$]{1,400}?)\s*(?:[;$]|$)", re.MULTILINE)
_FORMULAS = re.compile(r"(?P<name>[A-Za-z]\w*)\s*=\s*(?P<value>[^;]{1,400}?)\s*;")


def with_placeholders(text: str, names: Iterable[str]) -> str:
    """Mark the variables of a template in the bank's notation.

    >>> with_placeholders("What is {a} + {=2*{b}}, and not {c}?", ["a", "b"])
    'What is {@a@} + {@=2*{b}@}, and not {c}?'
    """
    known = "|".join([_EXPRESSION, *map(re.escape, names)])
    return re.sub(rf"\{{({known})\}}", lambda match: f"{{@{match[1]}@}}", text)


def variable_names(element: Element, type: str) -> list[str]:
    """Return the variables that a template's texts contain in braces."""
    if type == "formulas":
        return [*_formulas_variables(element)]
    return [*_texts(element, "dataset_definitions/dataset_definition/name/text")]


def without_placeholders(text: str, type: str) -> str:
    """Undo `with_placeholders`.

    >>> without_placeholders("What is {@a@} + {@=2*{b}@}?", "calculated")
    'What is {a} + {=2*{b}}?'
    """
    return _PLACEHOLDER.sub(lambda match: f"{{{match[1]}}}", text) if type in BRACED else text


def draws(element: Element) -> bool:
    """Return whether a WIRIS question has variables from a program, such as ``#a``."""
    return any(_WIRIS_NAME.search(text.text or "") for text in element.iter("text"))


def with_wiris_placeholders(text: str) -> str:
    """Mark the variables of a WIRIS text in the bank's notation.

    >>> with_wiris_placeholders("What is #a + 2?")
    'What is {@a@} + 2?'
    """
    return _WIRIS_NAME.sub(lambda match: f"{{@{match[1]}@}}", text)


def template_answer(element: Element, type: str) -> str:
    """Return the answer that a template computes, as its file states it; empty if it states none."""
    if type == STACK:
        code = element.findtext("questionvariables/text") or ""
        return computed_answer(_texts(element, "input/tans"), assigned(_MAXIMA, code))
    if type == "formulas":
        return computed_answer(_texts(element, "answers/answer/text"), _formulas_variables(element))
    if type in _CALCULATED:
        right = (one for one in element.iterfind("answer") if (one.get("fraction") or "0").startswith("100"))
        return computed_answer(one.findtext("text") or "" for one in right)
    if type.endswith(WIRIS):
        program = html.unescape("".join((element.find("wirisquestion") or element).itertext()))
        values = {f"#{name}": value for name, value in assigned(_WIRIS_SET, program).items()}
        return computed_answer(_texts(element, "answer/text"), values)
    return ""


def _formulas_variables(element: Element) -> dict[str, str]:
    code = "\n".join(_texts(element, "varsglobal/text", "varsrandom/text", "answers/vars1/text"))
    return assigned(_FORMULAS, code)


def _texts(element: Element, *paths: str) -> Iterator[str]:
    for path in paths:
        yield from (found.text or "" for found in element.iterfind(path))


_CHOSEN = {"radio": True, "dropdown": True, "checkbox": False}
"""Input types with a list of options -> whether exactly one is chosen."""
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
    """Return text, gaps, and whether one option is chosen; None if a value is random or computed.

    Several gaps are marked ``[[1]]``, ``[[2]]`` ... in the text; a single one becomes a blank if typed, and nothing if
    chosen.

    Args:
        text: our text, with STACK's marks.
        text_of: converts the HTML of an option to our text.
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
    """Return the code of each variable that is assigned exactly once, in a statement of its own."""
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
    names = {name for shown, _right, _label in choices for name in re.findall(r"\w+", re.sub(_STRING, "", shown))}
    if names & values.keys():  # an option is computed
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
