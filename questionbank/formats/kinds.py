"""Kinds of question, their other names in files, and the rules for a question's options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analytics.question_content import Option

KINDS = (
    "open", "choice", "true_false", "number", "short", "matching", "ordering", "blanks", "parts", "description",
    "opaque",
)  # fmt: skip
WITH_OPTIONS = frozenset({"choice", "ordering", "opaque"})
_NAMES = {
    "choice": (
        "multiple choice | multiple-choice | multiplechoice | multichoice | mc | mcq | single choice | singlechoice"
        " | single | multiple | multiple answers | multiple response | mehrfachauswahl | einfachauswahl | auswahl"
        " | auswahlfrage | choix multiple | qcm"
        " | opcion multiple | opción múltiple | seleccion multiple | selección múltiple | 选择 | 选择题 | 单选 | 单选题"
        " | 多选 | 多选题"
    ),
    "true_false": (
        "true false | true-false | true/false | truefalse | t/f | right wrong | richtig falsch | wahr falsch"
        " | vrai faux | vrai-faux | verdadero falso | 判断 | 判断题"
    ),
    "blanks": (
        "blank | fill in the blank | fill-in-the-blank | fill in | fillin | cloze | gap | gap text | gapfill"
        " | gapselect | fib | luckentext | lückentext | texte a trous | texte à trous | 填空 | 填空题"
    ),
    "number": "numerical | numeric | numerisch | numerique | numérique | numerica | numérica",
    "short": "short answer | short-answer | shortanswer | kurzantwort | reponse courte | respuesta corta",
    "matching": "match | zuordnung | zuordnungsfrage | appariement | emparejamiento | 配对 | 连线",
    "ordering": "order | sequence | reihenfolge | 排序",
    "open": (
        "open question | open ended | open-ended | free response | free text | calculated | essay | essay question"
        " | word problem | freitext | offen"
        " | reponse ouverte | réponse ouverte | respuesta abierta | 解答 | 解答题 | 应用题 | 简答题 | 计算题 | 问答题"
    ),
}
_KIND_OF_NAME = {name.strip(): kind for kind, names in _NAMES.items() for name in (*names.split("|"), kind)} | {
    kind: kind for kind in KINDS
}
_OPTIONS_IN_TEXT = re.compile(r"(?<![A-Za-z])A ?[.、)．）:：].{0,2000}?(?<![A-Za-z])B ?[.、)．）:：]", re.DOTALL)


def kind_of_name(name: str) -> str:
    """Return the kind of question that a word in a file stands for; empty if unknown.

    >>> kind_of_name("single_choice"), kind_of_name("填空题"), kind_of_name("Algebra")
    ('choice', 'blanks', '')
    """
    plain = " ".join(name.split()).lower()
    return _KIND_OF_NAME.get(plain) or _KIND_OF_NAME.get(plain.replace("_", " "), "")


def truth_word(answer: str) -> str:
    """Return True or False, whatever the letter case, as the bank writes them.

    >>> truth_word("false"), truth_word("TRUE"), truth_word("perhaps")
    ('False', 'True', 'perhaps')
    """
    return answer.capitalize() if answer.lower() in ("true", "false") else answer


def option_label(place: int) -> str:
    """Return the label of an option by its position, counting from 0.

    >>> option_label(1), option_label(26)
    ('B', '27')
    """
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def lettered(choices: Iterable[tuple[str, float | None, str]]) -> tuple[Option, ...]:
    """Return lettered options from (text, weight, feedback)."""
    return tuple(
        Option(option_label(place), text, "", None if weight is None else float(weight), feedback)
        for place, (text, weight, feedback) in enumerate(choices)
    )


def right_or_wrong(choices: Iterable[tuple[str, bool, str]]) -> tuple[Option, ...]:
    """Return options from (text, whether it is right, feedback); several right options share the points."""
    found = [*choices]
    right = sum(is_right for _text, is_right, _feedback in found)
    return lettered((text, is_right / right if right > 1 else None, feedback) for text, is_right, feedback in found)


def right_labels(answer: str, labels: Sequence[str]) -> list[str] | None:
    """Return the labels of the options that an answer names, or None if it names anything else.

    >>> right_labels("A, C", ["A", "B", "C"]), right_labels("AC", ["A", "B", "C"]), right_labels("D", ["A", "B"])
    (['A', 'C'], None, None)
    """
    answer = answer.strip()
    if answer in labels:
        return [answer]
    named = [label.strip() for label in answer.split(",")] if answer else []
    return named if len(set(named)) == len(named) and {*named} <= {*labels} else None


def option_weights(options: Sequence[Option], answer: str) -> list[float]:
    """Return the weight of each option: its own, else an equal share for each right option named by the answer."""
    if any(option.weight is not None for option in options):
        return [option.weight or 0.0 for option in options]
    right = right_labels(answer, [option.label for option in options]) or []
    return [1 / len(right) if option.label in right else 0.0 for option in options]


def options_fault(*, kind: str, text: str, labels: Sequence[str], answer: str) -> str:
    """Return what is wrong with the options of a question, for both the editor and imports.

    Options may be in the text, as exams print them: "A. 3 B. 4".

    Returns:
        ``"unexpected"``: a question of this kind must not have options; ``"missing"``: a choice has none; ``"single"``:
        it has only one, which imports keep as published, with a warning; ``"repeated"``: two have the same label;
        ``"answer"``: the answer does not name options; empty if nothing is wrong.

    >>> options_fault(kind="choice", text="2 + 2?", labels=[], answer="A")
    'missing'
    >>> options_fault(kind="choice", text="2 + 2? A. 3 B. 4", labels=[], answer="B")
    ''
    """
    if kind not in WITH_OPTIONS:
        return "unexpected" if labels else ""
    if kind == "opaque":
        return "repeated" if len(set(labels)) < len(labels) else ""
    if not labels:
        return "" if kind == "choice" and _OPTIONS_IN_TEXT.search(text) else "missing"
    if len(set(labels)) < len(labels):
        return "repeated"
    if right_labels(answer, labels) is None:
        return "answer"
    return "single" if len(labels) == 1 else ""
