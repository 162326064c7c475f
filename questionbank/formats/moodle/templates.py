"""Moodle's questions that draw their numbers: calculated, Formulas, STACK. Their variables and computed answers, unrun.

https://docs.moodle.org/en/Calculated_question_type, https://docs.stack-assessment.org/en/Authoring/
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from questionbank.formats.computed_answers import assigned, computed_answer

_CALCULATED = frozenset({"calculated", "calculatedsimple", "calculatedmulti"})
WIRIS = "wiris"
"""Behind the types of questions whose formulas WIRIS draws and grades."""
_WIRIS_NAME = re.compile(r"(?<![\w&])#([A-Za-z]\w{0,30})")
BRACED = _CALCULATED | {"formulas"}
_EXPRESSION = r"=(?:[^{}\n]|\{\w+\}){1,300}"
_PLACEHOLDER = re.compile(r"\{@([^{}@\n]*(?:\{\w+\}[^{}@\n]*)*)@\}")
_WIRIS_SET = re.compile(r"(?:^|[;>])\s*(?P<name>[A-Za-z]\w*)\s*=\s*(?P<value>[^;<>\"]{1,400})")
_MAXIMA = re.compile(r"(?P<name>[A-Za-z]\w*)\s*:\s*(?P<value>[^;$]{1,400}?)\s*(?:[;$]|$)", re.MULTILINE)
_FORMULAS = re.compile(r"(?P<name>[A-Za-z]\w*)\s*=\s*(?P<value>[^;]{1,400}?)\s*;")


def with_placeholders(text: str, names: Iterable[str]) -> str:
    """Return a text of a template with its variables as the bank marks them.

    >>> with_placeholders("What is {a} + {=2*{b}}, and not {c}?", ["a", "b"])
    'What is {@a@} + {@=2*{b}@}, and not {c}?'
    """
    known = "|".join([_EXPRESSION, *map(re.escape, names)])
    return re.sub(rf"\{{({known})\}}", lambda match: f"{{@{match[1]}@}}", text)


def variable_names(element: Element, type: str) -> list[str]:
    """Return the names of the variables that a template's texts hold in braces."""
    if type == "formulas":
        return [*_formulas_variables(element)]
    return [*_texts(element, "dataset_definitions/dataset_definition/name/text")]


def without_placeholders(text: str, type: str) -> str:
    """Return a text as `with_placeholders` read it.

    >>> without_placeholders("What is {@a@} + {@=2*{b}@}?", "calculated")
    'What is {a} + {=2*{b}}?'
    """
    return _PLACEHOLDER.sub(lambda match: f"{{{match[1]}}}", text) if type in BRACED else text


def draws(element: Element) -> bool:
    """Return whether a question of WIRIS has variables of its own program, such as ``#a``."""
    return any(_WIRIS_NAME.search(text.text or "") for text in element.iter("text"))


def with_wiris_placeholders(text: str) -> str:
    """Return a text of WIRIS with its variables as the bank marks them.

    >>> with_wiris_placeholders("What is #a + 2?")
    'What is {@a@} + 2?'
    """
    return _WIRIS_NAME.sub(lambda match: f"{{@{match[1]}@}}", text)


def template_answer(element: Element, type: str) -> str:
    """Return the answer that a template computes, as its file says it; empty where it says none."""
    if type == "stack":
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
